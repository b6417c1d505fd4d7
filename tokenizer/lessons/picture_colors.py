"""CSS colors of a picture's pixels and of the ids of its patches; they need no image files and no SVG."""

from itertools import accumulate, groupby

import numpy as np

DARK, LIGHT = "#000", "#fff"


def color_stops(row: list[list[int]]) -> str:
    """Returns the color stops of a row of pixels, as a gradient takes them.

    >>> color_stops([[0, 0, 0], [0, 0, 0], [9, 9, 9], [0, 0, 0]])
    'rgb(0,0,0) 0% 50%,rgb(9,9,9) 50% 75%,rgb(0,0,0) 75% 100%'
    """
    colors = [(color, len(list(same))) for color, same in groupby(row)]
    ends = list(accumulate(size for _, size in colors))
    places = zip(colors, [0, *ends], ends, strict=False)
    return ",".join(
        f"rgb({','.join(map(str, color))}) {100 * start / len(row):g}% {100 * end / len(row):g}%"
        for (color, _), start, end in places
    )


def patch_colors(patch: np.ndarray) -> str:
    """Returns the style of a patch's id: the mean color of the patch, and a readable ink."""
    color = patch.reshape(-1, 3).mean(axis=0)
    red, green, blue = (round(one) for one in color.tolist())
    return f"background:rgb({red},{green},{blue});color:{ink(color)}"


def ink(color: np.ndarray) -> str:
    """Returns black or white, whichever has more contrast (WCAG 2) on a color.

    >>> ink(np.array([250, 240, 90])), ink(np.array([20, 30, 90]))
    ('#000', '#fff')
    """
    srgb = np.asarray(color, float) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return DARK if (luminance + 0.05) ** 2 > 1.05 * 0.05 else LIGHT
