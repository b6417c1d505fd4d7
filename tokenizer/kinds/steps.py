"""The steps of a `tokenizer.json` in words: what each kind does, and what it changed."""

from collections import Counter
from collections.abc import Sequence

from tokenizer.errors import counted, enumerated, shown

INSIDE = ("normalizers", "pretokenizers", "processors", "decoders")  # where a Sequence has its steps
MOST_STEPS = 100  # that are told of

NORMALIZERS = {
    "NFC": "NFC composes letters and their marks",
    "NFD": "NFD takes letters and their marks apart",
    "NFKC": "NFKC composes, and writes plain characters for their variants (fi for ﬁ)",
    "NFKD": "NFKD takes letters and their marks apart, and writes plain characters for their variants (fi for ﬁ)",
    "Lowercase": "Lowercase makes small letters",
    "StripAccents": "StripAccents drops marks",
    "Strip": "Strip drops white space at the ends",
    "Precompiled": "Precompiled replaces by SentencePiece’s table",
    "Nmt": "Nmt drops controls and makes odd spaces plain",
    "ByteLevel": "ByteLevel spells each byte as one printable character, a space as Ġ",
}
PRE_TOKENIZERS = {
    "ByteLevel": "ByteLevel spells each byte as one printable character, a space as Ġ",
    "Whitespace": "Whitespace splits into words and runs of other signs",
    "WhitespaceSplit": "WhitespaceSplit splits at white space",
    "BertPreTokenizer": "BertPreTokenizer splits at white space, and each sign of punctuation stands alone",
    "Punctuation": "Punctuation sets signs of punctuation apart",
    "Digits": "Digits sets digits apart from the rest",
    "UnicodeScripts": "UnicodeScripts splits where the script changes",
}
PROCESSORS = {
    "ByteLevel": "ByteLevel only trims places in the text",
    "TemplateProcessing": "TemplateProcessing puts special tokens around",
    "BertProcessing": "BertProcessing puts special tokens around",
    "RobertaProcessing": "RobertaProcessing puts special tokens around",
}
DECODERS = {
    "ByteLevel": "ByteLevel makes bytes of the spelling, and text of the bytes",
    "ByteFallback": "ByteFallback makes characters of byte tokens",
    "WordPiece": "WordPiece joins what begins with its prefix, and puts spaces between the rest",
    "BPEDecoder": "BPEDecoder puts a space where a word ends",
    "CTC": "CTC drops repeats",
    "Fuse": "Fuse joins all",
}
WORDS = {
    "normalizer": (NORMALIZERS, "It has no normalizer."),
    "pre_tokenizer": (PRE_TOKENIZERS, "It has no pre-tokenizer: the model gets the text whole."),
    "post_processor": (PROCESSORS, "It has no post-processor."),
    "decoder": (DECODERS, "It has no decoder: tokens are joined with spaces."),
}
MODELS = {
    "BPE": "BPE merges pairs of neighbors in a learned order",
    "Unigram": "Unigram takes the most probable way to cut each piece",
    "WordPiece": "WordPiece takes the longest token that fits, from the left",
    "WordLevel": "WordLevel looks each piece up whole",
}


def steps(step: object) -> list[dict]:
    """Returns the steps of a part of the pipeline, those in Sequences too.

    >>> [step["type"] for step in steps({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}]})]
    ['NFD', 'Lowercase']
    """
    found, waiting = [], [step]
    while waiting and len(found) < MOST_STEPS:
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
    words, none = WORDS[part]
    says = [words.get(str(one.get("type"))) or with_options(one) for one in steps(step)]
    return "; ".join(dict.fromkeys(says)) + "." if says else none


def with_options(step: dict) -> str:
    """Returns what a step does that depends on what the file says of it."""
    match step:
        case {"type": "BertNormalizer"}:
            return f"BertNormalizer {enumerated(berts_steps(step)) or 'does nothing'}"
        case {"type": "Prepend", "prepend": str(what)}:
            return f"Prepend puts {shown(what)} before the text"
        case {"type": "Replace", "pattern": {"String": str(what)} | {"Regex": str(what)}, "content": str(other)}:
            return f"Replace writes {shown(other)} for {shown(what)}"
        case {"type": "Split", "pattern": {"String": str(what)} | {"Regex": str(what)}}:
            return f"Split cuts by {shown(what)}"
        case {"type": "Metaspace"}:
            return f"Metaspace writes {shown(step.get('replacement', '▁'))} for a space"
        case {"type": "CharDelimiterSplit", "delimiter": str(what)}:
            return f"CharDelimiterSplit cuts at {shown(what)}"
        case {"type": "Strip", "content": str(what)}:
            return f"Strip drops {shown(what)} at the ends"
    return str(step.get("type"))[:40]


def berts_steps(step: dict) -> list[str]:
    """Returns what BERT's normalizer is told to do.

    >>> berts_steps({"clean_text": True, "lowercase": True, "strip_accents": None})
    ['cleans white space', 'drops marks', 'makes small letters']
    """
    lowercase, marks = step.get("lowercase"), step.get("strip_accents")
    does = {
        "cleans white space": step.get("clean_text"),
        "sets Chinese characters apart": step.get("handle_chinese_chars"),
        "drops marks": lowercase if marks is None else marks,
        "makes small letters": lowercase,
    }
    return [words for words, is_told in does.items() if is_told]


def model_says(kind: str, tokens: int, unknown: int) -> str:
    """Returns what the model did, in two sentences.

    >>> model_says("WordLevel", 3, 1)
    'WordLevel looks each piece up whole. 3 tokens, 1 of them for what the vocabulary lacks.'
    """
    lacks = f", {unknown:,} of them for what the vocabulary lacks" if unknown else ""
    return f"{MODELS[kind]}. {counted(tokens, 'token')}{lacks}."


def difference(before: str, after: str, done: str = "changed") -> str:
    """Returns a sentence on what became of a text.

    >>> difference("Aé", "ae"), difference("a", "a"), difference("a b", "ab", "decoded")
    ('Characters changed; there are still 2.', 'Nothing changed.', 'It is not the text that was typed.')
    """
    if done == "decoded":
        return "It is the text that was typed." if before == after else "It is not the text that was typed."
    if before == after:
        return "Nothing changed."
    if len(before) == len(after):
        return f"Characters changed; there are still {len(after):,}."
    return f"{counted(len(before), 'character')} became {len(after):,}."


def additions(before: Sequence[str], after: Sequence[str]) -> str:
    """Returns a sentence on the tokens that a post-processor added.

    >>> additions(["a"], ["[CLS]", "a", "[SEP]"]), additions(["a"], ["a"])
    ("It adds '[CLS]', '[SEP]'.", 'It adds no token.')
    """
    added = Counter(after) - Counter(before)
    return f"It adds {', '.join(map(shown, added))}." if added else "It adds no token."
