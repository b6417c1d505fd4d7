"""The messages of a page that reach Streamlit, and the run steps in its answers."""

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from server.limits.message_complexity import MAX_FIELDS, MAX_JSON_STRUCTURE_BYTES
from ui.streamlit_patches import internals, page_messages
from ui.streamlit_patches.page_messages import (
    MAX_FILE_NAMES,
    MAX_ID_CHARACTERS,
    MAX_MESSAGE_HASHES,
    MAX_QUERY_CHARACTERS,
    MAX_WIDGETS,
    RunStep,
    Step,
    Undecodable,
)

COMPLEX_JSON = "[" + "0," * MAX_JSON_STRUCTURE_BYTES + "0]"
messages = page_messages.load()


def rerun(widgets: int = 0, hashes: int = 0, query: int = 0) -> BackMsg:
    message = BackMsg()
    message.rerun_script.query_string = "x" * query
    message.rerun_script.cached_message_hashes.extend(map(str, range(hashes)))
    for i in range(widgets):
        message.rerun_script.widget_states.widgets.add(id=str(i), trigger_value=True)
    return message


def with_widget(id: str = "a", **value: str) -> BackMsg:
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id=id, **value)
    return message


def upload(names: int) -> BackMsg:
    message = BackMsg()
    message.file_urls_request.file_names.extend(map(str, range(names)))
    return message


def operation(payload: str = "deferred_file", **ids: str) -> BackMsg:
    message = BackMsg(backend_operation_request=ids)
    getattr(message.backend_operation_request, payload).SetInParent()
    return message


@pytest.mark.parametrize(
    ("message", "is_read"),
    [
        (rerun(widgets=MAX_WIDGETS, hashes=MAX_MESSAGE_HASHES), True),
        (rerun(widgets=MAX_WIDGETS + 1), False),
        (rerun(hashes=MAX_MESSAGE_HASHES + 1), False),
        (rerun(query=MAX_QUERY_CHARACTERS), True),
        (rerun(query=MAX_QUERY_CHARACTERS + 1), False),
        (upload(MAX_FILE_NAMES), True),
        (upload(MAX_FILE_NAMES + 1), False),
        (BackMsg(stop_script=True), True),
        (BackMsg(clear_cache=True), False),
        (BackMsg(load_git_info=True), False),
        (BackMsg(set_run_on_save=True), False),
        (BackMsg(), False),
        (operation(request_id="a-1", session_id="b-2"), True),
        (operation(request_id="a" * (MAX_ID_CHARACTERS + 1)), False),
        (operation(session_id="a\nthe next line of the log"), False),
        (BackMsg(backend_operation_request={"deferred_file": {"file_id": "\x1b[2J"}}), False),
        (BackMsg(rerun_script={"fragment_id": "a" * (MAX_ID_CHARACTERS + 1)}), False),
        (operation("install_skills"), False),
        (operation("dismiss_skills_nudge"), False),
        (operation("dataframe_chunk"), False),
        (BackMsg(backend_operation_request={}), False),
        (with_widget(json_trigger_value=COMPLEX_JSON), False),
        (with_widget(json_value=COMPLEX_JSON), False),
        (with_widget("$$ID-1-rows_selection", string_value=COMPLEX_JSON), False),
        (with_widget("$$ID-1-ids", string_value=COMPLEX_JSON), True),  # a typed text
        (with_widget(json_trigger_value=f'"{COMPLEX_JSON}"'), True),
    ],
)
def test_unknown_and_too_large_backmsgs_are_dropped(message, is_read):
    assert messages.read(message.SerializeToString()) == (message if is_read else None)


def test_undecodable_bytes_raise():
    with pytest.raises(Undecodable):
        messages.read(b"\xff")


def test_message_of_many_fields_is_complex():
    message = BackMsg()
    message.rerun_script.widget_states.widgets.add(id="a").string_array_value.data.extend([""] * MAX_FIELDS)
    assert messages.is_complex(message.SerializeToString()) and not messages.is_complex(rerun(9).SerializeToString())


@pytest.mark.parametrize("widget", [{"trigger_value": True}, {"json_trigger_value": "[]"}, {"string_value": "a"}, {}])
def test_has_trigger_detects_trigger_values_only(widget):
    assert messages.has_trigger(with_widget(**widget)) == any(name.endswith("trigger_value") for name in widget)


def forward(**parts) -> bytes:
    message = ForwardMsg(hash="h")
    message.metadata.SetInParent()
    for name, value in parts.items():
        if isinstance(value, dict):
            getattr(message, name).SetInParent()
            for key, one in value.items():
                setattr(getattr(message, name), key, one)
        else:
            setattr(message, name, value)
    return message.SerializeToString()


@pytest.mark.parametrize(
    ("data", "step"),
    [
        (forward(new_session={"page_script_hash": "a"}), RunStep(Step.BEGINS, "a")),
        (forward(navigation={"page_script_hash": "b"}), RunStep(Step.DRAWS, "b")),
        (forward(delta={}), RunStep(Step.DRAWS)),
        (forward(script_finished=0), RunStep(Step.ENDS)),
        (forward(ref_hash="r"), RunStep(Step.DRAWS)),
        (forward(session_event={"script_changed_on_disk": True}), RunStep(Step.OTHER)),
        (forward(), RunStep(Step.OTHER)),
        (b"\x0a\xff", RunStep(Step.OTHER)),
        (b"", RunStep(Step.OTHER)),
    ],
)
def test_step_is_read_from_a_forwardmsg(data, step):
    assert messages.step(data) == step


class Renamed:
    """A protobuf class as of a later Streamlit release, without one field."""

    def __init__(self, field: str):
        self.DESCRIPTOR = BackMsg.DESCRIPTOR
        if field:
            known = {name: one for name, one in BackMsg.DESCRIPTOR.fields_by_name.items() if name != field}
            self.DESCRIPTOR = type("Later", (), {"fields_by_name": known, "oneofs": BackMsg.DESCRIPTOR.oneofs})


def test_renamed_streamlit_fields_disable_the_patch_with_one_log_line(monkeypatch, caplog):
    internals.reported.clear()
    monkeypatch.setattr(page_messages, "find", lambda path: Renamed("rerun_script"))
    assert page_messages.load() is None and len(caplog.records) == 1
    internals.reported.clear()
    monkeypatch.setattr(page_messages, "BACK_MESSAGE", "streamlit.proto.BackMsg_pb2:Later")
    monkeypatch.setattr(page_messages, "find", internals.find)
    assert page_messages.load() is None and len(caplog.records) == 2


def test_messages_are_not_loaded_where_patches_are_off(monkeypatch, caplog):
    monkeypatch.setenv(internals.PATCHES_VARIABLE, "off")
    assert page_messages.load() is None and not caplog.records
