"""The result of a training: the choice among several, its use on other pages, downloads, timeline and tables."""

import io
import zipfile
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from server.encodings.encoding_store import ExternallyTrained, FromTraining, StoredEncoding, Trained
from server.exports import notebooks
from server.exports.take_home import MAX_TIMELINE_CHARACTERS, take_home
from tokenizer import Encoding, encoding_files
from tokenizer.display.readable import readable, size_in_words
from tokenizer.i18n import mark, tr, trn
from tokenizer.kinds.registry import known_as
from tokenizer.measure.vocabulary_diff import VocabularyDiff, merged_tokens, vocabulary_diff
from tokenizer.training.makers import MAKERS, ExternalTraining
from tokenizer.training.train import TIES
from tokenizer.training.training_history import MAX_TIED_PAIRS, MAX_TIES, TrainingHistory
from tokenizer.training.worker import Order
from tokenizer.vocabulary.adverts import readable_or_veil
from tokenizer.vocabulary.coverage import coverage_json
from ui.components import cache, notices
from ui.components.markdown import in_markdown
from ui.session import pending_action, selected_training
from ui.session.visitor_state import visitor
from ui.session.widget_events import labelled, told_apart
from ui.train import charts, extension, external_training, fork, trainer
from ui.train.corpora import Corpus
from ui.train.recipe import TrainingOptions
from ui.train.timeline import timeline
from ui.train.vocabulary import vocabulary
from ui.widgets import pickers

FORMS = {
    "huggingface": "Hugging Face (tokenizer.json)",
    "tiktoken": "tiktoken (.tiktoken ranks)",
    "gpt2": "GPT-2 (vocab.json, merges.txt)",
    "minbpe": "minbpe (.model, .vocab)",
    "csv": mark("the merge timeline (CSV)"),
    "page": mark("a page with the timeline, for any browser (HTML)"),
    "tokenloupe": "Tokenloupe (.tokenloupe)",
    "notebook": mark("a notebook that repeats the training (Python)"),
}
EXTENSION_FORMS = {form: FORMS[form] for form in ("tiktoken", "huggingface", "gpt2", "minbpe")} | {
    "coverage": mark("the old tokens that make up each new token (JSON)")
}
BEFORE_TRAINING = {  # alphabet -> hint
    "dropped": mark(
        "Press Train to see the merges, listed in order. Training skips text that the pattern does not match."
    ),
    "bytes": mark(
        "Now every byte is a token. Press Train, and watch the most frequent pair become one token, again and again."
    ),
    "tokens": mark(
        "The tokens of the encoding keep their ids. Press Train, and watch the most frequent pair of them become one"
        " token, again and again."
    ),
    "characters": mark(
        "Now every character is a token. Press Train, and watch the most frequent pair become one token, again and"
        " again."
    ),
}
EXAMPLE = mark(
    "This example comes with the app. Press Play, and watch the most frequent pair become one token, again and again."
)
HIDDEN = mark(
    "The charts, milestones and tables are hidden, because they would reveal the next merges. They return when"
    " “Guess the next merge” is off."
)
MAX_PREVIEW_CHARACTERS = 600
COMPARABLE_TIMES = mark(  # measured: docs/training.md
    "For comparison, measured on one core: 512 tokens from 1.1 MB of English (Tiny Shakespeare) took 0.8 s in "
    "Tokenloupe, 0.6 s in Hugging Face’s library and 0.2 s in SentencePiece. A plain Python loop such as minbpe’s "
    "would take about three minutes (estimate)."
)
NO_TIMELINE = {
    "dropped": mark(
        "In this encoding, text that the split pattern does not match is not part of any token, so decoded text does"
        " not contain it. So there is no timeline; the merges are listed below, in order."
    ),
    "characters": mark("Each character is a token, so there are no merges to show."),
    "words": mark(
        "In this encoding white space is not part of any token, so there is no timeline; the merges are listed"
        " below, in order. A word that is not in the training text is built from tokens of other words; a character"
        " that is not in the training text becomes <unk>."
    ),
}
WORD_HEADS = mark("word"), mark("times"), mark("tokens"), mark("becomes")  # columns of the table of held-out words
MAX_LISTED_TOKENS = 20  # that one of two vocabularies lacks


def toolbar(found: FromTraining) -> None:
    """Draws the choice of a trained encoding, and the buttons to use, download and remove it."""
    st.session_state.trained = found.key
    own = visitor().of_trainings()
    labels = told_apart({key: f"{one.name} · {size_in_words(one.encoding)}" for key, one in own.items()})
    st.selectbox(
        tr("Trained here"),
        list(labels),
        key="trained",
        format_func=lambda key: labels.get(key, ""),
        on_change=selected_training.select_from_list,
        label_visibility="collapsed",
        width=400,
    )
    if pending_action.button(tr("Use in the Playground"), key="use", icon=":material/edit_note:"):
        pickers.ENCODING.choose(found.key)
        st.switch_page("playground.py", query_params={"encoding": found.key})
    with st.popover(tr("Download"), icon=":material/download:"):
        _download(found)
    st.button(
        tr("Remove"), key="remove", icon=":material/delete:", on_click=visitor().remove_encoding, args=(found.key,)
    )


def plan_summary(corpus: Corpus, recipe: TrainingOptions) -> str:
    """Returns a sentence on what the chosen training will learn, as Markdown."""
    size = corpus.learned_characters
    is_external = isinstance(recipe.order, ExternalTraining)
    if not is_external and recipe.order.begin:
        return trn(
            "Training adds up to {merges:,} merges to {name}, learned from {n:,} character.",
            "Training adds up to {merges:,} merges to {name}, learned from {n:,} characters.",
            size,
            merges=recipe.order.vocab_size - recipe.order.num_base,
            name=in_markdown(known_as(recipe.order.base.name)),
        )
    if not is_external and recipe.order.kind == "characters":
        return trn("The tokenizer learns from {n:,} character.", "The tokenizer learns from {n:,} characters.", size)
    vocab_size = recipe.order.options.vocab_size if is_external else recipe.order.vocab_size
    tokens = trn("{n:,} token", "{n:,} tokens", vocab_size)
    text = trn("{n:,} character", "{n:,} characters", size)
    return tr("The tokenizer learns at most {tokens} from {text}.", tokens=tokens, text=text)


def preview(text: str, order: Order | ExternalTraining | None) -> None:
    """Draws the beginning of the training text before a training."""
    if isinstance(order, Order) and order.kind == "bpe":
        before = "tokens" if order.begin else "dropped" if order.drop_unmatched else order.alphabet
        st.caption(tr(BEFORE_TRAINING[before]))
    more = " …" if len(text) > MAX_PREVIEW_CHARACTERS else ""
    with st.container(key="stage"):
        st.html(f'<div class="strip">{escape(text[:MAX_PREVIEW_CHARACTERS])}{more}</div>')


def draw_example(found: Trained) -> None:
    """Draws the timeline and charts of the training that comes with the app."""
    st.caption(tr(EXAMPLE))
    with st.container(key="stage"):
        timeline(found, partial(trainer.fork, found), st.session_state.get("trainings_ended", 0), is_own=False)
    with _hidden_by_predict():
        charts.draw(found.history, found.job.milestones, found.job.key)


def _hidden_by_predict() -> Any:
    """Returns a container that Predict hides, because its content gives the answers away."""
    hidden = escape(tr(HIDDEN))
    st.html(f'<p class="predicting">{hidden}</p>')
    return st.container(key="below_timeline")


def draw_result(found: FromTraining) -> None:
    """Draws the timeline, charts and vocabulary of a training, or the result of another program's."""
    if isinstance(found, ExternallyTrained):
        with st.container(key="stage"):
            external_training.show(found)
        return
    order = found.job.order
    with st.container():  # drawn even if empty: where the timeline moves, it is drawn anew and loses the focus
        if why := stopped_early(found.history, order):
            st.caption(why)
        if order.lift_after is not None:
            st.caption(lift_summary(found.history, order))
        if found.parent:
            fork.draw(found)
    if found.has_timeline:
        ended, is_new = st.session_state.get("trainings_ended", 0), st.session_state.get("new_training") == found.key
        with st.container(key="stage"):
            timeline(found, partial(trainer.fork, found), ended, is_new)
    else:
        st.caption(tr(NO_TIMELINE["dropped" if order.drop_unmatched else order.kind]))
    with _hidden_by_predict():
        if (seconds := found.job.seconds) < 0.1:
            took = tr("Training took less than 0.1 s on this server.")
        else:
            took = tr("Training took {seconds:.1f} s on this server.", seconds=seconds)
        st.caption(took, help=tr(COMPARABLE_TIMES))
        if order.begin:
            extension.draw(found)
        _ties(found.history, order.ties)
        if order.held_out:
            _held_out_words(found)
        if len(found.history):
            charts.draw(found.history, found.job.milestones, found.job.key)
        _comparison(found)
        vocabulary(found.history, found.name, found.job.key)


def stopped_early(history: TrainingHistory, order: Order) -> str:
    """Returns why a training ended below its vocabulary size; "" if it did not."""
    count = len(history.base) + len(history)
    if count >= order.vocab_size:
        return ""
    if order.begin:
        reason = tr("no pair is left that may become a token")
        if order.min_count > 1:
            reason = tr("no pair that may become a token occurs twice any more")
        return trn(
            "Training stopped after {count:,} of the {n:,} merge asked for: {reason}.",
            "Training stopped after {count:,} of the {n:,} merges asked for: {reason}.",
            order.vocab_size - order.num_base,
            count=len(history),
            reason=reason,
        )
    reason = tr("no pair is left")
    if order.min_count > 1:
        reason = tr("no pair occurs twice any more")
    return trn(
        "Training stopped at {count:,} of the {n:,} token asked for: {reason}.",
        "Training stopped at {count:,} of the {n:,} tokens asked for: {reason}.",
        order.vocab_size,
        count=count,
        reason=reason,
    )


def lift_summary(history: TrainingHistory, order: Order) -> str:
    """Returns where a training lifted its split pattern, and how its encoding splits."""
    if not history.lifted:
        return tr("The split pattern was not lifted: training ended before merge {n:,}.", n=order.lift_after + 1)
    return trn(
        "The split pattern was lifted after {n:,} merge. The tokenizer does not split a text before merging, as"
        " in SuperBPE. So files for other programs have no split pattern, and do not say when it was lifted.",
        "The split pattern was lifted after {n:,} merges. The tokenizer does not split a text before merging, as"
        " in SuperBPE. So files for other programs have no split pattern, and do not say when it was lifted.",
        history.lift,
    )


def _held_out_words(found: Trained) -> None:
    """Draws the tokens of words that occur only in the held-out part."""
    words = found.job.new_words
    rows = cache.get_or_compute(lambda: [word_row(found.encoding, *one) for one in words], "new words", found.key)
    about = tr(
        "Words of the held-out part that are not in the training part, the most frequent first, at most 50. Each is"
        " encoded by itself; “|” separates its tokens."
    )
    with st.expander(tr("How held-out words are tokenized")):
        st.caption(about if words else tr("All words of the held-out part are in the training part too."))
        if words:
            st.dataframe(rows, hide_index=True, placeholder="–", column_config={name: tr(name) for name in WORD_HEADS})


def word_row(encoding: Encoding, word: str, count: int) -> dict:
    """Returns the tokens of a word as a row of a table.

    >>> from tokenizer import get_encoding
    >>> word_row(get_encoding("gpt2"), "unhug", 1)
    {'word': 'unhug', 'times': 1, 'tokens': 3, 'becomes': 'un | h | ug'}
    """
    tokens = encoding.tokenize(word)
    data = tokens.text.encode()
    parts = [
        "<unk>" if id == encoding.unknown_id else readable(data[start:end])
        for id, start, end in zip(tokens.ids, tokens.starts, tokens.ends, strict=True)
    ]
    return {"word": readable(word.encode()), "times": count, "tokens": len(tokens), "becomes": " | ".join(parts)}


def _comparison(found: Trained) -> None:
    """Draws the comparison of the merges with those of another encoding."""
    if found.history.alphabet != "bytes" or not len(found.history):
        return
    with st.expander(tr("Compare with another vocabulary"), key="beside_published", on_change="rerun") as opened:
        if not opened.open:
            return
        other = pickers.of_bytes(but=found)
        words, *lists = cache.get_or_compute(
            lambda: _compared(found.history, other), "compared", found.job.key, other.key
        )
        st.write(words)
        for column, (title, rows) in zip(st.columns(2), lists, strict=True):
            with column:
                st.caption(in_markdown(title))
                st.dataframe(rows, hide_index=True) if rows else st.caption(tr("There are no such tokens."))


def _compared(history: TrainingHistory, other: StoredEncoding) -> tuple:
    """Returns the summary of a comparison, as Markdown, and two titled lists of tokens that only one side has."""
    name = other.name
    own_tokens, other_tokens = history.tokens[len(history.base) :], merged_tokens(other.encoding.merges.ranks)
    forward = vocabulary_diff(own_tokens, other_tokens)
    backward = vocabulary_diff(other_tokens[: len(own_tokens)], own_tokens)
    own_title = tr("Tokens of this training that {name} does not have", name=name)
    other_title = tr("First tokens of {name} that this training did not make", name=name)
    return (
        comparison_summary(forward, backward, in_markdown(name)),
        _listed(own_title, own_tokens, forward.lacking),
        _listed(other_title, other_tokens, backward.lacking),
    )


def comparison_summary(forward: VocabularyDiff, backward: VocabularyDiff, name: str) -> str:
    """Returns the summary of comparing our merged tokens with published ones, in both directions.

    >>> comparison_summary(VocabularyDiff(1, 2, [2]), VocabularyDiff(1, 2, [1]), "gpt2")
    'The first merge makes the same token in both vocabularies; the first difference is at merge 2. gpt2 has 2 of the \
3 tokens that this training made; the first that is missing was made by merge 3. Of the 3 tokens that the first merges \
of gpt2 made, this training made 2 too.'
    """
    also = trn(
        "Of the {n:,} token that the first merge of {name} made, this training made {shared:,} too.",
        "Of the {n:,} tokens that the first merges of {name} made, this training made {shared:,} too.",
        backward.shared + len(backward.lacking),
        name=name,
        shared=backward.shared,
    )
    return f"{_first_difference_sentence(forward)} {_shared_sentence(forward, name)} {also}"


def _first_difference_sentence(forward: VocabularyDiff) -> str:
    if forward.same == 0:
        return tr("The first merge already makes a different token in each vocabulary.")
    if forward.same == forward.shared + len(forward.lacking):
        return tr("All merges of this training make the same tokens in both vocabularies, in the same order.")
    return trn(
        "The first merge makes the same token in both vocabularies; the first difference is at merge {next:,}.",
        "The first {n:,} merges make the same tokens in both vocabularies; the first difference is at merge {next:,}.",
        forward.same,
        next=forward.same + 1,
    )


def _shared_sentence(forward: VocabularyDiff, name: str) -> str:
    made = forward.shared + len(forward.lacking)
    if not forward.lacking:
        return trn(
            "{name} has {shared:,} of the {n:,} token that this training made; none is missing.",
            "{name} has {shared:,} of the {n:,} tokens that this training made; none is missing.",
            made,
            name=name,
            shared=forward.shared,
        )
    return trn(
        "{name} has {shared:,} of the {n:,} token that this training made; the first that is missing was made by merge"
        " {merge:,}.",
        "{name} has {shared:,} of the {n:,} tokens that this training made; the first that is missing was made by merge"
        " {merge:,}.",
        made,
        name=name,
        shared=forward.shared,
        merge=forward.lacking[0] + 1,
    )


def _listed(words: str, tokens: Sequence[bytes], places: Sequence[int]) -> tuple[str, list[dict]]:
    if len(places) > MAX_LISTED_TOKENS:
        words = tr("{list}; the first {most} of {all:,}", list=words, most=MAX_LISTED_TOKENS, all=len(places))
    merge, token = tr("merge"), tr("token")
    return words, [{merge: i + 1, token: readable_or_veil(tokens[i], 60)} for i in places[:MAX_LISTED_TOKENS]]


def _ties(history: TrainingHistory, rule: str) -> None:
    """Draws the merges that a tie decided: the pair taken, and the pairs of the other rules."""
    if not len(history.ties):
        return
    with st.expander(tr("Ties (the first at merge {merge:,})", merge=int(history.ties[0, 0]) + 1)):
        st.caption(
            tr(
                "At these merges several pairs had the same, highest count. The rule of this training "
                "took {pair}; the last columns show what other rules would take (“?”: too many pairs to compare). "
                "At most {most} such merges are listed.",
                pair=tr(TIES[rule][1]),
                most=MAX_TIES,
            )
        )
        st.dataframe(tie_rows(history, rule), hide_index=True)


def tie_rows(history: TrainingHistory, rule: str) -> list[dict]:
    """Returns one row for each of the first merges that a tie decided: the pair of each rule.

    >>> from tokenizer.training.training_history import record_training
    >>> tie_rows(record_training({"aaabdaaabac": 1}, 259), "first-seen")[0]
    {'merge': 2, 'pair count': 2, 'pairs tied': '2', 'chosen (first-seen, minbpe)': 'aa + a', \
'largest-bytes (Stanford CS336)': 'aa + a', 'smallest-ids (Hugging Face)': 'a + b'}
    """

    def pair(left: int, right: int) -> str:
        return f"{readable(history.tokens[left], 40)} + {readable(history.tokens[right], 40)}"

    rows = []
    for step, tied, *symbols in history.ties.tolist():
        row = {tr("merge"): step + 1, tr("pair count"): int(history.count[step])}
        row[tr("pairs tied")] = f"{tied}" if tied else tr("over {most}", most=MAX_TIED_PAIRS)
        taken = tr("chosen ({rule}, {known_by})", rule=rule, known_by=TIES[rule][0])
        row[taken] = pair(history.left[step], history.right[step])
        for i, other in enumerate(TIES):
            if other != rule:
                row[f"{other} ({TIES[other][0]})"] = pair(*symbols[2 * i : 2 * i + 2]) if tied else "?"
        rows.append(row)
    return rows


@notices.errors_shown()
def _download(found: FromTraining) -> None:
    if isinstance(found, ExternallyTrained):
        form, files = "", {f"{found.name}{MAKERS[found.job.order.maker].suffix}": found.job.file}
    else:
        is_bpe = found.encoding.kind == "bpe"
        forms = [form for form in FORMS if form == "notebook" or (form != "tokenloupe") == is_bpe]
        if found.job.order.begin:
            forms = list(EXTENSION_FORMS)
        form = st.selectbox(
            tr("Format"), **labelled("form", forms, lambda form: tr(EXTENSION_FORMS.get(form) or FORMS[form]))
        )
        if found.job.order.begin:  # of a large vocabulary, which takes seconds
            files = cache.get_or_compute(lambda: _written(found, form), "files", found.key, form)
        else:
            files = _written(found, form)
    name, data = next(iter(files.items())) if len(files) == 1 else (f"{found.name}-{form}.zip", zipped(files))
    listed = ", ".join(sorted(files))
    st.caption(tr("{files}: {size:,} bytes", files=in_markdown(listed), size=sum(map(len, files.values()))))
    st.download_button(
        tr("Download {file}", file=in_markdown(name)),
        data,
        name,
        on_click="ignore",
        key="download_files",
        type="primary",
    )


def _written(found: Trained, form: str) -> dict[str, bytes]:
    """Returns the files of a format by their names; the HTML page shows the beginning of the training text."""
    if form == "page":
        return {f"{found.name}.html": take_home(found.beginning(MAX_TIMELINE_CHARACTERS), found).encode()}
    if form == "coverage":
        return {f"{found.name}-rows.json": coverage_json(found.job.order.base, found.encoding).encode()}
    if form == "notebook":
        return {f"{found.name}.ipynb": notebooks.of_training(found).encode()}
    return encoding_files(found.encoding, form, found.name)


def zipped(files: dict[str, bytes]) -> bytes:
    """Returns the files as a reproducible zip archive.

    >>> zipfile.ZipFile(io.BytesIO(zipped({"a.txt": b"a"}))).namelist()
    ['a.txt']
    """
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in sorted(files.items()):
            packed.writestr(zipfile.ZipInfo(name, (2000, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
    return archive.getvalue()
