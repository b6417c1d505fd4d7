"""Rows of numbers on the wire: how many rows, the length of each, then the rows, little-endian 32-bit numbers."""

import numpy as np


def pack_rows(*rows) -> bytes:
    """Returns rows of numbers from 0 to 2**32 - 1 as `wire-format.js` reads them.

    >>> pack_rows([7], []).hex(" ", 4)
    '02000000 01000000 00000000 07000000'
    """
    arrays = [np.asarray(row, dtype="<u4") for row in rows]
    head = np.array([len(arrays), *map(len, arrays)], dtype="<u4")
    return b"".join(array.tobytes() for array in (head, *arrays))


def as_32_bit_rows(*rows) -> list[np.ndarray]:
    """Returns rows that can be packed: where a number has more than 32 bits, the upper halves are as many rows more.

    >>> [row.tolist() for row in as_32_bit_rows([7], [1])], [row.tolist() for row in as_32_bit_rows([7], [2**33 + 1])]
    ([[7], [1]], [[7], [1], [0], [2]])
    """
    as_64_bits = [np.asarray(row, dtype=np.int64) for row in rows]
    if max(int(row.max(initial=0)) for row in as_64_bits) < 1 << 32:
        return as_64_bits
    return [*(row & 0xFFFFFFFF for row in as_64_bits), *(row >> 32 for row in as_64_bits)]
