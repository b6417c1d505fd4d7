"""Tokenizers that run in Hugging Face's library: all that a `tokenizer.json` can say, and the library's own ids.

https://huggingface.co/docs/tokenizers/pipeline
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import groupby

import numpy as np
import tokenizers

from tokenizer.encoding.cuts import keep_cuts
from tokenizer.encoding.interface import LARGEST_ID
from tokenizer.encoding.model import InProcess, Merges, Read, Split, Stage
from tokenizer.encoding.spelling import BYTES, unspell
from tokenizer.encoding.splitting import split_by
from tokenizer.encoding.tokens import BYTE, NORMAL, SPECIAL, UNKNOWN
from tokenizer.encoding.vocabulary import by_id
from tokenizer.errors import BadTokenizerFile, TokenizerError, shown
from tokenizer.kinds.byte_merges import byte_merges, replay
from tokenizer.kinds.sharing import share_out
from tokenizer.kinds.steps import additions, described, difference, model_says, step_types, steps
from tokenizer.split.patterns import has_safe_cuts
from tokenizer.text.samples import samples
from tokenizer.text.well_formed import code_points, utf8_lengths, well_formed
from tokenizer.words import mark, tr, trn

ENGINE = f"Hugging Face’s tokenizers {tokenizers.__version__}"
BYTE_NAME = re.compile(r"<0x([0-9A-F]{2})>")
UNHEARD_OF = "\u0e01é\U0010fffd\u2603 zq"  # what hardly any vocabulary has all of
SPLIT_AT_SPACES = {"BertPreTokenizer", "Whitespace"}  # and at CJK punctuation
OF_CHARACTERS = {"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "StripAccents"}
SOME = 16  # special tokens that are tried on loading
TRIED_TEXT = 3_000  # characters


class NotReadThere(TokenizerError):
    """The library cannot read this text with this tokenizer."""

    def __init__(self, reason: str):
        self.reason = reason
        super().__init__(
            tr("This tokenizer cannot do this: {reason}. Try another text, or another tokenizer.", reason=reason)
        )


@contextmanager
def in_the_library() -> Iterator[None]:
    """Turns the library's errors into ours; where its code panics, that is no Exception."""
    try:
        yield
    except (TokenizerError, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise NotReadThere(_plain(str(error))) from None


def _plain(error: str) -> str:
    """Returns what the library says, in words where it names a part that it cannot read by a name of its own.

    >>> _plain("data did not match any variant of untagged enum PreTokenizerUntagged at line 1 column 142")
    'its pre-tokenizer is of a kind that Hugging Face’s library does not know, or lacks something'
    """
    if found := re.search(r"any variant of untagged enum (?:Py)?(\w+?)(?:Wrapper|Untagged)", error):
        part = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", found[1]).lower()
        return tr("its {part} is of a kind that Hugging Face’s library does not know, or lacks something", part=part)
    if "untagged enum MergeType" in error:
        return tr("one of its merges is not two tokens")
    return tr("Hugging Face’s library says “{words}”", words=error[:200])


class PipelineModel(InProcess):
    """A `tokenizer.json` as the library reads it, but for truncation, padding and dropout, which are switched off.

    Special tokens are read as text: the library can be told to. `pattern` is the split pattern, where it is known to be
    all that splits. Raises BadTokenizerFile.

    >>> model = {"type": "WordPiece", "vocab": {"[UNK]": 0, "hug": 1, "##s": 2}, "unk_token": "[UNK]"}
    >>> facts = {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "model": model}
    >>> hugs = PipelineModel(json.dumps(facts | {"model": model | {"continuing_subword_prefix": "##",
    ...                                                            "max_input_chars_per_word": 100}}))
    >>> hugs.kind, [hugs.piece(id) for id in hugs.encode("Hugs!").ids.tolist()], hugs.tokens[2]
    ('huggingface-wordpiece', ['hug', '##s', '[UNK]'], b's')
    """

    engine = ENGINE
    is_foreign = True
    also = frozenset()

    def __init__(
        self,
        data: str,
        facts: Mapping | None = None,
        pattern: str | None = None,
        notes: Sequence[Callable[[], str]] = (),
    ):
        self.facts = json.loads(data) if facts is None else facts
        self.fingerprint = hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()
        refuse_what_crashes(self.facts.get("model"))
        self._load(data)
        self._spellings = {id: token for token, id in self._library.get_vocab().items()}
        if not self._spellings:
            raise BadTokenizerFile("tokenizer.json", tr("it has no tokens"))
        if (last := max(self._spellings)) > LARGEST_ID:
            raise BadTokenizerFile(
                "tokenizer.json", tr("the id {id:,} is larger than {largest:,}", id=last, largest=LARGEST_ID)
            )
        self._pre_types = step_types(self.facts.get("pre_tokenizer"))
        self._set_unknown()
        self.tokens = by_id({id: self._bytes(id, token) for id, token in self._spellings.items()})
        self._kinds = self._kinds_by_id()
        self._sizes = np.array([len(token or b"") for token in self.tokens], np.int64)
        self._try()
        self.merges, self._why_no_merges = self._found_merges()
        self.facts = without_tables(self.facts)
        self.split: Split | None = split_by(pattern)
        self.safe_cuts, self.has_front = self._cuts(pattern)
        self.notes, self._num_around, self._oddity = notes, self._specials_around(), self._odd_specials()

    def _load(self, data: str) -> None:
        try:
            with in_the_library():
                library = tokenizers.Tokenizer.from_str(data)
        except NotReadThere as error:
            raise BadTokenizerFile("tokenizer.json", error.reason) from None
        library.no_truncation()
        library.no_padding()
        library.encode_special_tokens = True
        self._post_processor, library.post_processor = library.post_processor, None
        self._library = library
        self._added = library.get_added_tokens_decoder()
        model = library.model
        self._type = type(model).__name__
        if self._type == "BPE":
            model.dropout = None
        self.kind = f"huggingface-{self._type.lower()}"

    def _try(self) -> None:
        """Raises BadTokenizerFile where the first unusual text would be an error."""
        try:
            self.encode(UNHEARD_OF)
        except NotReadThere as error:
            raise BadTokenizerFile(
                "tokenizer.json", tr("it has no way to read unknown characters: {reason}", reason=error.reason)
            ) from None

    # What its tokens stand for

    @property
    def special_tokens(self) -> dict[str, int]:
        """The file's special tokens with their ids."""
        return {token.content: id for id, token in self._added.items() if token.special and token.content}

    def _set_unknown(self) -> None:
        model = self.facts["model"]
        if self._type == "Unigram":
            self.unknown_id = model.get("unk_id")
        else:
            name = self._library.model.unk_token
            self.unknown_id = None if name is None else self._library.token_to_id(name)
        self.unknown_name = self._spellings.get(self.unknown_id, "")

    @cached_property
    def _is_byte_level(self) -> bool:
        return "ByteLevel" in self._pre_types + step_types(self.facts.get("normalizer"))

    @cached_property
    def _has_byte_names(self) -> bool:
        return bool(self.facts["model"].get("byte_fallback"))

    @cached_property
    def _space(self) -> str | None:
        """What stands for a space in the vocabulary."""
        for step in steps(self.facts.get("pre_tokenizer")) + steps(self.facts.get("decoder")):
            if step.get("type") == "Metaspace":
                return step.get("replacement", "▁")
        for step in steps(self.facts.get("normalizer")):
            if step.get("type") == "Replace" and step.get("pattern") == {"String": " "}:
                return step.get("content") or None
        return None

    @cached_property
    def _affixes(self) -> tuple[str, str]:
        """What marks the middle, and the end, of a word."""
        model = self.facts["model"]
        prefix = "continuing_subword_prefix"
        before = model.get(prefix, "##" if self._type == "WordPiece" else "") if self._type != "Unigram" else ""
        return before or "", (model.get("end_of_word_suffix") or "") if self._type == "BPE" else ""

    def _bytes(self, id: int, token: str) -> bytes:
        """Returns the bytes of the text that a token stands for."""
        if id in self._added or id == self.unknown_id:
            return token.encode()
        if self._has_byte_names and (found := BYTE_NAME.fullmatch(token)):
            return bytes.fromhex(found[1])
        before, after = self._affixes
        token = token.removeprefix(before).removesuffix(after)
        if self._is_byte_level and BYTES.keys() >= set(token):
            return unspell(token)
        return (token.replace(self._space, " ") if self._space else token).encode()

    def _kinds_by_id(self) -> np.ndarray:
        kinds = np.full(len(self.tokens), NORMAL, np.uint8)
        if self._has_byte_names:
            kinds[[id for id, token in self._spellings.items() if BYTE_NAME.fullmatch(token)]] = BYTE
        kinds[list(self.special_tokens.values())] = SPECIAL
        if self.unknown_id is not None:
            kinds[self.unknown_id] = UNKNOWN
        return kinds

    # From text

    def _read(self, text: str) -> tokenizers.Encoding:
        with in_the_library():
            return self._library.encode(text, add_special_tokens=False)

    def encode(self, text: str) -> Read:
        found = self._read(text)
        ids = np.array(found.ids, np.uint32)
        starts, ends = self._spans(text, ids, found.offsets)
        normalized = None if self._library.normalizer is None else self.normalize(text)
        return Read(ids, ends - starts, starts, normalized, self._kinds[ids])

    def _spans(self, text: str, ids: np.ndarray, offsets: Sequence[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
        """Returns the bytes that each token covers: what pieces of one character share is shared out among them."""
        sizes, data = self._sizes[ids], text.encode()
        if sizes.sum() == len(data) and b"".join([self.tokens[id] for id in ids.tolist()]) == data:
            ends = np.cumsum(sizes)  # nothing was changed: the tokens' own bytes, side by side
            return ends - sizes, ends
        if any(end > len(text) for _, end in offsets):
            raise NotReadThere(tr("Hugging Face’s library places a token outside of the text"))
        at_byte = np.concatenate([[0], np.cumsum(utf8_lengths(code_points(text)), dtype=np.int64)])
        starts, ends = at_byte[np.array(offsets, np.int64).reshape(-1, 2).T]
        if (starts[1:] < ends[:-1]).any():
            own = [self.tokens[id] for id in ids.tolist()]
            shared = list(share_out(data, starts.tolist(), ends.tolist(), own))
            starts, ends = np.array(shared, np.int64).reshape(-1, 2).T
        return starts, ends

    def normalize(self, text: str) -> str:
        """Returns what the model reads: the text as the normalizer leaves it, added tokens as they are."""
        normalizer = self._library.normalizer
        if normalizer is None:
            return text
        kept = self._not_normalized.split(text) if self._not_normalized else [text]
        with in_the_library():
            return "".join(part if i % 2 or not part else normalizer.normalize_str(part) for i, part in enumerate(kept))

    def pieces(self, text: str) -> Iterable[tuple[int, str]]:
        found = self._read(text)
        end = 0
        for _, together in groupby(zip(found.word_ids, found.offsets, strict=True), lambda row: row[0]):
            spans = [span for _, span in together]
            start, end = max(end, min(span[0] for span in spans)), max(end, max(span[1] for span in spans))
            yield start, text[start:end]

    def piece(self, id: int) -> str:
        return self._spellings[id]

    def text_of(self, ids: Sequence[int]) -> str | None:
        with in_the_library():
            return self._library.decode(list(ids), skip_special_tokens=False)

    # What it is made of

    def stages(self, text: str) -> list[Stage] | None:
        found = self._read(text)
        after, normalized = self._processed(found), self.normalize(text)
        back = self.text_of(after.ids)
        unknown = sum(id == self.unknown_id for id in found.ids)
        added = additions(self._named(found), self._named(after))
        return [
            Stage("normalizer", [normalized], self._says("normalizer", difference(text, normalized))),
            Stage("pre-tokenizer", self._pre_tokenized(text), self._says("pre_tokenizer")),
            Stage("model", self._named(found), model_says(self._type, len(found.ids), unknown)),
            Stage("post-processor", self._named(after), self._says("post_processor", added)),
            Stage("decoder", [back], self._says("decoder", difference(text, back, "decoded"))),
        ]

    def _says(self, part: str, change: str = "") -> str:
        return " ".join(filter(None, [described(part, self.facts.get(part)), change]))

    def _named(self, found: tokenizers.Encoding) -> list[str]:
        return [self._spellings[id] for id in found.ids]

    def _processed(self, found: tokenizers.Encoding) -> tokenizers.Encoding:
        with in_the_library():
            return found if self._post_processor is None else self._post_processor.process(found, None, True)

    def _pre_tokenized(self, text: str) -> list[str]:
        """Returns the stretches as the model gets them, in the spelling of its vocabulary."""
        found: list[str] = []
        for i, part in enumerate(self._always_found.split(text) if self._always_found else [text]):
            found += [part] if i % 2 else self._pre_tokenized_part(part)
        return found

    def _pre_tokenized_part(self, text: str) -> list[str]:
        with in_the_library():
            part = tokenizers.PreTokenizedString(text)
            if normalizer := self._library.normalizer:
                part.normalize(normalizer.normalize)
            if pre_tokenizer := self._library.pre_tokenizer:
                pre_tokenizer.pre_tokenize(part)
            return [piece for piece, _, _ in part.get_splits("normalized", "char") if piece]

    @property
    def _ordinary_added(self) -> list[tokenizers.AddedToken]:
        return [token for token in self._added.values() if token.content and not token.special]

    @cached_property
    def _always_found(self) -> re.Pattern | None:
        return any_of(token.content for token in self._ordinary_added)

    @cached_property
    def _not_normalized(self) -> re.Pattern | None:
        return any_of(token.content for token in self._ordinary_added if not token.normalized)

    # Where its texts may be cut

    def _cuts(self, pattern: str | None) -> tuple[bool, bool]:
        """Whether a text may be cut at SAFE_CUT, and whether its beginning is read or decoded in a way of its own."""
        if self._ordinary_added:
            return False, False
        if self.merges is not None and has_safe_cuts(pattern):
            return True, False
        normalizers, pre_tokenizers = steps(self.facts.get("normalizer")), steps(self.facts.get("pre_tokenizer"))
        if pre_tokenizers and {one.get("type") for one in pre_tokenizers} <= SPLIT_AT_SPACES:
            return {one.get("type") for one in normalizers} <= OF_CHARACTERS, True
        model = self.facts["model"]
        is_merged = self._type == "BPE" and not (model.get("ignore_merges") or any(self._affixes))
        has_bytes = self._has_byte_names and int((self._kinds == BYTE).sum()) == 256
        if self._space and has_bytes and is_merged:  # Unigram adds up floats: of equals, what stands before chooses one
            is_plain = all(map(self._spells_spaces, normalizers + pre_tokenizers))
            return is_plain and keep_cuts(token.replace(self._space, " ") for token in self._spellings.values()), True
        return False, False

    def _spells_spaces(self, step: Mapping) -> bool:
        """Whether a step only writes spaces in another way, or puts one in front."""
        kind, space = step.get("type"), self._space
        if kind == "Replace":
            return step.get("pattern") == {"String": " "} and step.get("content") == space
        if kind == "Split":  # at spaces, of which none are left
            return step.get("pattern") == {"String": " "} and space != " "
        return kind == "Metaspace" or (kind == "Prepend" and step.get("prepend") == space)

    # Merges, where they can be replayed

    def _found_merges(self) -> tuple[Merges | None, str]:
        """Returns the merges of byte-level BPE; or None, and why their story would be a wrong one."""
        if self._type != "BPE":
            return None, ""
        if why := self._in_the_way():
            return None, why
        taken = [self._library.token_to_id(token.content) for token in self._ordinary_added]
        merges = byte_merges(self.facts["model"], self._spellings, self.tokens, taken)
        if merges is None or not all(self._replays(text, merges) for text in self._to_try()):
            return None, mark("replayed here they could give other ids")
        return merges, ""

    def _in_the_way(self) -> str:
        model, step = self.facts["model"], self.facts.get("pre_tokenizer")
        if not self._is_byte_level:
            return mark("they do not start from bytes")
        if steps(self.facts.get("normalizer")):
            return mark("a normalizer changes the text first")
        if any(one.get("type") == "ByteLevel" and one.get("add_prefix_space", True) for one in steps(step)):
            return mark("it puts a space before the text")
        if any(token.lstrip or token.rstrip or token.single_word for token in self._ordinary_added):
            return mark("some added tokens take what is around them")
        if any(self._affixes) or self._has_byte_names or self._pre_types[-1:] != ["ByteLevel"]:
            return mark("it marks parts of words, or splits bytes")
        return mark("its merges are damaged") if not isinstance(model.get("merges"), list) else ""

    def _to_try(self) -> Iterator[str]:
        yield UNHEARD_OF
        yield from (well_formed(sample.text[:TRIED_TEXT])[0] for sample in samples())

    def _replays(self, text: str, merges: Merges) -> bool:
        found = self._read(text)
        data = [b"".join(self.tokens[id] for id in ids) for ids in by_word(found.ids, found.word_ids)]
        return sum((replay(piece, merges) for piece in data), []) == found.ids

    # What its file says beside

    @property
    def about(self) -> list[str]:
        says = [say() for say in self.notes]
        says.append(tr("The ids are those of {engine}.", engine=ENGINE))
        if isinstance(cut := self.facts.get("truncation"), dict):
            most = shown(cut.get("max_length"))
            says.append(tr("The file cuts a text after {most} tokens; here nothing is cut.", most=most))
        if self.facts.get("padding"):
            says.append(tr("The file fills short texts up with padding; here nothing is added."))
        if self.facts["model"].get("dropout"):
            says.append(tr("The file leaves merges out at random (dropout); here none is left out."))
        if self._why_no_merges:
            says.append(tr("No merges are shown: {reason}.", reason=tr(self._why_no_merges)))
        return says + list(filter(None, [self._says_of_added(), self._says_of_processing(), tr(self._oddity)]))

    def _says_of_added(self) -> str:
        count = len(self._ordinary_added)
        return count and trn(
            "Before all else it looks for {n:,} added token in the text.",
            "Before all else it looks for {n:,} added tokens in the text.",
            count,
        )

    def _specials_around(self) -> int:
        """How many special tokens the post-processor would add."""
        with in_the_library():
            return 0 if self._post_processor is None else self._post_processor.num_special_tokens_to_add(False)

    def _says_of_processing(self) -> str:
        return self._num_around and trn(
            "Its post-processor would add {n:,} special token to each text; the counts here are without.",
            "Its post-processor would add {n:,} special tokens to each text; the counts here are without.",
            self._num_around,
        )

    def _odd_specials(self) -> str:
        """Where a text's special tokens are not read as one would expect, a sentence on that, to be translated."""
        some = [(name, id) for name, id in self.special_tokens.items() if id != self.unknown_id][:SOME]
        if any(id in self._read(f"é {name} é").ids for name, id in some):
            return mark(
                "Even as ordinary text, the name of a special token can become that token: the vocabulary has it."
            )
        self._library.encode_special_tokens = False
        try:
            texts = [(f"é a{between}{name}{between}b é", name, id) for name, id in some for between in ("", " ")]
            differ = any(self._read(text).ids != self._apart(text, name, id) for text, name, id in texts)
        finally:
            self._library.encode_special_tokens = True
        return mark("Around a special token the library can read a text in another way than here.") if differ else ""

    def _apart(self, text: str, name: str, id: int) -> list[int]:
        before, _, after = text.partition(name)
        return [*self._read(before).ids, id, *self._read(after).ids]


def refuse_what_crashes(model: object) -> None:
    """Raises BadTokenizerFile where the library would end the caller's process.

    Of the second half of a merge it takes away as many bytes as `continuing_subword_prefix` has, wherever that cuts.
    """
    prefix, merges = (
        map(model.get, ("continuing_subword_prefix", "merges")) if isinstance(model, dict) else (None, None)
    )
    if not isinstance(prefix, str) or not isinstance(merges, list):
        return
    size = len(prefix.encode("utf-8", "surrogatepass"))
    for merge in merges:
        halves = merge.split(" ", 1) if isinstance(merge, str) else merge
        if not isinstance(halves, list) or len(halves) != 2 or not isinstance(halves[1], str):
            continue  # which the library says
        right = halves[1].encode("utf-8", "surrogatepass")
        if len(right) < size or (right[size : size + 1] and right[size] & 0xC0 == 0x80):  # within a character
            raise BadTokenizerFile(
                "tokenizer.json",
                tr(
                    "the merge {merge}: its second half does not begin with {prefix!r}, as"
                    " continuing_subword_prefix demands",
                    merge=shown(halves),
                    prefix=prefix[:40],
                ),
            )


def without_tables(facts: Mapping) -> dict:
    """Returns what a file says but its vocabulary and merges, which are most of its size."""
    model = {name: value for name, value in facts["model"].items() if name not in ("vocab", "merges")}
    return {**facts, "model": model}


def any_of(names: Iterable[str]) -> re.Pattern | None:
    """Returns an expression that splits a text at these names and keeps them; None without any."""
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(f"({'|'.join(map(re.escape, longest_first))})") if longest_first else None


def by_word(ids: Sequence[int], words: Sequence[int | None]) -> list[list[int]]:
    """Returns the ids in groups of one word each.

    >>> by_word([5, 6, 7], [0, 0, 1])
    [[5, 6], [7]]
    """
    rows = groupby(zip(words, ids, strict=True), lambda row: row[0])
    return [[id for _, id in together] for _, together in rows]
