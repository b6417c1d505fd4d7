"""Why a text is cut at a place: the alternative of the split pattern that matched, and what ended the match."""

import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache, partial
from itertools import islice
from typing import NamedTuple

import regex

from tokenizer.i18n import language, mark, tr
from tokenizer.split import plain
from tokenizer.split.patterns import KNOWN_PATTERNS, as_seen, compiled, has_safe_cuts, matches, pattern_errors
from tokenizer.split.regexes import Item, constructs, items
from tokenizer.split.wording import count, described, member_with, members, noun, with_article
from tokenizer.text.anatomy import CATEGORIES, CONTROLS
from tokenizer.text.regex_budget import RegexBudget, hold_gil
from tokenizer.text.well_formed import well_formed

# To find which alternative matched, each is compiled with the others switched off: the whole pattern, once for each.
# This many characters of it take about half a second; a longer pattern gets no alternatives.
MAX_COMPILED_CHARACTERS = 100_000
LAST_LINE_END = (r"\s*[\r\n]", r"\s*[\r\n]+")
CONSUMING = ("one", "group")  # the items that take characters
ODD_FLAGS = regex.BESTMATCH | regex.ENHANCEMATCH | regex.POSIX | regex.REVERSE

_category = hold_gil(regex.compile("|".join(rf"(?P<{category}>\p{{{category}}})" for category in CATEGORIES)).match)


class Character(NamedTuple):
    """A character with its facts as the pattern sees them; `kind` is its category in words."""

    text: str
    code_point: str
    name: str | None
    category: str
    kind: str

    def __str__(self) -> str:
        category = tr("category {category}: {kind}", category=self.category, kind=self.kind)
        facts = [self.code_point, self.name, category]
        # an invisible character, or one that would change its line, is shown as its code point alone
        if self.category[0] not in "CZ" and self.text.isprintable():
            facts.insert(0, f"“{'◌' if self.category[0] == 'M' else ''}{self.text}”")
        return f"{facts[0]} ({', '.join(filter(None, facts[1:]))})"


class PieceReason(NamedTuple):
    """A pre-token with its span in bytes of UTF-8, the index of the alternative that matched, and what ended it.

    `alternative` counts from 0; it is None if no alternative matches, or if several could have. `stop` is the exact
    reason, `plain` the same in a sentence without terms of patterns, and `plain_before` that of the piece before.
    """

    text: str
    start: int
    end: int
    alternative: int | None
    stop: str
    plain: str
    plain_before: str


def alternatives(pattern: str | None) -> "list[Alternative]":
    """Returns the alternatives of a pattern, given by its name or in full, in the order in which they are tried.

    >>> [(found.source, found.words) for found in alternatives("[0-9]{1,3}|a+")]
    [('[0-9]{1,3}', 'one to three characters from 0 to 9'), ('a+', 'one or more “a”')]
    """
    if pattern is None:
        return []
    compiled(pattern)  # raises for an invalid one
    return branches(KNOWN_PATTERNS.get(pattern, pattern))


def explain(text: str, pattern: str | None, timeout: float | None = 0.5) -> list[PieceReason]:
    r"""Returns the pre-tokens of a text, each with the alternative that matched it and what ended it.

    `timeout` limits an untrusted pattern, in seconds; raises BadPattern.

    >>> [(piece.text, piece.alternative) for piece in explain("ที่ 2026", "cl100k_base")]
    [('ท', 1), ('ี่', 3), (' ', 7), ('202', 2), ('6', 2)]
    >>> explain("ที่", "cl100k_base")[0].stop
    'stops before “◌ี” (U+0E35, THAI CHARACTER SARA II, category Mn: a combining mark), which is not a letter (\\p{L})'
    """
    text = well_formed(text)[0]
    return _explained(text, pattern, _spans(text, pattern, timeout), timeout)


def explain_at(text: str, pattern: str | None, at: int, timeout: float | None = 0.5) -> list[PieceReason]:
    r"""Returns the pre-token that contains the byte `at`, after the one before it, if any; explains no others.

    >>> [piece.plain for piece in explain_at("the cat sat", "gpt2", 1)]
    ['This pre-token (a run of letters) ends before a space.']
    """
    text = well_formed(text)[0]
    place, before = len(text.encode()[:at].decode(errors="ignore")), []
    for span in _spans(text, pattern, timeout):
        before = [*before[-1:], span]
        if place < span.end:
            break
    return _explained(text, pattern, before, timeout)


class _Span(NamedTuple):
    """A pre-token as a span of characters, its match, the end of the match before, and whether that match was empty."""

    start: int
    end: int
    match: regex.Match | None
    before: int
    is_after_empty: bool = False


def _spans(text: str, pattern: str | None, timeout: float | None) -> Iterator[_Span]:
    end, is_empty = 0, False
    for match in matches(text, pattern, None if pattern is None or has_safe_cuts(pattern) else timeout):
        if end < match.start():
            yield _Span(end, match.start(), None, end)
        if match.start() < match.end():
            yield _Span(*match.span(), match, end, is_empty)
        end, is_empty = match.end(), match.start() == match.end()
    if end < len(text):
        yield _Span(end, len(text), None, end)


def _explained(text: str, pattern: str | None, spans: Iterable[_Span], timeout: float | None) -> list[PieceReason]:
    if pattern is None:
        exactly, plainly = plain.UNSPLIT
        return [PieceReason(text, 0, len(text.encode()), None, tr(exactly), *plain.reasons(plainly))] if text else []
    clock = RegexBudget(None if has_safe_cuts(pattern) else timeout)
    source, seen = KNOWN_PATTERNS.get(pattern, pattern), as_seen(text, pattern)
    found, at, byte = [], 0, 0
    with pattern_errors(pattern, timeout):
        for start, end, match, before, is_after_empty in spans:
            branch_index = match and matched(source, seen, match, before, clock, is_after_empty)
            branch = None if branch_index is None else branches(source)[branch_index]
            exactly, plainly = stopped(text, seen, (start, end), branch, clock) if match else gap(text, seen, end)
            first, at = byte + len(text[at:start].encode()), end
            byte = first + len(text[start:end].encode())
            found.append(PieceReason(text[start:end], first, byte, branch_index, exactly, *plainly))
    return found


def character(text: str, seen: str | None = None) -> Character:
    """Returns the facts of a character; `seen` is the stand-in that the pattern sees, if any.

    >>> print(character("a"), character(" "), sep="; ")
    “a” (U+0061, LATIN SMALL LETTER A, category Ll: a lower-case letter); U+0020 (SPACE, category Zs: a space)
    """
    category = _category(seen or text).lastgroup
    kind = tr(CATEGORIES[category])
    if seen not in (None, text) and category == "Cn":
        kind = tr("not assigned in the Unicode version of tiktoken")
    name = unicodedata.name(text, None) or CONTROLS.get(ord(text))
    return Character(text, f"U+{ord(text):04X}", name, category, kind)


# Alternatives


class Alternative:
    """One alternative of a pattern, compiled in the forms that show whether and how far it matched."""

    def __init__(self, source: str, bare: str, flags: str, found: list[Item] | None, alone: Callable[[], str] | None):
        self.source, self.bare, self.flags = source, bare, flags  # without the flags it begins with; all that hold
        self.items, self._alone = found, alone
        self._words: dict[str, str | None] = {}  # by language

    @property
    def words(self) -> str | None:
        """A phrase on what it matches, if there is one."""
        if (tag := language()) not in self._words:
            self._words[tag] = self._in_words()
        return self._words[tag]

    def _in_words(self) -> str | None:
        words = described(self.bare, self.items)
        if "-" in self.flags or not (letters := set(self.flags) & set("aimswf")):
            return words if "-" not in self.flags else None
        return tr("{words}, in upper or lower case", words=words) if words and letters == {"i"} else None

    @cached_property
    def alone(self) -> regex.Pattern | None:
        """The whole pattern with the other alternatives disabled, so that groups keep their numbers and flags apply."""
        return self._alone and or_none(self._alone())

    @cached_property
    def steps(self) -> list[tuple[Item, regex.Pattern]]:
        """The items that take characters, each with a pattern for it without its quantifier."""
        return [(item, or_none(self.flags + item.source)) for item in self.items or [] if item.kind in CONSUMING]

    @cached_property
    def in_groups(self) -> regex.Pattern | None:
        """The alternative with a group around each item that takes characters; None if it has parts not known here."""
        if not self.items or not all(pattern for _, pattern in self.steps):
            return None
        written = (item.source + item.quantifier for item in self.items)
        groups = (
            f"({part})" if item.kind in CONSUMING else part for item, part in zip(self.items, written, strict=True)
        )
        return or_none(self.flags + "".join(groups))


def or_none(source: str) -> regex.Pattern | None:
    """Returns a regular expression, or None if it makes no sense on its own."""
    try:
        return regex.compile(source, cache_pattern=False)
    except (regex.error, ValueError):  # ValueError: conflicting flags
        return None


@lru_cache(maxsize=16)
def branches(source: str) -> list[Alternative]:
    """Returns the alternatives of a pattern that compiles."""
    parts = list(constructs(source))
    cuts = [part.start for part in parts if part.kind == "or" and part.depth == 0]
    spans = list(zip([0, *(cut + 1 for cut in cuts)], [*cuts, len(source)], strict=True))
    off = ["(?!)" + source[start:end] for start, end in spans]  # disabled: never matches
    set_flags = compiled(source).flags
    flags = "(?V1)" if set_flags & regex.VERSION1 else ""
    if len(spans) * len(source) > MAX_COMPILED_CHARACTERS:
        return [Alternative(source[start:end], source[start:end], "", None, None) for start, end in spans]
    found = []
    for i, (start, end) in enumerate(spans):
        within = [part for part in parts if start <= part.start < end]
        bare = start
        while within and within[0].kind == "flags":
            flags, bare = flags + source[within[0].start : within[0].end], within[0].end
            within = within[1:]
        known = None if set_flags & ODD_FLAGS else items(source, within)
        build_alone = partial("|".join, [*off[:i], source[start:end], *off[i + 1 :]])
        found.append(Alternative(source[start:end], source[bare:end], flags, known, build_alone))
        # flags without a colon apply from their position on, also to later alternatives
        flags += "".join([source[p.start : p.end] for p in within if p.kind == "flags" and p.depth == 0])
    return found


def matched(
    source: str, seen: str, match: regex.Match, before: int, clock: RegexBudget, is_after_empty: bool = False
) -> int | None:
    r"""Returns the index of the alternative of a match: the first one that gives the same match alone.

    `before` is the end of the match before it. After an empty match the next one at its place must not be empty.

    >>> [matched(r"a|\w+", "ab", found, 0, RegexBudget(None)) for found in regex.finditer(r"a|\w+", "ab")]
    [0, 1]
    """
    all_branches = branches(source)
    if len(all_branches) == 1:
        return 0
    # with \K a match starts later than its search, so that several alternatives are possible
    starts_late = r"\K" in source
    place = before if starts_late else match.start()

    def search(alone: regex.Pattern) -> Callable[..., regex.Match | None]:
        if starts_late:
            return alone.search
        return partial(_match_after_empty, alone) if is_after_empty and before == place else alone.match

    tried = ((i, one.alone and clock.run(search(one.alone), seen, place)) for i, one in enumerate(all_branches))
    same = (i for i, found in tried if found and found.span() == match.span())
    first = next(same, None)
    return None if starts_late and next(same, None) is not None else first


def _match_after_empty(pattern: regex.Pattern, text: str, place: int, **options) -> regex.Match | None:
    """Returns the first non-empty match at a place, also if the pattern prefers an empty one there."""
    first = pattern.match(text, place, **options)
    if first is None or place < first.end():
        return first  # a search would go on to the end of the text
    found = islice(pattern.finditer(text, place, **options), 2)
    return next((one for one in found if place == one.start() < one.end()), None)


# Reasons


class VerbPhrase(str):
    """A reason that starts with a verb, to be displayed after the name of the pattern."""


def gap(text: str, seen: str, end: int) -> tuple[str, plain.Reasons]:
    """Returns the exact and the plain reason of the end of a span that no alternative matches."""
    left_over = plain.reasons(plain.LEFT_OVER)
    if end == len(text):
        return tr(
            "no alternative of the pattern matches any character of this last pre-token, up to the end of the text"
        ), left_over
    following = character(text[end], seen[end])
    return tr(
        "no alternative of the pattern matches here; the next match begins at {following}", following=following
    ), left_over


def stopped(
    text: str, seen: str, span: tuple[int, int], branch: Alternative | None, clock: RegexBudget
) -> tuple[str, plain.Reasons]:
    """Returns the exact and the plain reason of the end of a match; `branch` is the alternative, if known."""
    start, end = span
    if end == len(text):
        return VerbPhrase(tr("stops at the end of the text")), plain.reasons(plain.TEXT_ENDS)
    following = character(text[end], seen[end])
    begins = plain.begins(following)
    if branch and branch.bare in LAST_LINE_END:
        exactly = tr("stops after the last line ending of this white space, before {following}", following=following)
        return VerbPhrase(exactly), plain.reasons(plain.LAST_LINE_END)
    groups = branch and branch.in_groups and clock.run(branch.in_groups.match, seen, start)
    if not groups or groups.end() != end or not branch.steps:
        exactly = tr("stops before {following}: the match of this alternative ends here", following=following)
        return VerbPhrase(exactly), begins
    # what could take the next character: the last item that took any, if it repeats, and those after it
    last = max((i for i in range(len(branch.steps)) if groups.start(i + 1) < groups.end(i + 1)), default=0)
    taken = groups.end(last + 1) - groups.start(last + 1)
    item = branch.steps[last][0]
    open_steps = [step for step in branch.steps[last + (item.high == 1) :] if step[0].high != 0]
    fits = [step for step, pattern in open_steps if clock.run(pattern.match, seen, end)]
    if item in fits[:1] and item.high and (item.kind == "group" or taken >= item.high):
        limit = count(Item("one", item.source, item.quantifier, item.high, item.high))
        exactly = tr("the limit of {limit} is reached, before {following}", limit=limit, following=following)
        return exactly, plain.limit(branch.bare, limit)
    if fits and fits[0].mode == "?":
        return VerbPhrase(tr(TAKES_FEW, following=following, quantifier=fits[0].quantifier)), begins
    if fits and (look := lookahead_after(fits[0], branch.items)):
        if look == r"(?!\S)":
            return tr(LEAVES_THE_LAST, look=look, following=following), plain.reasons(plain.LEFT_FOR_WORD)
        exactly = tr(
            "stops before {following}: the lookahead {look} does not allow a longer match",
            following=following,
            look=look,
        )
        return VerbPhrase(exactly), begins
    if fits:
        return VerbPhrase(tr(LETS_THE_REST_MATCH, following=following)), begins
    piece = (branch.bare, branch.words, text[start:end], seen[start])
    if not open_steps:
        sentence = TAKES_NO_MORE if len(branch.steps) == 1 else IS_COMPLETE
        exactly = tr(sentence, following=following, count=count(item))
        return VerbPhrase(exactly), plain.complete(following, *piece)
    facts = [unfit(step, branch.flags, seen[end]) for step, _ in open_steps]
    facts = tr(", and ").join(dict.fromkeys(facts))
    exactly = tr("stops before {following}, which {facts}", following=following, facts=facts)
    return VerbPhrase(exactly), plain.ends(following, *piece)


def lookahead_after(item: Item, items: list[Item]) -> str | None:
    """Returns the last lookahead after an item of an alternative; those before it do not limit how much it takes."""
    place = next(i for i, one in enumerate(items) if one is item)
    return next((one.source for one in reversed(items[place:]) if one.source.startswith(("(?!", "(?="))), None)


LEAVES_THE_LAST = mark(
    "the lookahead {look} leaves the last character of white space, {following}, for the next pre-token"
)
TAKES_FEW = mark("stops before {following}: {quantifier} takes as few characters as possible")
LETS_THE_REST_MATCH = mark("stops before {following}, so that the rest of the alternative can match")
TAKES_NO_MORE = mark("stops before {following}: this alternative takes {count}, no more")
IS_COMPLETE = mark("stops before {following}: every part of this alternative has matched")


def unfit(item: Item, flags: str, seen: str) -> str:
    r"""Returns why a character does not fit an item.

    >>> unfit(Item("one", r"[\r\n]"), "", "a"), unfit(Item("one", r"[^\s\p{L}]"), "", "a")
    ('is not a line ending ([\\r\\n])', 'is a letter (\\p{L}), which [^\\s\\p{L}] excludes')
    """
    listed = members(item.source)
    if listed and listed[1] and (found := member_with(seen, item.source, flags)):
        kind, member = with_article(found[1]), found[0]
        return tr("is {kind} ({member}), which {source} excludes", kind=kind, member=member, source=item.source)
    name = noun(item.source)
    if not name:
        return tr("does not match {source}", source=item.source)
    kind = with_article(name)
    if item.kind == "one":
        return tr("is not {kind} ({source})", kind=kind, source=item.source)
    return tr("does not start {kind} ({source})", kind=kind, source=item.source)
