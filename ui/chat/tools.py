"""The view of tool definitions: pasted JSON, the tokens of each tool, and their share of a context window."""

from datetime import date
from html import escape
from typing import NamedTuple

import streamlit as st

from server.encodings import encoding_store
from server.encodings.encoding_store import StoredEncoding
from tokenizer.chat.jinja_template import JinjaTemplate
from tokenizer.chat.reading import origin_remarks
from tokenizer.chat.templates import Family
from tokenizer.chat.tools import FORMATS, JSON, USER_MESSAGE, Counts, count_tools, json_tokens, of_file, read_tools
from tokenizer.errors import enumerated
from tokenizer.i18n import tr, trn
from tokenizer.paths import ASSETS
from tokenizer.text.tables import csv_text
from tokenizer.text.well_formed import well_formed
from ui.chat import more
from ui.chat.prompt import first_named
from ui.components import cache, notices, tables
from ui.session import page_snapshot
from ui.session.choices import Choice

MAX_URL_CHARACTERS = 1_000


def _spell(text: str) -> str | None:
    return text if 0 < len(text) <= MAX_URL_CHARACTERS and text == well_formed(text)[0] else None


TOOLS = Choice("tools", "", spell=_spell)


def _unlinkable() -> str | None:
    """Returns the JSON if it is too long for the URL."""
    text = TOOLS.chosen or ""
    return text if MAX_URL_CHARACTERS < len(text) <= page_snapshot.MAX_TEXT_CHARACTERS else None


def pasted() -> str:
    """Returns the JSON in the box, also before the box is drawn and where it is not."""
    TOOLS.begin()
    text = st.session_state.get(TOOLS.name)
    return TOOLS.chosen if text is None else text


def _restore(found: object) -> None:
    TOOLS.choose(page_snapshot.checked_text(found))


page_snapshot.register("chat", "tools", _unlinkable, _restore, address="tools")
page_snapshot.register("chat", "chat_tools", lambda: None, _restore)  # older links: a box for templates from files


class ToolFacts(NamedTuple):
    """Facts about pasted JSON.

    `as_json` has the tokens of each tool as JSON, minified and pretty, `array` those of all tools as one array, and
    `pasted` those of the text itself.
    """

    names: list[str]
    notes: list[str]
    counts: Counts
    as_json: list[tuple[int, int]]
    array: tuple[int, int]
    pasted: int


@cache.cached
def counted(text: str, family: str, key: str, file: tuple[str, tuple, tuple, str] | None = None) -> ToolFacts:
    """Returns the facts about the tools in a JSON text, as the named family writes them, or a template from a `file`.

    `file` has its source, its names and ids as items, and the date. Raises BadTools and BadChat.
    """
    encoding, (tools, notes) = encoding_store.find(key).encoding, read_tools(text)
    written = FORMATS.get(family, JSON)
    if file:
        source, names, ids, day = file
        written = of_file(JinjaTemplate("", source, dict(names), dict(ids)), date.fromisoformat(day))
    counts = count_tools(tools, encoding, written)
    names = [well_formed(tool["function"]["name"])[0] for tool in tools]
    each = [json_tokens(tool, encoding) for tool in tools]
    return ToolFacts(names, notes, counts, each, json_tokens(tools, encoding), len(encoding.encode_array(text)))


@notices.errors_shown()
def draw(template: Family | JinjaTemplate, entry: StoredEncoding, day: date) -> None:
    """Draws the box for the JSON, and the tokens of its tools in a prompt, which a template from a file dates."""
    file = None
    if isinstance(template, JinjaTemplate):
        file = template.source, (*template.names.items(),), (*template.ids.items(),), day.isoformat()
    family = template.name if isinstance(template, Family) and template.name in FORMATS else ""
    model = FORMATS[family].window_of if family and template.is_known_of(entry.encoding) else ""
    words = tr("The tools array of an API request, or an MCP server’s answer to tools/list")
    text = TOOLS.ask(st.text_area, tr("Tool definitions, as JSON"), height=220, help=words)
    if not text.strip():
        example = (ASSETS / "tools.json").read_text(encoding="utf-8")
        st.button(tr("Try an example"), key="tools_example", on_click=TOOLS.choose, args=(example,))
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        size, window = more.ask_window(model)
    found = counted(text, family, entry.key, file)
    st.html(summary(found, size, bool(family or file)))
    st.caption(more.source_sentence(window, size))
    st.html(
        f'<ul class="remarks">{"".join(f"<li>{escape(one)}</li>" for one in _remarks(found, template, entry))}</ul>'
    )
    rows = table(found, size)
    columns = {
        tr("share of the context window"): st.column_config.NumberColumn(format="percent"),
        tr("rest of the definition"): st.column_config.NumberColumn(
            help=tr("other parts of the definition, such as JSON keys and brackets")
        ),
    }
    st.dataframe(rows, hide_index=True, key="tools_table", column_config=columns)
    tables.download_button(tr("Download the table (CSV)"), lambda: csv(rows), "tools.csv")


def summary(found: ToolFacts, size: int, is_known: bool) -> str:
    """Returns, as HTML, a sentence on the tokens that the tools add, with a meter of a window of `size` tokens."""
    counts = found.counts
    added = f"<b>{escape(trn('{n:,} token', '{n:,} tokens', counts.added))}</b>"
    tools = escape(trn("{n:,} tool", "{n:,} tools", len(found.names)))
    facts = {"tools": tools, "added": added, "definitions": counts.added - counts.frame, "frame": counts.frame}
    facts["percent"] = escape(more.percent(counts.added / size))
    if is_known and not counts.is_divided:
        sentence = tr("{tools}: {added}, {percent} of the context window.", **facts)
    elif is_known:
        sentence = tr(
            "{tools}: {added}, {percent} of the context window. The definitions have {definitions:,} tokens, "
            "the text around them has {frame:,}.",
            **facts,
        )
    else:
        sentence = tr(
            "{tools}: an estimate of {added}, {percent} of the context window. The definitions have "
            "{definitions:,} tokens, the brackets and commas around them have {frame:,}.",
            **facts,
        )
    return f'{more.meter(size, counts.added)}<p class="finding">{sentence}</p>'


def _remarks(found: ToolFacts, template: Family | JinjaTemplate, entry: StoredEncoding) -> list[str]:
    """Returns sentences on how the tools were counted."""
    counts, remarks = found.counts, []
    before = {"message": USER_MESSAGE, "before": counts.without, "after": counts.with_tools}
    if isinstance(template, JinjaTemplate):
        remarks.append(
            tr(
                "With the template from your file, a prompt with the user message “{message}” has {before:,} tokens "
                "without the tools and {after:,} with the tools.",
                **before,
            )
        )
        if not counts.added:
            remarks.append(tr("The template takes no tool definitions."))
    elif template.name in FORMATS:
        remarks.append(
            tr(
                "The tools are written as in the chat template of {family}: a prompt with the user message "
                "“{message}” has {before:,} tokens without the tools and {after:,} with the tools.",
                family=FORMATS[template.name].label,
                **before,
            )
        )
    else:
        family = tr(template.label)
        remarks.append(
            tr(
                "The definitions are counted as one array of minified JSON, which is an estimate: this page does not "
                "know how {family} writes tool definitions. It knows this only of {families}.",
                family=family,
                families=enumerated([one.label for one in FORMATS.values()]),
            )
        )
    if not counts.is_divided:
        remarks.append(
            tr(
                "The prompt does not contain the tools in a form that this page knows, so it cannot tell which "
                "token belongs to which tool."
            )
        )
        return [*remarks, _as_array(found), *found.notes]
    remarks.append(
        trn(
            "Each token counts in the column where it begins; {n:,} token continues in another column.",
            "Each token counts in the column where it begins; {n:,} tokens continue in another column.",
            counts.num_shared,
        )
    )
    remarks.append(_as_array(found))
    remarks += origin_remarks(entry.encoding.name, first_named(counts.synthetic), first_named(counts.missing))
    if counts.injected:
        names = first_named([*dict.fromkeys(found.names[tool] for tool, _ in counts.injected)])
        marks = first_named([*dict.fromkeys(mark for _, mark in counts.injected)])
        remarks.append(
            tr(
                "The names of special tokens ({marks}) occur in {names}; here these names are read as text.",
                marks=marks,
                names=names,
            )
        )
    return [*remarks, *found.notes]


def _as_array(found: ToolFacts) -> str:
    return tr(
        "As one JSON array, all tools have {minified:,} tokens if minified and {pretty:,} tokens if "
        "indented by 2 spaces a level. The text in the box has {pasted:,} tokens.",
        minified=found.array[0],
        pretty=found.array[1],
        pasted=found.pasted,
    )


def table(found: ToolFacts, size: int) -> list[dict]:
    """Returns a row per tool, the largest first: tokens by field, share of a window of `size` tokens, as JSON.

    Where the tokens of a tool are not known, its row has it as JSON alone.
    """
    as_json = [tr("tokens as minified JSON"), tr("tokens as indented JSON")]
    if not found.counts.is_divided:
        rows = sorted(zip(found.names, found.as_json, strict=True), key=lambda row: -row[1][0])
        return [dict(zip([tr("tool"), *as_json], (name, *tokens), strict=True)) for name, tokens in rows]
    heads = [
        tr("tool"),
        tr("name"),
        tr("description"),
        tr("schema"),
        tr("rest of the definition"),
        tr("total tokens"),
        tr("share of the context window"),
    ]
    heads += as_json
    each = zip(found.names, found.counts.tools, found.as_json, strict=True)
    rows = [(name, *tokens, tokens.total, tokens.total / size, *as_json) for name, tokens, as_json in each]
    return [dict(zip(heads, row, strict=True)) for row in sorted(rows, key=lambda row: -row[5])]


def csv(rows: list[dict]) -> str:
    """Returns the rows as CSV without formulas."""
    return csv_text([rows[0], *(row.values() for row in rows)])
