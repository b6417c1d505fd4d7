"""The component with a column per encoding over one text, updated without a rerun of the script."""

from collections.abc import Sequence

from server.encodings.encoding_store import StoredEncoding
from server.web_files import FOLDER, LOUPE, TOKENS
from tokenizer.kinds.counters import Counter
from ui.components.component import component_in
from ui.widgets import counted_model, encoding_component

KEY = "compare"

_component = component_in(FOLDER / "compare", "compare", TOKENS, LOUPE)


def compare(
    encodings: Sequence[StoredEncoding],
    special: str,
    baseline: StoredEncoding,
    counters: Sequence[Counter] = (),
    few: bool = False,
) -> None:
    """Draws a column per encoding over the visitor's text, special tokens read as `special` ("text" or "special").

    Each column shows its ratio to `baseline`; each of `counters` has a column with its count only. Edits of the text
    are stored when typing pauses. If `few`, the place of the columns is empty: too few models are chosen.
    """
    facts = [encoding_component.encoding_data(encoding, special) for encoding in encodings]
    counted = [counted_model.facts(one) for one in counters]
    data = {"encodings": facts, "baseline": baseline.key, "counted": counted, "few": few}
    encoding_component.draw_with_text(_component, KEY, data)
