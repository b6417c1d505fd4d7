"""All ids of a vocabulary in a few groups of scripts, with the length of each token: what charts and the map show."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tokenizer.measure.census import SPECIAL_TOKEN
from tokenizer.text.scripts import (
    MIXED,
    NEVER_IN_UTF8,
    PART_OF_CHARACTER,
    WITH_PART_OF_CHARACTER,
    WITHOUT_LETTERS,
)
from tokenizer.vocabulary.facts import SPECIAL, UNKNOWN, UNUSED, Facts
from tokenizer.vocabulary.id_ranges import OTHERS, id_ranges

MAX_SCRIPTS = 6  # with a group of their own
MAX_TOKEN_BYTES = 255  # a longer token has this length
NO_LETTERS, BROKEN, UNUSED_IDS = "no letters", "parts of characters", "unused ids"
_WITHOUT_SCRIPT = dict.fromkeys(WITHOUT_LETTERS, NO_LETTERS) | dict.fromkeys(
    (PART_OF_CHARACTER, WITH_PART_OF_CHARACTER, NEVER_IN_UTF8), BROKEN
)


def script_groups(scripts: Iterable[str]) -> dict[str, list[str]]:
    """Returns the groups of scripts, which are values of `text.scripts.script`, the most frequent ones first.

    The first scripts are groups of their own, all others are in one; without letters there are two groups.

    >>> script_groups(["Latin", "digits", "Thai", "space", "mixed: Latin, Thai"])
    {'Latin': ['Latin'], 'Thai': ['Thai'], 'others': ['mixed: Latin, Thai'], 'no letters': ['digits', 'space']}
    """
    scripts = list(scripts)
    named = [name for name in scripts if name not in _WITHOUT_SCRIPT and not name.startswith(MIXED)][:MAX_SCRIPTS]
    groups: dict[str, list[str]] = {name: [] for name in (*named, OTHERS, NO_LETTERS, BROKEN)}
    for name in scripts:
        groups[name if name in named else _WITHOUT_SCRIPT.get(name, OTHERS)].append(name)
    return {name: members for name, members in groups.items() if members}


class TokenMap(NamedTuple):
    """A row for each id: the index of its group in `names`, and its bytes, at most MAX_TOKEN_BYTES.

    The names are those of `script_groups`, then SPECIAL_TOKEN, with the unknown token, and UNUSED_IDS.
    """

    names: list[str]
    group: np.ndarray
    length: np.ndarray


def token_map(facts: Facts) -> TokenMap:
    """Returns the map of a vocabulary.

    >>> from tokenizer import get_encoding
    >>> from tokenizer.vocabulary.facts import facts_of
    >>> found = token_map(facts_of(get_encoding("gpt2")))
    >>> found.names[found.group[262]], int(found.length[262]), found.names[found.group[50256]]
    ('Latin', 4, 'special token')
    """
    groups = script_groups(id_ranges(facts, 1, len(facts.scripts)).scripts)
    names = [*groups, SPECIAL_TOKEN, UNUSED_IDS]
    group_of = {script: i for i, members in enumerate(groups.values()) for script in members}
    group = np.array([group_of.get(script, 0) for script in facts.scripts], np.uint8)[facts.script]
    group[np.isin(facts.role, (SPECIAL, UNKNOWN))] = names.index(SPECIAL_TOKEN)
    group[facts.role == UNUSED] = names.index(UNUSED_IDS)
    return TokenMap(names, group, np.minimum(facts.num_bytes, MAX_TOKEN_BYTES).astype(np.uint8))
