"""Sentences on the steps of a `tokenizer.json`: what each does, and what it changed."""

from collections import Counter
from collections.abc import Mapping, Sequence

from tokenizer.errors import enumerated, shown
from tokenizer.i18n import mark, tr, trn
from tokenizer.paths import read_toml

STEP_LIST_KEYS = ("normalizers", "pretokenizers", "processors", "decoders")  # where a Sequence has its steps
MAX_PIPELINE_STEPS = 100  # that are described
JOINING_DECODERS = ("Fuse", "ByteLevel")  # decoders after them get one text

STEPS = read_toml("steps.toml")


def steps(step: object) -> list[dict]:
    """Returns the steps of a part of the pipeline, including those in Sequences.

    >>> [step["type"] for step in steps({"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}]})]
    ['NFD', 'Lowercase']
    """
    found, waiting = [], [step]
    while waiting and len(found) < MAX_PIPELINE_STEPS:
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
    ('Lowercase converts letters to lower case.', 'This tokenizer has no decoder: tokens are joined with spaces.')
    >>> strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    >>> described("decoder", {"type": "Sequence", "decoders": [{"type": "Fuse"}, strip]})
    "Fuse joins all tokens into one text; Strip removes ' ' at the beginning of the text, at most 1×."
    """
    sentences = STEPS[part]
    notes, is_joined = [], False
    for one in steps(step):
        note = sentences.get(str(one.get("type")))
        notes.append(tr(note) if note else with_options(one, is_joined))
        is_joined |= one.get("type") in JOINING_DECODERS
    return tr("{steps}.", steps="; ".join(dict.fromkeys(notes))) if notes else tr(sentences["none"])


def with_options(step: dict, is_joined: bool = False) -> str:
    """Returns a phrase on a step that depends on its options in the file, and on whether tokens were joined before.

    >>> with_options({"type": "ByteLevel", "use_regex": False})
    'ByteLevel writes each byte as one printable character, a space as Ġ'
    >>> with_options({"type": "Strip", "content": " ", "start": 1, "stop": 0})
    "Strip removes ' ' at the beginning of each token, at most 1×"
    >>> with_options({"type": "Digits", "individual_digits": True})
    'Digits makes each digit a piece of its own'
    """
    match step:
        case {"type": "BertNormalizer"}:
            effects = enumerated(berts_steps(step)) or tr("changes nothing")
            return tr("BertNormalizer {does}", does=effects)
        case {"type": "ByteLevel"}:  # as a pre-tokenizer
            if not step.get("use_regex", True):
                return tr(STEPS["normalizer"]["ByteLevel"])
            return tr(
                "ByteLevel splits a text by GPT-2’s split pattern and writes each byte as one printable character, a"
                " space as Ġ"
            )
        case {"type": "Prepend", "prepend": str(what)}:
            return tr("Prepend adds {what} before the text", what=shown(what))
        case {"type": "Replace", "pattern": {"String": str(what)} | {"Regex": str(what)}, "content": str(other)}:
            return tr("Replace changes {what} to {other}", other=shown(other), what=shown(what))
        case {"type": "Split", "pattern": {"String": str(what)} | {"Regex": str(what)}}:
            return tr("Split splits with the pattern {what}", what=shown(what))
        case {"type": "Digits", "individual_digits": True}:
            return tr("Digits makes each digit a piece of its own")
        case {"type": "Digits"}:
            return tr("Digits separates runs of digits from other characters")
        case {"type": "Metaspace"}:
            return tr("Metaspace writes a space as {what}", what=shown(step.get("replacement", "▁")))
        case {"type": "CharDelimiterSplit", "delimiter": str(what)}:
            return tr("CharDelimiterSplit splits at {what}", what=shown(what))
        case {"type": "Strip", "content": str(what)}:
            unit = tr("the text") if is_joined else tr("each token")
            return stripped(shown(what), step.get("start", 0), step.get("stop", 0), unit)
    return str(step.get("type"))[:40]


def stripped(what: str, start: int, stop: int, unit: str) -> str:
    """Returns a phrase on a decoder that removes a character at the ends of each token, or of the joined text.

    >>> stripped("' '", 0, 2, "each token"), stripped("' '", 0, 0, "each token")
    ("Strip removes ' ' at the end of each token, at most 2×", 'Strip removes nothing')
    """
    if start and stop:
        sentence = mark(
            "Strip removes {what} from {unit}, at most {start:,}× at the beginning and at most {stop:,}× at the end"
        )
        return tr(sentence, what=what, unit=unit, start=start, stop=stop)
    if start:
        return tr("Strip removes {what} at the beginning of {unit}, at most {n:,}×", what=what, unit=unit, n=start)
    if stop:
        return tr("Strip removes {what} at the end of {unit}, at most {n:,}×", what=what, unit=unit, n=stop)
    return tr("Strip removes nothing")


def berts_steps(step: dict) -> list[str]:
    """Returns a phrase on the options of BERT's normalizer.

    >>> berts_steps({"clean_text": True, "lowercase": True, "strip_accents": None})
    ['removes control characters', 'converts white space to spaces', 'removes accents and other combining marks', \
'converts letters to lower case']
    """
    lowercase, marks = step.get("lowercase"), step.get("strip_accents")
    options = {
        mark("removes control characters"): step.get("clean_text"),
        mark("converts white space to spaces"): step.get("clean_text"),
        mark("puts spaces around each Chinese character"): step.get("handle_chinese_chars"),
        mark("removes accents and other combining marks"): lowercase if marks is None else marks,
        mark("converts letters to lower case"): lowercase,
    }
    return [tr(words) for words, is_on in options.items() if is_on]


def model_note(kind: str, tokens: int, unknown: int) -> str:
    """Returns two sentences on what the model did.

    >>> model_note("WordLevel", 3, 1)
    'WordLevel looks up each whole pre-token in the vocabulary. 3 tokens (1 unknown).'
    """
    model = tr("{model}.", model=tr(STEPS["model"][kind]))
    if not unknown:
        count = trn("{n:,} token.", "{n:,} tokens.", tokens)
    else:
        count = trn(
            "{n:,} token ({unknown:,} unknown).",
            "{n:,} tokens ({unknown:,} unknown).",
            tokens,
            unknown=unknown,
        )
    return f"{model} {count}"


def difference(before: str, after: str, done: str = "changed") -> str:
    """Returns a sentence on the change of a text.

    >>> difference("Aé", "ae"), difference("a", "a"), difference("a b", "ab", "decoded")
    ('Characters changed; the number of characters is still 2.', 'Nothing changed.', \
'The decoded text differs from the original text.')
    """
    if done == "decoded":
        if before == after:
            return tr("The decoded text is the original text.")
        return tr("The decoded text differs from the original text.")
    if before == after:
        return tr("Nothing changed.")
    if len(before) == len(after):
        return tr("Characters changed; the number of characters is still {n:,}.", n=len(after))
    return trn("{n:,} character became {after:,}.", "{n:,} characters became {after:,}.", len(before), after=len(after))


def additions(before: Sequence[str], after: Sequence[str]) -> str:
    """Returns a sentence on the tokens that a post-processor added.

    >>> additions(["a"], ["[CLS]", "a", "[SEP]"]), additions(["a"], ["a"])
    ("The post-processor adds '[CLS]', '[SEP]'.", 'The post-processor adds no token.')
    """
    added = Counter(after) - Counter(before)
    return (
        tr("The post-processor adds {tokens}.", tokens=", ".join(map(shown, added)))
        if added
        else tr("The post-processor adds no token.")
    )


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
    notes = [tr(STEPS["ignored"][name], value=shown(value)) for name, value in settings.items()]
    return [*notes, tr("The ids are those of Hugging Face’s library with these settings off.")] if notes else []
