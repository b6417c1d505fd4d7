"""Rows of numbers on the wire: how many rows, the length of each, then the rows, little-endian 32-bit numbers."""

import numpy as np


def packed(*rows) -> bytes:
    """Returns rows of numbers from 0 to 2**32 - 1 as `wire.js` reads them.

    >>> packed([7], []).hex(" ", 4)
    '02000000 01000000 00000000 07000000'
    """
    arrays = [np.asarray(row, dtype="<u4") for row in rows]
    head = np.array([len(arrays), *map(len, arrays)], dtype="<u4")
    return b"".join(array.tobytes() for array in (head, *arrays))
