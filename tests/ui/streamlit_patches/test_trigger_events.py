"""The callbacks of components' events: the same as Streamlit calls, without its JSON; its own where it has changed."""

import json

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
def as_before(monkeypatch):
    def call(self, votes, callback_fn, cb_metadata, cb_args, cb_kwargs):  # Streamlit's needs a script that runs
        callback_fn(*cb_args, **cb_kwargs)

    monkeypatch.setattr(SessionState, trigger_events.CALL, call)
    monkeypatch.setattr(SessionState, trigger_events.NAME, getattr(SessionState, trigger_events.NAME))
    internals.report.cache_clear()


def ours(caplog) -> list:
    """What the app logged, not Streamlit."""
    return [record for record in caplog.records if record.name == internals.log.name]


def called_by(sent: object) -> tuple[list[str], int]:
    """The names of the callbacks that a session calls for what a component sent, and how often it wrote JSON."""
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
def test_the_same_callbacks_are_called_without_writing_json(sent):
    names, _ = called_by(sent)
    trigger_events.apply()
    assert called_by(sent) == (names, 0)


def test_streamlit_alone_writes_what_was_sent():
    assert called_by(SENT[0]) == (["commit", "read", "commit"], 1)


@pytest.mark.parametrize("name", [trigger_events.NAME, trigger_events.CALL])
def test_another_signature_leaves_streamlit_as_it_is(monkeypatch, caplog, name):
    monkeypatch.setattr(SessionState, name, later := lambda self, event: None)
    trigger_events.apply()
    trigger_events.apply()
    assert len(ours(caplog)) == 1 and getattr(SessionState, name) is later
    assert not hasattr(getattr(SessionState, trigger_events.NAME), "replaces")


def test_what_fails_inside_leaves_the_rest_to_streamlit(monkeypatch, caplog):
    trigger_events.apply()
    monkeypatch.setattr(trigger_events, "called", lambda *given: 1 / 0)
    for _ in range(2):
        assert called_by(SENT[0])[0] == ["commit", "read", "commit"]
    assert len(ours(caplog)) == 1


def test_an_error_of_a_callback_is_not_taken_for_one_of_the_patch(monkeypatch, caplog):
    trigger_events.apply()
    monkeypatch.setattr(SessionState, trigger_events.CALL, lambda *given, **named: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        called_by(SENT[0])
    assert not ours(caplog)


def test_it_can_be_switched_off(monkeypatch):
    before = getattr(SessionState, trigger_events.NAME)
    monkeypatch.setenv(internals.SWITCH, "off")
    trigger_events.apply()
    assert getattr(SessionState, trigger_events.NAME) is before
