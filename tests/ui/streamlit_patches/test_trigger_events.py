"""Callbacks of component events equal Streamlit's, without JSON; a changed Streamlit is not patched."""

import json
from unittest.mock import Mock

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.session_state import SessionState

from ui.streamlit_patches import internals, trigger_events

SENT = [
    [{"event": "commit", "value": {"text": "a"}}, {"event": "read"}, {"event": "commit"}],
    {"event": "read", "value": 1},
    [{"event": "unknown"}, {"event": 5}, {}, 7, None, ["event"]],
    [],
    "commit",
    None,
]


@pytest.fixture(autouse=True)
def restore_streamlit(monkeypatch):
    def call(self, votes, callback_fn, cb_metadata, cb_args, cb_kwargs):  # Streamlit's own needs a running script
        callback_fn(*cb_args, **cb_kwargs)

    monkeypatch.setattr(SessionState, trigger_events.CALL, call)
    monkeypatch.setattr(
        SessionState, trigger_events.PATCHED_METHOD, getattr(SessionState, trigger_events.PATCHED_METHOD)
    )
    internals.reported.clear()


def ours(caplog) -> list:
    """Returns the app's log records, without Streamlit's."""
    return [record for record in caplog.records if record.name == internals.log.name]


def called_by(sent: object) -> tuple[list[str], int]:
    """Returns the callbacks that a session calls for sent events, and how often it serialized JSON."""
    names, written = [], []
    metadata = WidgetMetadata(
        "component",
        deserializer=lambda text: json.loads(text) if text else None,
        serializer=lambda value: written.append(value) or json.dumps(value),
        value_type="json_trigger_value",
        callbacks={name: lambda name=name: names.append(name) for name in ("commit", "read")},
    )
    state, message = SessionState(), WidgetStates()
    state._set_widget_metadata(metadata)
    message.widgets.add(id="component", json_trigger_value=json.dumps(sent))
    state.on_script_will_rerun(message)
    return names, len(written)


@pytest.mark.parametrize("sent", SENT)
def test_patch_calls_the_same_callbacks_without_json(sent):
    names, _ = called_by(sent)
    trigger_events.apply()
    assert called_by(sent) == (names, 0)


@pytest.mark.parametrize(("value_type", "sent"), [("json_trigger_value", ()), ("trigger_value_of_later", [])])
def test_events_of_a_later_kind_are_left_to_streamlit(monkeypatch, value_type, sent):
    def dispatch(self, votes, wid, metadata, args, kwargs):
        asked.append(wid)

    asked, metadata = [], Mock(value_type=value_type)
    monkeypatch.setattr(SessionState, trigger_events.PATCHED_METHOD, dispatch)
    trigger_events.apply()
    state = SessionState()
    state._new_widget_state = {"component": sent}
    getattr(state, trigger_events.PATCHED_METHOD)(None, "component", metadata, (), {})
    assert asked == ["component"]


def test_streamlit_alone_serializes_the_events():
    assert called_by(SENT[0]) == (["commit", "read", "commit"], 1)


@pytest.mark.parametrize("name", [trigger_events.PATCHED_METHOD, trigger_events.CALL])
def test_changed_signature_is_not_patched(monkeypatch, caplog, name):
    monkeypatch.setattr(SessionState, name, later := lambda self, event: None)
    trigger_events.apply()
    trigger_events.apply()
    assert len(ours(caplog)) == 1 and getattr(SessionState, name) is later
    assert not hasattr(getattr(SessionState, trigger_events.PATCHED_METHOD), "replaces")


def test_failing_patch_falls_back_to_streamlit(monkeypatch, caplog):
    trigger_events.apply()
    monkeypatch.setattr(trigger_events, "callbacks_of", lambda *given: 1 / 0)
    for _ in range(2):
        assert called_by(SENT[0])[0] == ["commit", "read", "commit"]
    assert len(ours(caplog)) == 1


def test_callback_errors_are_raised(monkeypatch, caplog):
    trigger_events.apply()
    monkeypatch.setattr(SessionState, trigger_events.CALL, lambda *given, **named: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        called_by(SENT[0])
    assert not ours(caplog)


def test_patch_can_be_switched_off(monkeypatch):
    before = getattr(SessionState, trigger_events.PATCHED_METHOD)
    monkeypatch.setenv(internals.PATCHES_VARIABLE, "off")
    trigger_events.apply()
    assert getattr(SessionState, trigger_events.PATCHED_METHOD) is before
