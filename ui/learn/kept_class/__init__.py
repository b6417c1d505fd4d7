"""What the teacher's browser keeps of a class, to open it again after a reload or a restart of the server."""

from collections.abc import Callable
from functools import partial

from ui.components.component import component
from ui.session import component_events
from ui.session.visitor_state import visitor

KEY = "kept_class"

_component = component(__file__, "kept_class")


def keep(now: dict | None, is_over: bool, came: Callable[[dict], None]) -> None:
    """Lets the browser keep the class that is open, or forget it; `came` hears of one that was kept before a reload."""
    data = {"now": now, "over": is_over, "elsewhere": False, "visitor": visitor().id}
    _component(key=KEY, data=data, on_before_change=partial(_take, came))


def attend() -> None:
    """Lets the browser open its class again on other pages, too, if the server was started anew."""
    _component(key=KEY, data={"now": None, "over": False, "elsewhere": True, "visitor": visitor().id})


def _take(came: Callable[[dict], None]) -> None:
    if isinstance(found := component_events.sent(KEY, "before"), dict):
        came(found)
