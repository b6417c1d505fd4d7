"""The colors of tokens: seven tints in turn, found by search so that every reader can tell them apart.

The search kept the ink readable on each and, on dark paper, each a color and not a shade of mud; then it moved every
pair apart in normal color vision, protanopia, deuteranopia and tritanopia alike, neighbors in the cycle most of all.
tests/tokenizer/display/test_palette.py holds what it reached.
"""

LIGHT_PAPER, LIGHT_INK = "#fbfaf7", "#1d1b16"
DARK_PAPER, DARK_INK = "#15161a", "#ece9e2"

LIGHT = ("#dcb9cc", "#fdf0a9", "#b9c9ae", "#cbb8f5", "#ebbc86", "#a2f2f8", "#d9f8dc")
DARK = ("#342283", "#965414", "#6c4e73", "#7a1c1e", "#7151b9", "#542443", "#336e56")
COUNT = len(LIGHT)


def css_variables() -> str:
    """The colors as CSS: one variable for each place in the cycle, which follows the theme.

    >>> css_variables().splitlines()[0]
    '--tok-0: light-dark(#dcb9cc, #342283);'
    """
    pairs = zip(LIGHT, DARK, strict=True)
    return "\n".join(f"--tok-{i}: light-dark({light}, {dark});" for i, (light, dark) in enumerate(pairs))
