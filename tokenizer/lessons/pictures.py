"""Encodes a small picture as ids: its patches are replaced by the nearest entries of a codebook."""

from hashlib import sha256
from typing import NamedTuple

import numpy as np

SIDE_PIXELS = 32  # of the picture
PATCH_PIXELS = 4  # of the side of a patch
EYES = ((12, 11), (12, 20))
MAX_CLUSTERING_ROUNDS = 100  # of k-means, which usually converges earlier


class Coded(NamedTuple):
    """A picture, the ids of its patches in rows, the codebook, and the rebuilt picture."""

    pixels: np.ndarray
    ids: np.ndarray
    codebook: np.ndarray  # a patch for each entry
    rebuilt: np.ndarray


def code(pixels: np.ndarray, entries: int) -> Coded:
    """Encodes a picture with a codebook of `entries` entries, or fewer if it has fewer different patches.

    >>> found = code(face("Mali"), 8)
    >>> found.ids.shape, len(found.codebook), found.rebuilt.shape
    ((8, 8), 8, (32, 32, 3))
    """
    cut = patches(pixels)
    centers, ids = k_means(cut.reshape(len(cut), -1).astype(float), entries)
    codebook = centers.round().astype(np.uint8).reshape(-1, PATCH_PIXELS, PATCH_PIXELS, 3)
    across = SIDE_PIXELS // PATCH_PIXELS
    rebuilt = codebook[ids].reshape(across, across, PATCH_PIXELS, PATCH_PIXELS, 3).swapaxes(1, 2).reshape(pixels.shape)
    return Coded(pixels, ids.reshape(across, across), codebook, rebuilt)


def patches(pixels: np.ndarray) -> np.ndarray:
    """Returns the patches of a picture, row by row."""
    across = SIDE_PIXELS // PATCH_PIXELS
    cut = pixels.reshape(across, PATCH_PIXELS, across, PATCH_PIXELS, 3).swapaxes(1, 2)
    return cut.reshape(across**2, PATCH_PIXELS, PATCH_PIXELS, 3)


def k_means(points: np.ndarray, entries: int) -> tuple[np.ndarray, np.ndarray]:
    """Returns the centers of the clusters, and the index of each point's center.

    Deterministic: it starts with the first point, and then with the point farthest from all chosen ones.

    >>> k_means(np.array([[0.0], [1.0], [9.0]]), 2)[1].tolist()
    [0, 0, 1]
    """
    centers = _far_apart(points, entries)
    for _ in range(MAX_CLUSTERING_ROUNDS):
        ids = _distances(points, centers).argmin(axis=1)
        means = np.array([points[ids == i].mean(axis=0) if (ids == i).any() else one for i, one in enumerate(centers)])
        if np.array_equal(means, centers):
            break
        centers = means
    return centers, _distances(points, centers).argmin(axis=1)


def _far_apart(points: np.ndarray, entries: int) -> np.ndarray:
    chosen = points[:1]
    while len(chosen) < entries and (far := _distances(points, chosen).min(axis=1)).max() > 0:
        chosen = np.vstack([chosen, points[far.argmax()]])
    return chosen


def _distances(points: np.ndarray, centers: np.ndarray) -> np.ndarray:
    return ((points[:, None] - centers) ** 2).sum(axis=2)


def face(text: str) -> np.ndarray:
    """Returns a face whose colors and mouth depend only on a text.

    >>> face("Mali").shape, bool((face("Mali") == face("Somchai")).all())
    ((32, 32, 3), False)
    """
    seed = sha256(text.encode()).digest()
    y, x = np.mgrid[:SIDE_PIXELS, :SIDE_PIXELS]
    sky, ground, skin = (np.array(list(seed[i : i + 3]), float) for i in (0, 3, 6))
    slope = (y / (SIDE_PIXELS - 1))[..., None]
    picture = (1 - slope) * sky + slope * ground
    picture[(x - 15.5) ** 2 + (y - 15.5) ** 2 < 13**2] = 120 + skin / 2  # light, so that eyes and mouth are visible
    for row, column in EYES:
        picture[(x - column) ** 2 + (y - row) ** 2 < 4] = 20
    smile = (seed[9] - 127.5) / 127.5 * 4
    picture[(abs(y - 21 - smile * (1 - ((x - 15.5) / 6) ** 2)) < 1) & (abs(x - 15.5) < 6)] = 20
    return picture.round().astype(np.uint8)
