"""The tree of merges under a token: its halves, their halves, down to the base symbols."""

from collections.abc import Callable
from html import escape
from typing import NamedTuple

from tokenizer.display.readable import readable
from tokenizer.i18n import mark, tr
from tokenizer.training.training_history import TrainingHistory

MAX_NODES = 199  # drawn at once; a tree of pairs always has an odd number
MAX_FAMILY_TREE_NODES = 39  # a larger tree is drawn as nested lists; as a family tree it would be too wide


class Node(NamedTuple):
    """A token in a tree; `child` is the index of its first half in the list of nodes, 0 if they are not drawn."""

    symbol: int
    child: int = 0


def tree(history: TrainingHistory, symbol: int, max_nodes: int = MAX_NODES) -> str:
    """Returns the tree under a symbol as nested HTML lists, with a note if it is cut."""
    first = len(history.base)

    def halves(one: int) -> tuple[int, int] | None:
        return None if one < first else (int(history.left[one - first]), int(history.right[one - first]))

    nodes, total = top_of_tree(symbol, halves, max_nodes), num_nodes(history, symbol)
    sentence = mark("The first {n:,} of the {total:,} nodes of the tree are shown, from the top.")
    cut, label = escape(tr(sentence, n=len(nodes), total=total)), escape(tr("Tree of merges"))
    note, family = (
        f"<p>{cut}</p>" if len(nodes) < total else "",
        " family" if len(nodes) <= MAX_FAMILY_TREE_NODES else "",
    )
    # left to right, the order of bytes, in every script; each token's text has its own direction
    return (
        f'{note}<div class="merges{family}" dir="ltr" role="region" tabindex="0" aria-label="{label}">'
        f"<ul>{_item(history, nodes, 0)}</ul></div>"
    )


def top_of_tree(symbol: int, halves: Callable[[int], tuple[int, int] | None], max_nodes: int) -> list[Node]:
    """Returns the nodes of a tree from the top, row by row, until there would be more than `max_nodes`."""
    nodes = [Node(symbol)]
    for place, node in enumerate(nodes):  # grows in the loop
        if len(nodes) + 2 <= max_nodes and (pair := halves(node.symbol)):
            nodes[place] = Node(node.symbol, len(nodes))
            nodes += map(Node, pair)
    return nodes


def num_nodes(history: TrainingHistory, symbol: int) -> int:
    """Returns the number of nodes of the whole tree under a symbol."""
    if history.alphabet == "tokens":
        open_ones, total, first = [symbol], 0, len(history.base)
        while open_ones:
            total, one = total + 1, open_ones.pop() - first
            open_ones += [int(history.left[one]), int(history.right[one])] if one >= 0 else []
        return total
    token = history.tokens[symbol]
    return 2 * len(token if history.alphabet == "bytes" else token.decode()) - 1


def _item(history: TrainingHistory, nodes: list[Node], place: int) -> str:
    symbol, child = nodes[place]
    token, step = history.tokens[symbol], symbol - len(history.base)
    base = {"bytes": tr("byte"), "tokens": tr("old token")}.get(history.alphabet) or tr("character")
    id, made = escape(tr("id {id}", id=symbol)), escape(tr("merge {n:,}", n=step + 1) if step >= 0 else base)
    hidden = 0 if child else num_nodes(history, symbol) - 1
    below = " <i>" + escape(tr("{n:,} nodes below", n=hidden)) + "</i>" if hidden else ""
    if child:
        below = f"<ul>{_item(history, nodes, child)}{_item(history, nodes, child + 1)}</ul>"
    leaf = "" if step >= 0 else ' class="leaf"'
    data = f' data-bytes="{token.hex()}"' if not child else ""
    text = escape(readable(token, 40))
    return f"<li{leaf}{data}><b><bdi>{text}</bdi></b> <small>{id} <span>{made}</span></small>{below}</li>"
