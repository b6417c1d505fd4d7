"""The colors of tokens: a cycle of seven tints, found by a search for distinguishable colors.

The search kept text readable on each tint and dark tints saturated. It maximized the distance of every pair in normal
color vision, protanopia, deuteranopia and tritanopia, most for neighbors in the cycle.
tests/tokenizer/display/test_palette.py checks the distances.
"""

LIGHT_PAPER, LIGHT_INK = "#fbfaf7", "#1d1b16"
DARK_PAPER, DARK_INK = "#15161a", "#ece9e2"

LIGHT = ("#dcb9cc", "#fdf0a9", "#b9c9ae", "#cbb8f5", "#ebbc86", "#a2f2f8", "#d9f8dc")
DARK = ("#342283", "#965414", "#6c4e73", "#7a1c1e", "#7151b9", "#542443", "#336e56")
NUM_COLORS = len(LIGHT)


def css_variables() -> str:
    """Returns the colors as CSS variables that follow the theme.

    >>> css_variables().splitlines()[0]
    '--tok-0: light-dark(#dcb9cc, #342283);'
    """
    pairs = zip(LIGHT, DARK, strict=True)
    return "\n".join(f"--tok-{i}: light-dark({light}, {dark});" for i, (light, dark) in enumerate(pairs))


def css_classes(property: str = "background-color") -> str:
    """Returns a class for each color, which sets a CSS property to it.

    >>> css_classes("--tok").splitlines()[0]
    '.c0 { --tok: var(--tok-0); }'
    """
    return "\n".join(f".c{i} {{ {property}: var(--tok-{i}); }}" for i in range(NUM_COLORS))


def component_css(*sheets: str) -> str:
    """Returns the style sheet of a component's shadow root: the colors as variables, their classes, and `sheets`.

    >>> component_css(".t { background-color: var(--tok); }").splitlines()[-1]
    '.t { background-color: var(--tok); }'
    """
    return "\n".join([f":host {{ {css_variables()} }}", css_classes("--tok"), *sheets])
