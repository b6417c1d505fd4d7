"""Expected facts of the lessons' trained tokenizers: textbook byte-pair encoding and SentencePiece's library."""

import io
from collections import Counter
from functools import cache
from itertools import chain, pairwise
from statistics import median_low

import sentencepiece
from oracles import naive_first_merges, naive_parts, naive_train, oracle, pre_tokens

from tokenizer.display.readable import readable
from tokenizer.training.corpora import mix, own_corpora

SHARES = {"english": 0, "thai": 100, "mix": 67}
LIBRARY = {
    "bpe": {"model_type": "bpe"},
    "unigram": {"model_type": "unigram"},
    "no_prefix": {"model_type": "bpe", "add_dummy_prefix": False},
    "no_fallback": {"model_type": "bpe", "byte_fallback": False},
}


def joined(parts, pair):
    """The parts after merging every occurrence of a pair, from the left."""
    parts, at = list(parts), 0
    while at < len(parts) - 1:
        if (parts[at], parts[at + 1]) == pair:
            parts[at : at + 2] = [b"".join(pair)]
        at += 1
    return parts


def learned(text, size, ties="first-seen"):
    """The merges learned from a text, and its words as final parts with their counts."""
    order = sorted((bytes([byte]) for byte in range(256)), key=oracle("gpt2")._mergeable_ranks.get)  # as Hugging Face
    counts = Counter(pre_tokens("cl100k_base", text))
    words, times = [[bytes([byte]) for byte in word.encode()] for word in counts], [*counts.values()]
    totals, merges = Counter(), []
    for word, count in zip(words, times, strict=True):
        for pair in pairwise(word):
            totals[pair] += count
    while len(merges) < size - 256 and (best := max(totals.values(), default=0)) > 1:
        pair = next(pair for word in words for pair in pairwise(word) if totals[pair] == best)  # first seen
        if ties == "smallest-ids":
            pair = min((one for one in totals if totals[one] == best), key=lambda one: [*map(order.index, one)])
        merges.append(pair)
        order.append(b"".join(pair))
        for i, word in enumerate(words):
            if pair[0] in word and pair in pairwise(word):
                totals.subtract(Counter({one: n * times[i] for one, n in Counter(pairwise(word)).items()}))
                words[i] = joined(word, pair)
                totals.update(Counter({one: n * times[i] for one, n in Counter(pairwise(words[i])).items()}))
    return merges, [*zip(words, times, strict=True)]


@cache
def from_mix(share, size=1000):
    """The merges learned from a mix, and its words; English alone is the file as it is."""
    return learned(own_corpora()["english"] if share == 0 else mix(share).text, size)


def tokens(text, merges):
    """Tokenizes a text with merges in the order of learning."""
    parts = [[bytes([byte]) for byte in word.encode()] for word in pre_tokens("cl100k_base", text)]
    for pair in merges:
        parts = [joined(word, pair) if pair[0] in word else word for word in parts]
    return [*chain.from_iterable(parts)]


def spelled(token):
    """A token's text, with names for bytes that are no character."""
    found = ""
    while token:
        size = next((n for n in (1, 2, 3, 4) if "\ufffd" not in token[:n].decode(errors="replace")), 0)
        size = 3 if token.startswith("\ufffd".encode()) else size
        found += token[:size].decode() if size else f"<0x{token[0]:02X}>"
        token = token[size or 1 :]
    return found


def uses(share, size=1000):
    """The count of each token in the corpus that it was learned from; the single bytes come first."""
    merges, words = from_mix(share, size)
    counts = Counter()
    for word, times in words:
        for part in word:
            counts[part] += times
    return [counts[one] for one in [*(bytes([byte]) for byte in range(256)), *map(b"".join, merges)]]


@cache
def library(name):
    """A model trained directly by SentencePiece's library."""
    found = io.BytesIO()
    options = {"byte_fallback": True, "character_coverage": 1.0, "normalization_rule_name": "identity"}
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([line for line in mix(67).text.split("\n") if line]),
        model_writer=found,
        vocab_size=1000,
        num_threads=1,
        max_sentence_length=1_000_000,
        minloglevel=2,
        **options | LIBRARY[name],
    )
    return sentencepiece.SentencePieceProcessor(model_proto=found.getvalue())


def ratio(count, other):
    return count / (other or 1)


def covers(name, step):
    """Whether this module computes the facts of a step."""
    return name in ("train", "sentencepiece", "size")


def expected(view, text, **how):
    """The facts of a view, computed here."""
    return globals()[f"of_{view}"](text, **how)


def of_corpora(text):
    counts = {name: len(tokens(text, from_mix(share)[0])) for name, share in SHARES.items()}
    times = ratio(counts["english"], counts["thai"])
    return counts | {
        "fewest": min(counts, key=counts.get),
        "vocabulary": 1000,
        "bytes": len(text.encode()),
        "english_times": times,
        "english_about": round(times),
    }


def of_shared(text, other, share):
    both, thai, english = (from_mix(one)[0] for one in (share, 100, 0))
    facts = {"tokens": len(tokens(text, both)), "alone": len(tokens(text, thai))}
    facts |= {"other": len(tokens(other, both)), "other_alone": len(tokens(other, english)), "vocabulary": 1000}
    is_thai = ratio(facts["tokens"], facts["alone"]) >= ratio(facts["other"], facts["other_alone"])
    return facts | {"loses": "thai" if is_thai else "english", "share": 100 * mix(share).thai / mix(share).characters}


def of_used(text):
    there, found = uses(0), tokens(text, from_mix(0)[0])
    facts = {"in_corpus": sum(map(bool, there)), "bytes_unused": there[:256].count(0), "steps": there[256:].count(0)}
    return facts | {"vocabulary": len(there), "tokens": len(found), "used": len({*found})}


def of_own(text, other="", ties="first-seen"):
    merges, words = learned(text, 1_000_000, ties)
    longest = max(map(b"".join, merges), key=len, default=b"")
    return {
        "merges": len(merges),
        "base": 256,
        "vocabulary": 256 + len(merges),
        "longest": readable(spelled(longest).encode()),
        "bytes": len(text.encode()),
        "tokens": sum(len(word) * times for word, times in words),
        **({"other": len(tokens(other, merges)), "other_bytes": len(other.encode())} if other else {}),
    }


def of_pieces(text, models):
    facts = {"bytes": len(text.encode()), "ours": len(tokens(text, from_mix(67)[0]))}
    for name in models:
        model = library(name)
        ids = model.encode(text)
        spelled = [model.id_to_piece(id) for id in ids]
        facts |= {
            name: len(ids),
            f"{name}_read": len(model.normalize(text)),
            f"{name}_first": next(iter(spelled), ""),
            f"{name}_marks": "".join(spelled).count("▁"),
            f"{name}_bytes": sum(map(model.is_byte, ids)),
            f"{name}_unknown": sum(map(model.is_unknown, ids)),
        }
    counts = {name: facts[name] for name in [*models, "ours"]}
    return facts | {"fewest": min(counts, key=counts.get)}


def of_ways(text):
    found = library("unigram").nbest_encode_as_pieces(text, 5) if library("unigram").encode(text) else []
    best = found[0] if found else []
    return {
        "ways": len(found),
        "best": " | ".join(best),
        "unigram": len(best),
        "bpe": len(library("bpe").encode(text)),
    }


def of_tables(text, encodings, width=768, columns=(), widest=0):
    facts = {"width": width}
    for name in encodings:
        ids, rows = oracle(name).encode(text, disallowed_special=()), oracle(name).n_vocab
        facts |= {name: len(ids), f"{name}_used": len({*ids}), f"{name}_rows": rows}
        facts |= {f"{name}_tied": rows * width, f"{name}_untied": rows * width + rows * width}
        facts |= {f"{name}_millions": round(rows * width / 1e6), f"{name}_untied_millions": round(rows * width / 5e5)}
    first, last = encodings[0], encodings[-1]
    times = facts[f"{last}_rows"] / facts[f"{first}_rows"]
    percent = 100 * ratio(facts[last], facts[first])
    return facts | {
        "times": times,
        "times_about": round(times),
        "percent": float(percent),
        "percent_about": round(percent),
    }


def of_first_merges(text, encoding, merges):
    ranks, every = oracle(encoding)._mergeable_ranks, oracle(encoding).encode(text, disallowed_special=())
    found = [id for one in pre_tokens(encoding, text) for id in naive_first_merges(one.encode(), ranks, merges)]
    times = ratio(len(found), len(every))
    return {
        "merges": merges,
        "first_merges": len(found),
        "all": len(every),
        "total": len(ranks) - 256,
        "bytes": len(text.encode()),
        "times": float(times),
        "times_about": round(times),
    }


@cache
def of_added(encoding, most):
    """The tokens of an encoding by id, and more of them, learned from our Thai text."""
    base = sorted(oracle(encoding)._mergeable_ranks, key=oracle(encoding)._mergeable_ranks.get)
    ids = [*base, *[b""] * (oracle(encoding).n_vocab - len(base))]
    words = Counter(pre_tokens(encoding, mix(100).text))
    return base, [merge.token for merge in naive_train(words, most, base=ids)]


def of_added_merges(text, other, encoding="gpt2", merges=200, most=300, width=768):
    base, added = of_added(encoding, most)
    old = {token: rank for rank, token in enumerate(base)}
    new = old | {token: len(old) + i for i, token in enumerate(added[:merges])}

    def count(given, ranks):
        return sum(len(naive_parts(word.encode(), ranks)) for word in pre_tokens(encoding, given))

    before, after = count(other, old), count(other, new)
    return {
        "merges": merges,
        "before": count(text, old),
        "after": count(text, new),
        "other_before": before,
        "other_after": after,
        "change": ["fewer", "same", "more"][(after >= before) + (after > before)],
        "width": width,
        "parameters": merges * width,
    }


def of_examples(text, size):
    there, found = uses(67, size), tokens(text, from_mix(67, size)[0])
    made = [*(bytes([byte]) for byte in range(256)), *map(b"".join, from_mix(67, size)[0])]
    return {
        "vocabulary": size,
        "learned": size - 256,
        "corpus": sum(there),
        "few": 10,
        "rare": sum(count < 10 for count in there[256:]),
        "median": median_low(there[256:]),
        "tokens": len(found),
        "rarest": min((there[made.index(token)] for token in found), default=0),
    }
