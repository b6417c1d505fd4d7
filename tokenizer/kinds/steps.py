"""Sentences on the steps of a `tokenizer.json`: what each does, and what it changed."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tokenizer.errors import enumerated, shown
from tokenizer.i18n import mark, tr, trn

STEP_LIST_KEYS = ("normalizers", "pretokenizers", "processors", "decoders")  # where a Sequence has its steps
MAX_STEPS = 100  # that are described

NORMALIZERS = {
    "NFC": mark("NFC composes letters and their marks"),
    "NFD": mark("NFD separates letters and their marks"),
    "NFKC": mark("NFKC composes letters and marks, and replaces variants by plain characters (ﬁ by fi)"),
    "NFKD": mark("NFKD separates letters and marks, and replaces variants by plain characters (ﬁ by fi)"),
    "Lowercase": mark("Lowercase converts letters to lower case"),
    "StripAccents": mark("StripAccents removes marks"),
    "Strip": mark("Strip removes white space at both ends"),
    "Precompiled": mark("Precompiled replaces characters by SentencePiece’s table"),
    "Nmt": mark("Nmt removes control characters and replaces unusual spaces by plain ones"),
    "ByteLevel": mark("ByteLevel writes each byte as one printable character, a space as Ġ"),
}
PRE_TOKENIZERS = {
    "ByteLevel": mark("ByteLevel writes each byte as one printable character, a space as Ġ"),
    "Whitespace": mark("Whitespace splits a text into words and runs of other characters, and drops white space"),
    "WhitespaceSplit": mark("WhitespaceSplit splits at white space"),
    "BertPreTokenizer": mark("BertPreTokenizer splits at white space and around each punctuation character"),
    "Punctuation": mark("Punctuation separates punctuation characters"),
    "Digits": mark("Digits separates digits from the rest"),
    "UnicodeScripts": mark("UnicodeScripts splits where the script changes"),
}
PROCESSORS = {
    "ByteLevel": mark("ByteLevel changes no tokens, only their recorded positions in the text"),
    "TemplateProcessing": mark("TemplateProcessing adds special tokens around the text"),
    "BertProcessing": mark("BertProcessing adds special tokens around the text"),
    "RobertaProcessing": mark("RobertaProcessing adds special tokens around the text"),
}
DECODERS = {
    "ByteLevel": mark("ByteLevel turns its characters back into bytes, and the bytes into text"),
    "ByteFallback": mark("ByteFallback turns byte tokens into characters"),
    "WordPiece": mark(
        "WordPiece joins a token that begins with the prefix, such as ##, to the token before it, "
        "and otherwise puts a space between tokens"
    ),
    "BPEDecoder": mark("BPEDecoder puts a space where a word ends"),
    "CTC": mark("CTC removes repeats"),
    "Fuse": mark("Fuse joins all tokens"),
}
STEP_NOTES = {
    "normalizer": (NORMALIZERS, mark("It has no normalizer.")),
    "pre_tokenizer": (PRE_TOKENIZERS, mark("It has no pre-tokenizer: the model gets the whole text.")),
    "post_processor": (PROCESSORS, mark("It has no post-processor.")),
    "decoder": (DECODERS, mark("It has no decoder: tokens are joined with spaces.")),
}
IGNORED = {
    "truncation": mark("The file truncates a text after {value} tokens; here nothing is truncated."),
    "padding": mark("The file pads short texts; here no padding is added."),
    "dropout": mark("The file skips merges at random (dropout {value}); here none is skipped."),
}
MODELS = {
    "BPE": mark("BPE merges pairs of neighbors in a learned order"),
    "Unigram": mark("Unigram splits each pre-token in the most probable way"),
    "WordPiece": mark("WordPiece takes the longest token that fits, from the left"),
    "WordLevel": mark("WordLevel looks up each whole pre-token"),
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
        inner = next((step[name] for name in STEP_LIST_KEYS if isinstance(step.get(name), list)), None)
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
    ('Lowercase converts letters to lower case.', 'It has no decoder: tokens are joined with spaces.')
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
            return tr("Prepend adds {what} before the text", what=shown(what))
        case {"type": "Replace", "pattern": {"String": str(what)} | {"Regex": str(what)}, "content": str(other)}:
            return tr("Replace changes {what} to {other}", other=shown(other), what=shown(what))
        case {"type": "Split", "pattern": {"String": str(what)} | {"Regex": str(what)}}:
            return tr("Split splits by {what}", what=shown(what))
        case {"type": "Metaspace"}:
            return tr("Metaspace writes a space as {what}", what=shown(step.get("replacement", "▁")))
        case {"type": "CharDelimiterSplit", "delimiter": str(what)}:
            return tr("CharDelimiterSplit splits at {what}", what=shown(what))
        case {"type": "Strip", "content": str(what)}:
            return tr("Strip removes {what} at both ends", what=shown(what))
    return str(step.get("type"))[:40]


def berts_steps(step: dict) -> list[str]:
    """Returns a phrase on the options of BERT's normalizer.

    >>> berts_steps({"clean_text": True, "lowercase": True, "strip_accents": None})
    ['cleans white space', 'removes marks', 'converts letters to lower case']
    """
    lowercase, marks = step.get("lowercase"), step.get("strip_accents")
    options = {
        mark("cleans white space"): step.get("clean_text"),
        mark("separates Chinese characters"): step.get("handle_chinese_chars"),
        mark("removes marks"): lowercase if marks is None else marks,
        mark("converts letters to lower case"): lowercase,
    }
    return [tr(words) for words, is_on in options.items() if is_on]


def model_note(kind: str, tokens: int, unknown: int) -> str:
    """Returns two sentences on what the model did.

    >>> model_note("WordLevel", 3, 1)
    'WordLevel looks up each whole pre-token. 3 tokens, 1 of them unknown.'
    """
    model = tr("{model}.", model=tr(MODELS[kind]))
    if not unknown:
        count = trn("{n:,} token.", "{n:,} tokens.", tokens)
    else:
        count = trn(
            "{n:,} token, {unknown:,} of them unknown.",
            "{n:,} tokens, {unknown:,} of them unknown.",
            tokens,
            unknown=unknown,
        )
    return f"{model} {count}"


def difference(before: str, after: str, done: str = "changed") -> str:
    """Returns a sentence on the change of a text.

    >>> difference("Aé", "ae"), difference("a", "a"), difference("a b", "ab", "decoded")
    ('Characters changed; their number is still 2.', 'Nothing changed.', 'This is not the original text.')
    """
    if done == "decoded":
        if before == after:
            return tr("This is the original text.")
        return tr("This is not the original text.")
    if before == after:
        return tr("Nothing changed.")
    if len(before) == len(after):
        return tr("Characters changed; their number is still {n:,}.", n=len(after))
    return trn("{n:,} character became {after:,}.", "{n:,} characters became {after:,}.", len(before), after=len(after))


def additions(before: Sequence[str], after: Sequence[str]) -> str:
    """Returns a sentence on the tokens that a post-processor added.

    >>> additions(["a"], ["[CLS]", "a", "[SEP]"]), additions(["a"], ["a"])
    ("It adds '[CLS]', '[SEP]'.", 'It adds no token.')
    """
    added = Counter(after) - Counter(before)
    return tr("It adds {tokens}.", tokens=", ".join(map(shown, added))) if added else tr("It adds no token.")


def ignored_settings(facts: Mapping) -> dict[str, object]:
    """Returns the settings of a `tokenizer.json` that change its ids but have no effect here, with their values.

    >>> ignored_settings({"truncation": {"max_length": 8}, "padding": None, "model": {"dropout": 0.1}})
    {'truncation': 8, 'dropout': 0.1}
    """
    truncation, padding, dropout = facts.get("truncation"), facts.get("padding"), facts["model"].get("dropout")
    found = {"truncation": truncation.get("max_length")} if isinstance(truncation, dict) else {}
    return found | ({"padding": True} if padding else {}) | ({"dropout": dropout} if dropout else {})


def ignored_notes(settings: Mapping[str, object]) -> list[str]:
    """Returns a sentence on each ignored setting, and one on what the ids are."""
    notes = [tr(IGNORED[name], value=shown(value)) for name, value in settings.items()]
    return [*notes, tr("The ids are those of Hugging Face’s library with these settings off.")] if notes else []
