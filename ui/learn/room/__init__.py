"""The class on the teacher's screen: how to join, the poll's results, and the texts that phones sent."""

from base64 import b64encode
from collections.abc import Callable
from functools import partial

from tokenizer.display.qr import qr_svg
from ui.components.component import component
from ui.session import component_events
from ui.session.visitor_state import visitor

KEY = "class_room"

_component = component(__file__, "room")


def room(data: dict, show: Callable[[int], None], remove: Callable[[int], None]) -> None:
    """Draws a room; `show` and `remove` are called with the id of a text that phones sent."""
    callbacks = {"on_show_change": partial(_take, "show", show), "on_remove_change": partial(_take, "remove", remove)}
    data = {**data, "qr": qr(data["address"]), "visitor": visitor().id}
    # `back` comes after a restart of the server: the rerun alone reopens the class
    _component(key=KEY, data=data, on_back_change=lambda: None, **callbacks)


def qr(address: str) -> str:
    """Returns the QR code of an address as a data URL.

    >>> qr("http://192.168.1.5:8501/class/ABCDE")[:26]
    'data:image/svg+xml;base64,'
    """
    return f"data:image/svg+xml;base64,{b64encode(qr_svg(address)).decode()}"


def _take(trigger: str, action: Callable[[int], None]) -> None:
    if isinstance(found := component_events.sent(KEY, trigger), int):
        action(found)
