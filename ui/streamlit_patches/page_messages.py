"""The messages between a page in a browser and Streamlit: BackMsg to the server, ForwardMsg to the browser.

Both are protobuf messages. Their wire format connects Streamlit's browser and server code, so it changes less often
than internal names; this module still checks each name that it uses, and `load` returns None if one is missing.
"""

from enum import Enum
from typing import Any, NamedTuple

from google.protobuf.message import DecodeError

from server.limits.message_complexity import exceeds_field_limit, exceeds_json_limit, read_varint
from ui.streamlit_patches.internals import Missing, are_off, find, guarded

# The types that our pages send; others are dropped, since any visitor could clear all caches or run git with them.
ALLOWED_TYPES = ("rerun_script", "stop_script", "app_heartbeat", "file_urls_request", "backend_operation_request")
ALLOWED_OPERATION = "deferred_file"  # a download; others write to the server's disk, or read tables that we never send
MAX_WIDGETS, MAX_MESSAGE_HASHES, MAX_FILE_NAMES, MAX_QUERY_CHARACTERS = 1_000, 10_000, 100, 200_000
MAX_ID_CHARACTERS = 100  # of an id that Streamlit writes to the log where it does not know it

BACK_MESSAGE, FORWARD_MESSAGE = "streamlit.proto.BackMsg_pb2:BackMsg", "streamlit.proto.ForwardMsg_pb2:ForwardMsg"
CHECK = "The check of page messages"
# Streamlit parses the values of components as JSON, and selections in tables and charts, whose keys have this suffix.
JSON_VALUES, SELECTION = ("json_value", "json_trigger_value"), "_selection"
RERUN_FIELDS = (
    "query_string",
    "widget_states",
    "page_script_hash",
    "fragment_id",
    "is_auto_rerun",
    "cached_message_hashes",
)


class Undecodable(ValueError):
    """A message is not a BackMsg."""


class Step(Enum):
    """A step of a script's run that a message to the browser announces."""

    BEGINS = "begins"  # callbacks run next
    DRAWS = "draws"  # callbacks are done
    ENDS = "ends"
    DOWNLOADED = "downloaded"  # the file of a download is made
    OTHER = "other"


class RunStep(NamedTuple):
    """A step of a run, and the hash of the page that the message names, or ""."""

    step: Step
    page: str = ""


class PageMessages:
    """Reads messages of both directions by the protobuf classes of the installed Streamlit.

    `announces_runs` is whether a message has said that a run begins; None before one was awaited.
    """

    announces_runs: bool | None = None

    def __init__(self, back: Any, forward: Any):
        self._back, self._forward = back, forward
        [kind] = back.DESCRIPTOR.oneofs
        self._type, kinds = kind.name, {field.name for field in kind.fields}
        rerun = back.DESCRIPTOR.fields_by_name["rerun_script"].message_type.fields_by_name
        widget = rerun["widget_states"].message_type.fields_by_name["widgets"].message_type
        [self._value] = (one.name for one in widget.oneofs)
        operation = back.DESCRIPTOR.fields_by_name["backend_operation_request"].message_type.fields_by_name
        if not {*ALLOWED_TYPES} <= kinds or not {*RERUN_FIELDS} <= {*rerun} or ALLOWED_OPERATION not in operation:
            raise Missing(BACK_MESSAGE)
        fields = forward.DESCRIPTOR.fields_by_name
        self._new_session, self._navigation = fields["new_session"].number, fields["navigation"].number
        steps = {"script_finished": Step.ENDS, "backend_operation_response": Step.DOWNLOADED}
        steps |= dict.fromkeys(("delta", "page_config_changed", "page_info_changed", "ref_hash"), Step.DRAWS)
        self._steps = {fields[name].number: step for name, step in steps.items()}
        self._types = {field.number for one in forward.DESCRIPTOR.oneofs for field in one.fields}
        for name in ("new_session", "navigation"):
            if "page_script_hash" not in fields[name].message_type.fields_by_name:
                raise Missing(f"{FORWARD_MESSAGE}.{name}.page_script_hash")

    @guarded(CHECK, lambda *_: False)
    def is_complex(self, data: bytes) -> bool:
        """Whether a message to the server has so many fields that parsing it would block all visitors."""
        return exceeds_field_limit(data, self._back.DESCRIPTOR)

    def read(self, data: bytes) -> Any | None:
        """Returns the BackMsg, or None if our pages do not send such a message; raises Undecodable."""
        try:
            message = self._back.FromString(data)
        except DecodeError as error:
            raise Undecodable(str(error)) from None
        rerun, widgets = message.rerun_script, message.rerun_script.widget_states.widgets
        is_allowed = (
            message.WhichOneof(self._type) in ALLOWED_TYPES
            and len(widgets) <= MAX_WIDGETS
            and len(rerun.cached_message_hashes) <= MAX_MESSAGE_HASHES
            and len(rerun.query_string) <= MAX_QUERY_CHARACTERS
            and len(message.file_urls_request.file_names) <= MAX_FILE_NAMES
            and self._may_be_logged(rerun.fragment_id)
            and (not self.is_download(message) or self._is_allowed_operation(message.backend_operation_request))
        )
        return message if is_allowed and not any(map(self._exceeds_json_limit, widgets)) else None

    def _exceeds_json_limit(self, widget: Any) -> bool:
        """Whether a widget's value is JSON with so many values that parsing it would block all visitors."""
        name = widget.WhichOneof(self._value)
        is_json = name in JSON_VALUES or (name == "string_value" and widget.id.endswith(SELECTION))
        return is_json and exceeds_json_limit(getattr(widget, name))

    def _is_allowed_operation(self, operation: Any) -> bool:
        ids = operation.request_id, operation.session_id, operation.deferred_file.file_id
        return operation.HasField(ALLOWED_OPERATION) and all(map(self._may_be_logged, ids))

    def _may_be_logged(self, id: str) -> bool:
        """Whether an id neither fills the log nor adds lines or control characters to it."""
        return len(id) <= MAX_ID_CHARACTERS and id.isprintable()

    def is_download(self, message: Any) -> bool:
        """Whether a BackMsg requests a file that is made only then."""
        return message.WhichOneof(self._type) == "backend_operation_request"

    def is_rerun(self, message: Any) -> bool:
        """Whether a BackMsg requests a run of the script."""
        return message.WhichOneof(self._type) == "rerun_script"

    def has_trigger(self, message: Any) -> bool:
        """Whether a BackMsg contains a trigger, such as the press of a button, which a browser sends once."""
        widgets = message.rerun_script.widget_states.widgets
        return any((one.WhichOneof(self._value) or "").endswith("trigger_value") for one in widgets)

    def step(self, data: bytes) -> RunStep:
        """Returns the step that a message to the browser announces; only small messages are parsed."""
        kind = self._kind(memoryview(data))
        if kind in (self._new_session, self._navigation):
            message = self._forward.FromString(data)
            if kind == self._new_session:
                self.announces_runs = True
                return RunStep(Step.BEGINS, message.new_session.page_script_hash)
            return RunStep(Step.DRAWS, message.navigation.page_script_hash)
        return RunStep(self._steps.get(kind, Step.OTHER))

    def _kind(self, data: memoryview) -> int:
        """Returns the number of the type field of a ForwardMsg, 0 without one."""
        at = 0
        try:
            while at < len(data):
                key, at = read_varint(data, at)
                if key >> 3 in self._types:
                    return key >> 3
                size, end = read_varint(data, at)
                at = end + size if key & 7 == 2 else end  # the fields before it are varints, strings and messages
        except IndexError:
            pass
        return 0


@guarded(CHECK, lambda: None)
def load() -> PageMessages | None:
    """Returns the reader for the installed Streamlit; None if patches are off or, with a line in the log, if names are
    missing."""
    return None if are_off() else PageMessages(find(BACK_MESSAGE), find(FORWARD_MESSAGE))
