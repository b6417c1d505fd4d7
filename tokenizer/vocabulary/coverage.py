"""Which tokens of an encoding cover each new token of its extension, so that a model can begin rows from their mean."""

import json
from typing import NamedTuple

from tokenizer.encoding.interface import Encoding
from tokenizer.kinds.byte_merges import replay
from tokenizer.text.well_formed import as_text

FORM = "tokenloupe coverage 1"


class CoveredToken(NamedTuple):
    """A new token, and the ids of the old tokens that its bytes are without it."""

    id: int
    token: bytes
    old_ids: list[int]
    special: bool = False


def coverage(start: Encoding, extended: Encoding) -> list[CoveredToken]:
    """Returns each token of an extension that `start` lacks with the old tokens that cover it.

    The name of a special token is covered by the tokens that it has as text.

    >>> from tokenizer import extended_encoding, get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> coverage(gpt2, extended_encoding(gpt2, [(b" world", b" peace")]))
    [CoveredToken(id=50257, token=b' world peace', old_ids=[995, 4167], special=False)]
    """
    names, found = {id: name for name, id in extended.special_tokens.items()}, []
    for id in extended.ids():
        if start.has_token(id):
            continue
        token = extended.token_bytes(id)
        if id in names:
            found.append(CoveredToken(id, token, start.encode(names[id]), True))
        else:
            found.append(CoveredToken(id, token, replay(token, start.merges)))
    return found


def coverage_json(start: Encoding, extended: Encoding) -> str:
    """Returns the coverage as JSON, a line for each token: its bytes in hexadecimal, its text if it is text.

    >>> from tokenizer import extended_encoding, get_encoding
    >>> gpt2 = get_encoding("gpt2")
    >>> facts = json.loads(coverage_json(gpt2, extended_encoding(gpt2, [(b" world", b" peace")], name="more")))
    >>> facts["start"], facts["tokens"][0]["text"], facts["tokens"][0]["old_ids"]
    ('gpt2', ' world peace', [995, 4167])
    """
    facts = {"form": FORM, "name": extended.name, "start": start.name, "start_sha256": start.fingerprint}
    rows = [
        {
            "id": one.id,
            "bytes": one.token.hex(),
            "text": as_text(one.token),
            "special": one.special,
            "old_ids": one.old_ids,
        }
        for one in coverage(start, extended)
    ]
    lines = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{json.dumps(facts)[:-1]}, "tokens": [\n{lines}\n]}}\n'
