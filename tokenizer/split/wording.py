"""Split patterns in plain words."""

import regex

from tokenizer.errors import enumerated
from tokenizer.split.regexes import Item

_ENDING = "an English ending after an apostrophe ('s, 't, 're, 've, 'm, 'll, 'd)"
_SIGNS = "signs: anything but white space, letters and digits (so marks and emoji too), after one space if there is one"
_CASES = "letters without case and marks count as both"
_LEAD = "one other character may come first, but not a letter, digit or line ending"
_LAST_LINE_END = "white space up to its last line ending"
_BEFORE_WORD = "white space, but the last of it is left for a word or sign that follows"

# The alternatives of the known patterns, each as it is written there.
WORDS = {
    r"'(?:[sdmt]|ll|ve|re)": f"{_ENDING}, in lower case",
    r"'(?i:[sdmt]|ll|ve|re)": f"{_ENDING}, in upper or lower case",
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)": f"{_ENDING}, in upper or lower case",
    r" ?\p{L}++": "letters, after one space if there is one",
    r" ?\p{N}++": "digits or other numerals such as ½, after one space if there is one",
    r" ?[^\s\p{L}\p{N}]++": _SIGNS,
    r"[^\r\n\p{L}\p{N}]?+\p{L}++": f"letters; {_LEAD}",
    r"[^\r\n\p{L}\p{N}]?\p{L}+": f"letters; {_LEAD}",
    r"\p{N}{1,3}+": "one to three digits or other numerals such as ½",
    r"\p{N}{1,3}": "one to three digits or other numerals such as ½",
    r" ?[^\s\p{L}\p{N}]++[\r\n]*+": f"{_SIGNS}, and the line endings after them",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*": f"{_SIGNS}, and the line endings after them",
    r" ?[^\s\p{L}\p{N}]+[\r\n/]*": f"{_SIGNS}, and the line endings and slashes after them",
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?": (
        f"a word that ends in lower case: upper-case letters if there are any, then at least one lower-case letter"
        f" ({_CASES}); {_LEAD}; {_ENDING} may follow"
    ),
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?": (
        f"a word that begins in upper case: at least one upper-case letter, then lower-case letters if there are any"
        f" ({_CASES}); {_LEAD}; {_ENDING} may follow"
    ),
    r"\s++$": "white space at the end of the text",
    r"\s*[\r\n]": _LAST_LINE_END,
    r"\s*[\r\n]+": _LAST_LINE_END,
    r"\s+(?!\S)": _BEFORE_WORD,
    r"\s": "one character of white space",
    r"\s+": "white space",
}

# One character of a class, and several.
NOUNS = {
    r"\p{L}": ("letter", "letters"),
    r"\p{Lu}": ("upper-case letter", "upper-case letters"),
    r"\p{Ll}": ("lower-case letter", "lower-case letters"),
    r"\p{Lt}": ("title-case letter", "title-case letters"),
    r"\p{Lm}": ("modifier letter", "modifier letters"),
    r"\p{Lo}": ("letter without case", "letters without case"),
    r"\p{M}": ("mark", "marks"),
    r"\p{N}": ("digit", "digits"),  # and other numerals, such as ½ and Ⅻ
    r"\p{Nd}": ("decimal digit", "decimal digits"),
    r"\p{P}": ("punctuation character", "punctuation characters"),
    r"\p{S}": ("symbol", "symbols"),
    r"\p{Z}": ("separator", "separators"),
    r"\s": ("white space", "white space"),
    r"\S": ("character other than white space", "characters other than white space"),
    r"\d": ("decimal digit", "decimal digits"),
    r"\D": ("character other than a decimal digit", "characters other than decimal digits"),
    r"\w": ("word character", "word characters"),
    r"\W": ("character other than a word character", "characters other than word characters"),
    r"\X": ("grapheme", "graphemes"),
    r"\R": ("line ending", "line endings"),
    r"\n": ("line feed", "line feeds"),
    r"\r": ("carriage return", "carriage returns"),
    r"\t": ("tab", "tabs"),
    " ": ("space", "spaces"),
    r"\ ": ("space", "spaces"),
    "'": ("apostrophe", "apostrophes"),
    "/": ("slash", "slashes"),
    ".": ("character other than a line feed", "characters other than line feeds"),
    r"[\r\n]": ("line ending", "line endings"),
    r"[\s\S]": ("character", "characters"),
    r"[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]": (
        "upper-case or caseless letter or mark",
        "upper-case or caseless letters or marks",
    ),
    r"[\p{Ll}\p{Lm}\p{Lo}\p{M}]": ("lower-case or caseless letter or mark", "lower-case or caseless letters or marks"),
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)": ("English ending such as 's", "English endings such as 's"),
}
ASSERTIONS = {
    "^": "at the start of the text",
    r"\A": "at the start of the text",
    "$": "at the end of the text",  # or before a line feed that ends it
    r"\Z": "at the end of the text",
    r"\z": "at the end of the text",
    r"\b": "at an edge of a word",
    r"\B": "not at an edge of a word",
    r"\m": "at the start of a word",
    r"\M": "at the end of a word",
}
LOOKS = {"(?=": "before {}", "(?!": "not before {}", "(?<=": "after {}", "(?<!": "not after {}"}
NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]

SPECIAL = "^$.|()[]{}*+?"  # a character of these stands for itself in a set only
_MEMBER = regex.compile(r"\\[pP]\{[^}]*\}|\\[^pP]|[^\\\[\]]-[^\\\[\]]|[^\\\[\]]")


def number(amount: int) -> str:
    """Returns a number as a word if it is a small one.

    >>> number(3), number(1000)
    ('three', '1,000')
    """
    return NUMBERS[amount] if amount < len(NUMBERS) else f"{amount:,}"


def members(source: str) -> tuple[list[str], bool] | None:
    r"""Returns what a character set lists, and whether it takes all but these; None if it is not a plain list.

    >>> members(r"[^\r\n\p{L}]"), members("[[a]--[b]]"), members(r"\s")
    ((['[\\r\\n]', '\\p{L}'], True), None, None)
    """
    inside = regex.fullmatch(r"\[(\^?)((?:[^\[\]\\]|\\.)+)\]", source)
    if not inside:
        return None
    found = _MEMBER.findall(inside[2])
    if "".join(found) != inside[2] or any(operator in inside[2] for operator in ("--", "||", "&&", "~~")):
        return None
    if {r"\r", r"\n"} <= set(found):
        found = [r"[\r\n]"] + [member for member in found if member not in (r"\r", r"\n")]
    return found, bool(inside[1])


def noun(source: str, plural: bool = False) -> str | None:
    r"""Returns what one character that matches is called, or several; None where there is no plain word.

    >>> noun(r"[^\s\p{L}]"), noun(r"[\p{L}\p{M}]", plural=True), noun("[a-z|]"), noun(r"\p{Thai}")
    ('character other than white space or a letter', 'letters or marks', 'character from a to z or “|”', None)
    """
    if source in NOUNS:
        return NOUNS[source][plural]
    if not (listed := members(source)):
        return literal(source) if source not in SPECIAL else None
    names = [member_noun(member, plural) for member in listed[0]]
    if None in names:
        return None
    if listed[1]:
        others = enumerated(names if plural else [with_article(name) for name in names], "or")
        return f"{'characters' if plural else 'character'} other than {others}"
    return enumerated(names, "or")


def member_noun(member: str, plural: bool) -> str | None:
    """Returns what a character is called that is this member of a set."""
    if regex.fullmatch(r"[^\\]-[^\\]", member):
        return f"{'characters' if plural else 'character'} from {member[0]} to {member[2]}"
    return literal(member) if member in SPECIAL else noun(member, plural)


def literal(source: str) -> str | None:
    r"""Returns a character that stands for itself, in quotation marks.

    >>> literal("x"), literal(r"\."), literal(r"\w")
    ('“x”', '“.”', None)
    """
    found = regex.fullmatch(r"\\?([^\w\s\\])|(\w)|\\(\\)", source)
    itself = found and (found[1] or found[2] or found[3])
    return f"“{itself}”" if itself and itself.isprintable() else None


def member_with(character: str, source: str, flags: str, plural: bool = False) -> tuple[str, str] | None:
    r"""Returns which member of a character set has a character, and what it is called, if there is a plain word.

    >>> member_with("a", r"[\s\p{L}]", "")
    ('\\p{L}', 'letter')
    """
    for member in members(source)[0]:
        in_set = member if member.startswith(("[", "\\")) else f"[{member}]"
        if (name := noun(in_set, plural)) and regex.match(flags + in_set, character):
            return member, name
    return None


def described(source: str, found: list[Item] | None) -> str | None:
    r"""Returns an alternative, of which the items are given, in words; None where it has more than plain things.

    >>> described(r"\s", None)
    'one character of white space'
    >>> described("", [Item("one", r"\d", "{2,4}", 2, 4), Item("look", r"(?!\d)")])
    'two to four decimal digits, not before a decimal digit'
    """
    if source in WORDS or not found:
        return WORDS.get(source)
    phrases, literal = [], ""
    for item in [*found, Item("end", "")]:
        if item.kind == "one" and not item.quantifier and len(item.source) == 1 and item.source not in (".", " "):
            literal += item.source
            continue
        if literal:
            phrases.append((", then ", f"the text “{literal}”"))
            literal = ""
        if item.kind != "end":
            phrases.append((", " if item.kind == "look" else ", then ", item_in_words(item)))
    if any(words is None for _, words in phrases):
        return None
    return "".join([joint + words for joint, words in phrases]).removeprefix(", then").strip(", ")


def item_in_words(item: Item) -> str | None:
    r"""Returns one item in words.

    >>> item_in_words(Item("one", " ", "?", 0, 1)), item_in_words(Item("look", r"(?!\S)"))
    ('one space if there is one', 'not before a character other than white space')
    """
    if item.kind == "look":
        opening = regex.match(r"\(\?<?[=!]|", item.source)[0]
        name = opening and noun(item.source[len(opening) : -1])
        return LOOKS[opening].format(with_article(name)) if name else ASSERTIONS.get(item.source)
    if item.kind == "flags" or not (one := noun(item.source)):
        return None
    return f"one {one} if there is one" if (item.low, item.high) == (0, 1) else count(item)


def count(item: Item) -> str:
    r"""Returns how many of what an item takes.

    >>> count(Item("one", r"\d", "{2,}", 2, None)), count(Item("one", r"\d")), count(Item("one", r"\d", "{1,3}", 1, 3))
    ('two or more decimal digits', 'one decimal digit', 'one to three decimal digits')
    """
    name = noun(item.source, plural=item.high != 1) or item.source
    if name == "white space":
        name = f"character{'' if item.high == 1 else 's'} of white space"
    if item.low == item.high:
        return f"{number(item.low)} {name}"
    if item.high is None:
        return f"{number(item.low)} or more {name}" if item.low else f"any number of {name}"
    return f"{number(item.low)} to {number(item.high)} {name}" if item.low else f"at most {number(item.high)} {name}"


def with_article(name: str) -> str:
    """Returns a noun with its article.

    >>> with_article("letter"), with_article("upper-case letter"), with_article("“x”")
    ('a letter', 'an upper-case letter', '“x”')
    """
    if not name[0].isalpha() or name.startswith("white space"):
        return name
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
