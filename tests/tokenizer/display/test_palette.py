"""The token colors: readable on both themes and distinct for every color vision.

Contrast follows WCAG 2.2; color vision follows Machado, Oliveira and Fernandes (2009), severity 1.0, applied in linear
RGB; differences are CIEDE2000.
"""

from itertools import combinations

import numpy as np
import pytest
from oracles import contrast, linear

from tokenizer.display import palette

VISIONS = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
THEMES = {
    "light": (palette.LIGHT, palette.LIGHT_INK, ["#ffffff", palette.LIGHT_PAPER]),
    "dark": (palette.DARK, palette.DARK_INK, [palette.DARK_PAPER]),
}


@pytest.mark.parametrize("theme, least", [("light", 9.5), ("dark", 4.8)])
def test_ink_has_enough_contrast_on_every_color(theme, least):
    colors, ink, _ = THEMES[theme]
    assert min(contrast(color, ink) for color in colors) >= least


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("theme, least, least_near", [("light", 8, 12), ("dark", 12.5, 16)])
def test_every_pair_of_colors_differs_in_every_color_vision(theme, vision, least, least_near):
    colors, _, papers = THEMES[theme]
    seen = [lab(color, VISIONS[vision]) for color in colors]
    assert min(ciede2000(a, b) for a, b in combinations(seen, 2)) >= least
    near = [(i, (i + 1) % len(seen)) for i in range(len(seen))]
    assert min(ciede2000(seen[i], seen[j]) for i, j in near) >= least_near
    page = [lab(paper, VISIONS[vision]) for paper in papers]
    assert min(ciede2000(a, b) for a in seen for b in page) >= 5


def test_css_variables_name_each_color_once():
    lines = palette.css_variables().split("\n")
    assert lines[0] == f"--tok-0: light-dark({palette.LIGHT[0]}, {palette.DARK[0]});"
    assert len(lines) == palette.NUM_COLORS == len(set(palette.LIGHT)) == len(set(palette.DARK))


@pytest.mark.parametrize(
    "first, second, difference",
    # From the test data of Sharma, Wu and Dalal (2005), pairs 1, 7, 17, 25 and 34.
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 0, 0), (50, -1, 2), 2.3669),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((2.0776, 0.0795, -1.1350), (0.9033, -0.0636, -0.5514), 0.9082),
    ],
)
def test_ciede2000_oracle_gives_the_published_values(first, second, difference):
    assert ciede2000(first, second) == pytest.approx(difference, abs=5e-5)


def lab(color, vision):
    """CIE L*a*b* (D65) of a color under a color vision."""
    to_xyz = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    )
    xyz = to_xyz @ np.clip(vision @ linear(color), 0, 1) / [0.95047, 1, 1.08883]
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16) / 116)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(first, second):
    """The difference of two L*a*b* colors, in the steps and names of Sharma, Wu and Dalal (2005)."""
    (l1, a1, b1), (l2, a2, b2) = first, second
    c7 = ((np.hypot(a1, b1) + np.hypot(a2, b2)) / 2) ** 7
    scale = 1.5 - 0.5 * np.sqrt(c7 / (c7 + 25**7))
    c1, c2 = np.hypot(scale * a1, b1), np.hypot(scale * a2, b2)
    h1, h2 = (np.degrees(np.arctan2(b, scale * a)) % 360 for a, b in ((a1, b1), (a2, b2)))

    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0
    delta_l, delta_c, delta_h = l2 - l1, c2 - c1, 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    mean_h = (h1 + turn / 2) % 360 if c1 * c2 else h1 + h2

    def cos(factor, shift):
        return np.cos(np.radians(factor * mean_h + shift))

    t = 1 - 0.17 * cos(1, -30) + 0.24 * cos(2, 0) + 0.32 * cos(3, 6) - 0.2 * cos(4, -63)
    s_l = 1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2)
    s_c, s_h = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    bend = np.sin(np.radians(60 * np.exp(-(((mean_h - 275) / 25) ** 2))))
    r_t = -2 * np.sqrt(mean_c**7 / (mean_c**7 + 25**7)) * bend
    l, c, h = delta_l / s_l, delta_c / s_c, delta_h / s_h  # noqa: E741
    return float(np.sqrt(l**2 + c**2 + h**2 + r_t * c * h))
