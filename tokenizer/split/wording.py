"""Plain phrases for split patterns."""

import re

import regex

from tokenizer.errors import enumerated
from tokenizer.i18n import mark, tr
from tokenizer.i18n import number as written
from tokenizer.paths import read_toml
from tokenizer.split.regexes import Item

_TABLES = read_toml("patterns.toml")
WORDS: dict[str, str] = _TABLES["alternatives"]  # of the known patterns, by their source
NOUNS: dict[str, list[str]] = _TABLES["nouns"]  # singular and plural of the characters of a class
ASSERTIONS: dict[str, str] = _TABLES["assertions"]
LOOKAROUND_NAMES: dict[str, str] = _TABLES["lookarounds"]
NUMBER_WORDS: list[str] = _TABLES["numbers"]["words"]
NEGATED_SET = mark("character other than {others}"), mark("characters other than {others}")
RANGES = mark("character from {first} to {last}"), mark("characters from {first} to {last}")
SPECIAL_CHARACTERS = "^$.|()[]{}*+?"  # literal only in sets
_MEMBER = re.compile(r"\\[pP]\{[^}]*\}|\\[^pP]|[^\\\[\]]-[^\\\[\]]|[^\\\[\]]")


def number(amount: int) -> str:
    """Returns a small number as a word.

    >>> number(3), number(1000)
    ('three', '1,000')
    """
    return tr(NUMBER_WORDS[amount - 1]) if 0 < amount <= len(NUMBER_WORDS) else written(amount)


def members(source: str) -> tuple[list[str], bool] | None:
    r"""Returns the members of a character set, and whether it is negated; None if it is not a plain list.

    >>> members(r"[^\r\n\p{L}]"), members("[[a]--[b]]"), members(r"\s")
    ((['[\\r\\n]', '\\p{L}'], True), None, None)
    """
    inside = re.fullmatch(r"\[(\^?)((?:[^\[\]\\]|\\.)+)\]", source)
    if not inside:
        return None
    found = _MEMBER.findall(inside[2])
    if "".join(found) != inside[2] or any(operator in inside[2] for operator in ("--", "||", "&&", "~~")):
        return None
    if {r"\r", r"\n"} <= set(found):
        found = [r"[\r\n]"] + [member for member in found if member not in (r"\r", r"\n")]
    return found, bool(inside[1])


def noun(source: str, plural: bool = False) -> str | None:
    r"""Returns the noun for one matching character, or for several; None without a plain word.

    >>> noun(r"[^\s\p{L}]"), noun(r"[\p{L}\p{M}]", plural=True), noun("[a-z|]"), noun(r"\p{Thai}")
    ('character other than white space or a letter', 'letters or combining marks', 'character from a to z or “|”', None)
    """
    if source in NOUNS:
        return tr(NOUNS[source][plural])
    if not (listed := members(source)):
        return literal(source) if source not in SPECIAL_CHARACTERS else None
    names = [member_noun(member, plural) for member in listed[0]]
    if None in names:
        return None
    if listed[1]:
        others = enumerated(names if plural else [with_article(name) for name in names], "or")
        return tr(NEGATED_SET[plural], others=others)
    return enumerated(names, "or")


def member_noun(member: str, plural: bool) -> str | None:
    """Returns the noun for a member of a set."""
    if re.fullmatch(r"[^\\]-[^\\]", member):
        return tr(RANGES[plural], first=member[0], last=member[2])
    return literal(member) if member in SPECIAL_CHARACTERS else noun(member, plural)


def literal(source: str) -> str | None:
    r"""Returns a literal character in quotation marks.

    >>> literal("x"), literal(r"\."), literal(r"\w")
    ('“x”', '“.”', None)
    """
    found = re.fullmatch(r"\\?([^\w\s\\])|(\w)|\\(\\)", source)
    itself = found and (found[1] or found[2] or found[3])
    return f"“{itself}”" if itself and itself.isprintable() else None


def member_with(character: str, source: str, flags: str, plural: bool = False) -> tuple[str, str] | None:
    r"""Returns the member of a set that contains a character, with its noun, if there is one.

    >>> member_with("a", r"[\s\p{L}]", "")
    ('\\p{L}', 'letter')
    """
    for member in members(source)[0]:
        in_set = member if member.startswith(("[", "\\")) else f"[{member}]"
        if (name := noun(in_set, plural)) and regex.match(flags + in_set, character, concurrent=False):
            return member, name
    return None


def described(source: str, found: list[Item] | None) -> str | None:
    r"""Returns a phrase on an alternative with these items; None without plain words for all.

    >>> described(r"\s", None)
    'one character of white space'
    >>> described("", [Item("one", r"\d", "{2,4}", 2, 4), Item("look", r"(?!\d)")])
    'two to four decimal digits, not before a decimal digit'
    """
    if source in WORDS:
        return tr(WORDS[source])
    words, literal = "", ""
    for item in [*(found or []), Item("end", "")]:
        if item.kind == "one" and not item.quantifier and len(item.source) == 1 and item.source not in (".", " "):
            literal += item.source
            continue
        if literal:
            words, literal = _followed_by(words, tr("the text “{text}”", text=literal)), ""
        if item.kind == "end":
            break
        if (item_words := item_in_words(item)) is None:
            return None
        words = _with_condition(words, item_words) if item.kind == "look" else _followed_by(words, item_words)
    return words or None


def _followed_by(words: str, next_words: str) -> str:
    return tr("{first}, then {next}", first=words, next=next_words) if words else next_words


def _with_condition(words: str, condition: str) -> str:
    return tr("{first}, {condition}", first=words, condition=condition) if words else condition


def item_in_words(item: Item) -> str | None:
    r"""Returns a phrase on one item.

    >>> item_in_words(Item("one", " ", "?", 0, 1)), item_in_words(Item("look", r"(?!\S)"))
    ('one space if there is one', 'not before a character other than white space')
    """
    if item.kind == "look":
        opening = re.match(r"\(\?<?[=!]|", item.source)[0]
        name = opening and noun(item.source[len(opening) : -1])
        if name:
            return tr(LOOKAROUND_NAMES[opening], noun=with_article(name))
        return tr(ASSERTIONS[item.source]) if item.source in ASSERTIONS else None
    if item.kind == "flags" or not (one := noun(item.source)):
        return None
    return tr("one {noun} if there is one", noun=one) if (item.low, item.high) == (0, 1) else count(item)


def count(item: Item) -> str:
    r"""Returns a phrase on what an item takes and how often.

    >>> count(Item("one", r"\d", "{2,}", 2, None)), count(Item("one", r"\d")), count(Item("one", r"\d", "{1,3}", 1, 3))
    ('two or more decimal digits', 'one decimal digit', 'one to three decimal digits')
    """
    name = noun(item.source, plural=item.high != 1) or item.source
    if name == tr("white space"):
        name = tr("character of white space") if item.high == 1 else tr("characters of white space")
    if item.high == 0:
        return tr("no {noun}", noun=name)
    low, high = number(item.low), item.high and number(item.high)
    if item.low == item.high:
        return tr("{n} {noun}", n=low, noun=name)
    if high is None:
        return tr("{low} or more {noun}", low=low, noun=name) if item.low else tr("any number of {noun}", noun=name)
    return (
        tr("{low} to {high} {noun}", low=low, high=high, noun=name)
        if item.low
        else tr("at most {high} {noun}", high=high, noun=name)
    )


def with_article(name: str) -> str:
    """Returns a noun with its article.

    >>> with_article("letter"), with_article("upper-case letter"), with_article("“x”")
    ('a letter', 'an upper-case letter', '“x”')
    """
    if not name[0].isalpha() or name.startswith(tr("white space")):
        return name
    return tr("an {noun}", noun=name) if name[0].lower() in "aeiou" else tr("a {noun}", noun=name)
