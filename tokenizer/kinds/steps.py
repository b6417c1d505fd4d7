"""Sentences on the steps of a `tokenizer.json`: what each does, and what it changed."""

from collections import Counter
from collections.abc import Sequence

from tokenizer.errors import enumerated, shown
from tokenizer.i18n import mark, tr, trn

INSIDE = ("normalizers", "pretokenizers", "processors", "decoders")  # where a Sequence has its steps
MAX_STEPS = 100  # that are described

NORMALIZERS = {
    "NFC": mark("NFC composes letters and their marks"),
    "NFD": mark("NFD takes letters and their marks apart"),
    "NFKC": mark("NFKC composes, and writes plain characters for their variants (fi for ﬁ)"),
    "NFKD": mark("NFKD takes letters and their marks apart, and writes plain characters for their variants (fi for ﬁ)"),
    "Lowercase": mark("Lowercase makes small letters"),
    "StripAccents": mark("StripAccents drops marks"),
    "Strip": mark("Strip drops white space at the ends"),
    "Precompiled": mark("Precompiled replaces by SentencePiece’s table"),
    "Nmt": mark("Nmt drops controls and makes odd spaces plain"),
    "ByteLevel": mark("ByteLevel spells each byte as one printable character, a space as Ġ"),
}
PRE_TOKENIZERS = {
    "ByteLevel": mark("ByteLevel spells each byte as one printable character, a space as Ġ"),
    "Whitespace": mark("Whitespace splits into words and runs of other signs"),
    "WhitespaceSplit": mark("WhitespaceSplit splits at white space"),
    "BertPreTokenizer": mark("BertPreTokenizer splits at white space, and each sign of punctuation stands alone"),
    "Punctuation": mark("Punctuation sets signs of punctuation apart"),
    "Digits": mark("Digits sets digits apart from the rest"),
    "UnicodeScripts": mark("UnicodeScripts splits where the script changes"),
}
PROCESSORS = {
    "ByteLevel": mark("ByteLevel only trims places in the text"),
    "TemplateProcessing": mark("TemplateProcessing puts special tokens around"),
    "BertProcessing": mark("BertProcessing puts special tokens around"),
    "RobertaProcessing": mark("RobertaProcessing puts special tokens around"),
}
DECODERS = {
    "ByteLevel": mark("ByteLevel makes bytes of the spelling, and text of the bytes"),
    "ByteFallback": mark("ByteFallback makes characters of byte tokens"),
    "WordPiece": mark("WordPiece joins what begins with its prefix, and puts spaces between the rest"),
    "BPEDecoder": mark("BPEDecoder puts a space where a word ends"),
    "CTC": mark("CTC drops repeats"),
    "Fuse": mark("Fuse joins all"),
}
STEP_NOTES = {
    "normalizer": (NORMALIZERS, mark("It has no normalizer.")),
    "pre_tokenizer": (PRE_TOKENIZERS, mark("It has no pre-tokenizer: the model gets the text whole.")),
    "post_processor": (PROCESSORS, mark("It has no post-processor.")),
    "decoder": (DECODERS, mark("It has no decoder: tokens are joined with spaces.")),
}
MODELS = {
    "BPE": mark("BPE merges pairs of neighbors in a learned order"),
    "Unigram": mark("Unigram takes the most probable way to cut each piece"),
    "WordPiece": mark("WordPiece takes the longest token that fits, from the left"),
    "WordLevel": mark("WordLevel looks each piece up whole"),
}


def steps(step: object) -> list[dict]:
    """Returns the steps of a part of the pipeline, including those in Sequences.

    >>> [step["type"] for step in steps({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}]})]
    ['NFD', 'Lowercase']
    """
    found, waiting = [], [step]
    while waiting and len(found) < MAX_STEPS:
        step = waiting.pop()
        if not isinstance(step, dict):
            continue
        inner = next((step[name] for name in INSIDE if isinstance(step.get(name), list)), None)
        if inner is None:
            found.append(step)
        else:
            waiting += reversed(inner)
    return found


def step_types(step: object) -> list[str]:
    """Returns the names of the steps, in order."""
    return [str(one.get("type")) for one in steps(step)]


def described(part: str, step: object) -> str:
    """Returns a sentence on what a part of the pipeline does.

    >>> described("normalizer", {"type": "Lowercase"}), described("decoder", None)
    ('Lowercase makes small letters.', 'It has no decoder: tokens are joined with spaces.')
    """
    sentences, if_none = STEP_NOTES[part]
    known = [(sentences.get(str(one.get("type"))), one) for one in steps(step)]
    notes = [tr(note) if note else with_options(one) for note, one in known]
    return tr("{steps}.", steps="; ".join(dict.fromkeys(notes))) if notes else tr(if_none)


def with_options(step: dict) -> str:
    """Returns a phrase on a step that depends on its options in the file."""
    match step:
        case {"type": "BertNormalizer"}:
            effects = enumerated(berts_steps(step)) or tr("does nothing")
            return tr("BertNormalizer {does}", does=effects)
        case {"type": "Prepend", "prepend": str(what)}:
            return tr("Prepend puts {what} before the text", what=shown(what))
        case {"type": "Replace", "pattern": {"String": str(what)} | {"Regex": str(what)}, "content": str(other)}:
            return tr("Replace writes {other} for {what}", other=shown(other), what=shown(what))
        case {"type": "Split", "pattern": {"String": str(what)} | {"Regex": str(what)}}:
            return tr("Split cuts by {what}", what=shown(what))
        case {"type": "Metaspace"}:
            return tr("Metaspace writes {what} for a space", what=shown(step.get("replacement", "▁")))
        case {"type": "CharDelimiterSplit", "delimiter": str(what)}:
            return tr("CharDelimiterSplit cuts at {what}", what=shown(what))
        case {"type": "Strip", "content": str(what)}:
            return tr("Strip drops {what} at the ends", what=shown(what))
    return str(step.get("type"))[:40]


def berts_steps(step: dict) -> list[str]:
    """Returns a phrase on the options of BERT's normalizer.

    >>> berts_steps({"clean_text": True, "lowercase": True, "strip_accents": None})
    ['cleans white space', 'drops marks', 'makes small letters']
    """
    lowercase, marks = step.get("lowercase"), step.get("strip_accents")
    options = {
        mark("cleans white space"): step.get("clean_text"),
        mark("sets Chinese characters apart"): step.get("handle_chinese_chars"),
        mark("drops marks"): lowercase if marks is None else marks,
        mark("makes small letters"): lowercase,
    }
    return [tr(words) for words, is_on in options.items() if is_on]


def model_note(kind: str, tokens: int, unknown: int) -> str:
    """Returns two sentences on what the model did.

    >>> model_note("WordLevel", 3, 1)
    'WordLevel looks each piece up whole. 3 tokens, 1 of them for what the vocabulary lacks.'
    """
    model = tr("{model}.", model=tr(MODELS[kind]))
    if not unknown:
        count = trn("{n:,} token.", "{n:,} tokens.", tokens)
    else:
        count = trn(
            "{n:,} token, {unknown:,} of them for what the vocabulary lacks.",
            "{n:,} tokens, {unknown:,} of them for what the vocabulary lacks.",
            tokens,
            unknown=unknown,
        )
    return f"{model} {count}"


def difference(before: str, after: str, done: str = "changed") -> str:
    """Returns a sentence on the change of a text.

    >>> difference("Aé", "ae"), difference("a", "a"), difference("a b", "ab", "decoded")
    ('Characters changed; there are still 2.', 'Nothing changed.', 'It is not the text that was typed.')
    """
    if done == "decoded":
        if before == after:
            return tr("It is the text that was typed.")
        return tr("It is not the text that was typed.")
    if before == after:
        return tr("Nothing changed.")
    if len(before) == len(after):
        return tr("Characters changed; there are still {n:,}.", n=len(after))
    return trn("{n:,} character became {after:,}.", "{n:,} characters became {after:,}.", len(before), after=len(after))


def additions(before: Sequence[str], after: Sequence[str]) -> str:
    """Returns a sentence on the tokens that a post-processor added.

    >>> additions(["a"], ["[CLS]", "a", "[SEP]"]), additions(["a"], ["a"])
    ("It adds '[CLS]', '[SEP]'.", 'It adds no token.')
    """
    added = Counter(after) - Counter(before)
    return tr("It adds {tokens}.", tokens=", ".join(map(shown, added))) if added else tr("It adds no token.")
