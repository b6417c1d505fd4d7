"""Renders a picture, the ids of its patches, and the rebuilt picture as HTML."""

from html import escape
from itertools import accumulate, groupby

import numpy as np

from tokenizer.lessons.pictures import Coded
from tokenizer.lessons.wording import Words

DARK, LIGHT = "#000", "#fff"


def patches(coded: Coded, page: Words) -> str:
    """Returns the three side by side."""
    before = _figure(_image(coded.pixels, page.said["labels"]["picture"]), page.said["labels"]["picture"])
    ids = _figure(_grid(coded), page.said["labels"]["ids"])
    after = _figure(_image(coded.rebuilt, page.said["labels"]["rebuilt"]), page.said["labels"]["rebuilt"])
    return f'<div class="learn-patches">{before}{ids}{after}</div>'


def _figure(drawn: str, label: str) -> str:
    return f"<figure>{drawn}<figcaption>{escape(label)}</figcaption></figure>"


def _image(pixels: np.ndarray, label: str) -> str:
    """Returns a gradient for each row of pixels, which works without image files and SVG."""
    stripes = "".join(f'<i style="background:linear-gradient(90deg,{_stops(row.tolist())})"></i>' for row in pixels)
    return f'<div class="pixels" role="img" aria-label="{escape(label)}">{stripes}</div>'


def _stops(row: list[list[int]]) -> str:
    """Returns the color stops of a row in percent.

    >>> _stops([[0, 0, 0], [0, 0, 0], [9, 9, 9], [0, 0, 0]])
    'rgb(0,0,0) 0% 50%,rgb(9,9,9) 50% 75%,rgb(0,0,0) 75% 100%'
    """
    colors = [(color, len(list(same))) for color, same in groupby(row)]
    ends = list(accumulate(size for _, size in colors))
    places = zip(colors, [0, *ends], ends, strict=False)
    return ",".join(
        f"rgb({','.join(map(str, color))}) {100 * start / len(row):g}% {100 * end / len(row):g}%"
        for (color, _), start, end in places
    )


def _grid(coded: Coded) -> str:
    """Returns a cell for each patch: its id on the mean color of its codebook entry."""
    cells = [_cell(id, coded.codebook[id].reshape(-1, 3).mean(axis=0)) for id in coded.ids.ravel()]
    across = coded.ids.shape[1]
    rows = ["".join(cells[i : i + across]) for i in range(0, len(cells), across)]
    return f"<table><tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"


def _cell(id: int, color: np.ndarray) -> str:
    red, green, blue = (round(one) for one in color.tolist())
    return f'<td style="background:rgb({red},{green},{blue});color:{ink(color)}">{id}</td>'


def ink(color: np.ndarray) -> str:
    """Returns black or white, whichever has more contrast (WCAG 2) on a color.

    >>> ink(np.array([250, 240, 90])), ink(np.array([20, 30, 90]))
    ('#000', '#fff')
    """
    srgb = np.asarray(color, float) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    luminance = float(linear @ [0.2126, 0.7152, 0.0722])
    return DARK if (luminance + 0.05) ** 2 > 1.05 * 0.05 else LIGHT
