"""The share of places that one address may take."""

MAX_ADDRESS_SHARE = 3 / 4  # of the places not taken by other addresses; the most that one address gets


def is_within_share(own: int, others: int, max_places: int) -> bool:
    """Whether an address that has `own` places may take one more, where other addresses have `others`.

    >>> is_within_share(74, 0, 100), is_within_share(75, 0, 100), is_within_share(15, 80, 100)
    (True, False, False)
    """
    return own < MAX_ADDRESS_SHARE * (max_places - others)
