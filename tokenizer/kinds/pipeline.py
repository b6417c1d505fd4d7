"""Tokenizers that run in Hugging Face's `tokenizers`: any `tokenizer.json`, with the library's own ids.

https://huggingface.co/docs/tokenizers/pipeline
"""

import copy
import hashlib
import json
import re
import threading
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import accumulate, groupby
from typing import NamedTuple

import numpy as np
import tokenizers

from tokenizer.encoding.interface import MAX_ID
from tokenizer.encoding.model import LocalModel, Merges, ModelOutput, Split, Stage
from tokenizer.encoding.segments import allow_safe_cuts
from tokenizer.encoding.spelling import BYTES, unspell
from tokenizer.encoding.splitting import split_by
from tokenizer.encoding.tokens import BYTE, NORMAL, SPECIAL, UNKNOWN
from tokenizer.encoding.vocabulary import by_id
from tokenizer.errors import BadTokenizerFile, TokenizerError, shown
from tokenizer.i18n import mark, tr, trn
from tokenizer.kinds.byte_merges import byte_merges, replay
from tokenizer.kinds.byte_spans import assign_byte_spans
from tokenizer.kinds.panics import hidden_panics
from tokenizer.kinds.steps import (
    additions,
    described,
    difference,
    ignored_notes,
    ignored_settings,
    model_note,
    step_types,
    steps,
)
from tokenizer.split.patterns import has_safe_cuts
from tokenizer.text.samples import samples
from tokenizer.text.well_formed import code_points, utf8_lengths, well_formed

ENGINE = f"Hugging Face’s tokenizers {tokenizers.__version__}"
BYTE_NAME = re.compile(r"<0x([0-9A-F]{2})>")
RARE_TEXT = "\u0e01é\U0010fffd\u2603 zq"  # hardly any vocabulary has all of these
SPLIT_AT_SPACES = {"BertPreTokenizer", "Whitespace"}  # and at CJK punctuation
CHARACTERWISE_NORMALIZERS = {"BertNormalizer", "Lowercase", "NFC", "NFD", "NFKC", "NFKD", "StripAccents"}
MAX_TRIED_SPECIAL_TOKENS = 16  # on loading
NOTHING_LEFT = mark(
    "the normalizer removes every character of the added token {token}, so Hugging Face’s library could read texts"
    " wrongly or never finish. Remove the token, or set its `normalized` to false"
)
NO_STEPS = {"version": "1.0"} | dict.fromkeys(
    ("truncation", "padding", "normalizer", "pre_tokenizer", "post_processor", "decoder")
)  # a file without any step
MAX_TRIED_CHARACTERS = 3_000
BOUNDARY = "\U000f5ead\U000f5ead"  # an added token before a text, after which the text is not the beginning
# the reading of special tokens is a setting of the library's object, which threads share
_library_lock = threading.Lock()


class LibraryCannotRead(TokenizerError):
    """The library cannot read this text with this tokenizer."""

    def __init__(self, reason: str):
        self.reason = reason
        super().__init__(
            tr(
                "This tokenizer cannot process the input: {reason}. Try another text, or another tokenizer.",
                reason=reason,
            )
        )


@contextmanager
def library_errors() -> Iterator[None]:
    """Turns the library's errors into TokenizerError; panics of its Rust code are BaseExceptions."""
    try:
        yield
    except (TokenizerError, MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        raise LibraryCannotRead(_plain(str(error))) from None


def _plain(error: str) -> str:
    """Returns the library's error message, with a plain sentence for a part that it names internally.

    >>> _plain("data did not match any variant of untagged enum PreTokenizerUntagged at line 1 column 142")
    'Hugging Face’s library does not support the pre-tokenizer in the file, or a setting of the pre-tokenizer is \
missing'
    """
    error = error.removeprefix("Cannot instantiate Tokenizer from buffer: ")
    if found := re.search(r"any variant of untagged enum (?:Py)?(\w+?)(?:Wrapper|Untagged)", error):
        part = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", found[1]).lower()
        return tr(
            "Hugging Face’s library does not support the {part} in the file, or a setting of the {part} is missing",
            part=part,
        )
    if "untagged enum MergeType" in error:
        return tr("a merge in the file is not a pair of tokens")
    return tr("Hugging Face’s library reports “{words}”", words=error[:200])


class PipelineModel(LocalModel):
    """A `tokenizer.json` that the library runs, without truncation, padding and dropout.

    The library finds added tokens in a text by their flags, and reads special ones as text on request. `pattern` is the
    split pattern if nothing else splits. Raises BadTokenizerFile.

    >>> model = {"type": "WordPiece", "vocab": {"[UNK]": 0, "hug": 1, "##s": 2}, "unk_token": "[UNK]"}
    >>> facts = {"normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "model": model}
    >>> hugs = PipelineModel(json.dumps(facts | {"model": model | {"continuing_subword_prefix": "##",
    ...                                                            "max_input_chars_per_word": 100}}))
    >>> hugs.kind, [hugs.piece(id) for id in hugs.encode("Hugs!").ids.tolist()], hugs.tokens[2]
    ('huggingface-wordpiece', ['hug', '##s', '[UNK]'], b's')
    """

    engine = ENGINE
    runs_in_library = True
    capabilities = frozenset(["source"])

    @hidden_panics()
    def __init__(
        self,
        data: str | bytes,
        facts: Mapping | None = None,
        pattern: str | None = None,
        lazy_notes: Sequence[Callable[[], str]] = (),
    ):
        self.facts = json.loads(data) if facts is None else facts
        # in bytes, since text takes up to four bytes a character: 131 MB for the 33 MB of Gemma's file
        self._data = data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")
        self.fingerprint = hashlib.sha256(self._data).hexdigest()
        check_merges(self.facts.get("model"))
        self._load(self._data)
        # one special entry makes a name special, whatever other entries it has
        added = self.facts.get("added_tokens") or []
        self._special_names = dict.fromkeys(
            token["content"] for token in added if token["special"] and token["content"]
        )
        vocab = self._library.get_vocab()
        self._spellings = {id: token for token, id in vocab.items()}
        self._shared_ids: set[int] = set()  # ids that several tokens have
        self.shared_id = self._find_shared_id() if len(self._spellings) < len(vocab) else None
        if not self._spellings:
            raise BadTokenizerFile("tokenizer.json", tr("the vocabulary in the file is empty"))
        if (last := max(self._spellings)) > MAX_ID:
            raise BadTokenizerFile(
                "tokenizer.json",
                tr("the id {id:,} is larger than {largest:,}, the largest id allowed", id=last, largest=MAX_ID),
            )
        self._pre_types = step_types(self.facts.get("pre_tokenizer"))
        self._reads_front = "first" in [step.get("prepend_scheme") for step in steps(self.facts.get("pre_tokenizer"))]
        self._set_unknown()
        self._ambiguous_ids = [  # of special tokens; other text may also get them
            id
            for id in {self.unknown_id, *self._shared_ids} & self._added.keys()
            if self._added[id].content in self._special_names
        ]
        self.tokens = by_id({id: self._bytes(id, token) for id, token in self._spellings.items()})
        self._kinds = self._kinds_by_id()
        self._sizes = np.array([len(token or b"") for token in self.tokens], np.int64)
        self._try()
        self.merges, self._why_no_merges = self._found_merges()
        self.moved_id = self._find_moved_id()
        self.facts = without_tables(self.facts)
        self.ignored_settings = ignored_settings(self.facts)
        self.split: Split | None = split_by(pattern)
        self.safe_cuts, self.treats_start_specially = self._cuts(pattern)
        self.lazy_notes, self._num_around, self._oddity = lazy_notes, self._specials_around(), self._odd_specials()

    def _load(self, data: bytes) -> None:
        library = self._opened(data)
        self._post_processor, library.post_processor = library.post_processor, None
        self._library = library
        self._added = library.get_added_tokens_decoder()
        self._added_ids = np.array(list(self._added), np.int64)
        self._type = type(library.model).__name__
        self.kind = f"huggingface-{self._type.lower()}"

    @staticmethod
    def _opened(data: bytes) -> tokenizers.Tokenizer:
        try:
            with library_errors():
                library = tokenizers.Tokenizer.from_buffer(data)
        except LibraryCannotRead as error:
            raise BadTokenizerFile("tokenizer.json", error.reason) from None
        library.no_truncation()
        library.no_padding()
        library.encode_special_tokens = True
        if isinstance(library.model, tokenizers.models.BPE):
            library.model.dropout = None
        return library

    def _try(self) -> None:
        """Raises BadTokenizerFile if the library fails on a text with rare characters, or might never end on one."""
        normalizer = self._library.normalizer
        for token in self._added.values() if normalizer else ():
            if token.normalized and not normalizer.normalize_str(token.content):
                raise BadTokenizerFile("tokenizer.json", tr(NOTHING_LEFT, token=shown(token.content)))
        try:
            self.encode(RARE_TEXT)
            self.encode(RARE_TEXT, special=True)
        except LibraryCannotRead as error:
            is_unknown = re.search("unk", error.reason, re.IGNORECASE)
            problem = (
                mark("the tokenizer cannot encode unknown characters: {reason}")
                if is_unknown
                else mark("the tokenizer cannot encode a short test text: {reason}")
            )
            raise BadTokenizerFile("tokenizer.json", tr(problem, reason=error.reason)) from None

    # The text of its tokens

    @cached_property
    def native_special_tokens(self) -> dict[str, int]:
        """The file's special tokens with their ids, which the library finds in a text on request."""
        return {name: self._library.token_to_id(name) for name in self._special_names}

    @property
    def special_tokens(self) -> dict[str, int]:
        """The file's special tokens with their ids."""
        return self.native_special_tokens

    def source(self) -> str:
        """Returns the file."""
        return self._data.decode("utf-8", "surrogatepass")

    def _set_unknown(self) -> None:
        model = self.facts["model"]
        if self._type == "Unigram":
            self.unknown_id = model.get("unk_id")
        else:
            name = self._library.model.unk_token
            self.unknown_id = None if name is None else self._library.token_to_id(name)
        self.unknown_name = self._spellings.get(self.unknown_id, "")

    @cached_property
    def _is_byte_level(self) -> bool:
        return "ByteLevel" in self._pre_types + step_types(self.facts.get("normalizer"))

    @cached_property
    def _has_byte_names(self) -> bool:
        return bool(self.facts["model"].get("byte_fallback"))

    @cached_property
    def _space(self) -> str | None:
        """The spelling of a space in the vocabulary."""
        for step in steps(self.facts.get("pre_tokenizer")) + steps(self.facts.get("decoder")):
            if step.get("type") == "Metaspace":
                return step.get("replacement", "▁")
        for step in steps(self.facts.get("normalizer")):
            if step.get("type") == "Replace" and step.get("pattern") == {"String": " "}:
                return step.get("content") or None
        return None

    @cached_property
    def _affixes(self) -> tuple[str, str]:
        """The prefix of a token within a word, and the suffix of one at its end."""
        model = self.facts["model"]
        prefix = "continuing_subword_prefix"
        before = model.get(prefix, "##" if self._type == "WordPiece" else "") if self._type != "Unigram" else ""
        return before or "", (model.get("end_of_word_suffix") or "") if self._type == "BPE" else ""

    def _bytes(self, id: int, token: str) -> bytes:
        """Returns the bytes of the text of a token."""
        if id in self._added or id == self.unknown_id:
            return token.encode()
        if self._has_byte_names and (found := BYTE_NAME.fullmatch(token)):
            return bytes.fromhex(found[1])
        before, after = self._affixes
        token = token.removeprefix(before).removesuffix(after)
        if self._is_byte_level and BYTES.keys() >= set(token):
            return unspell(token)
        return (token.replace(self._space, " ") if self._space else token).encode()

    def _kinds_by_id(self) -> np.ndarray:
        kinds = np.full(len(self.tokens), NORMAL, np.uint8)
        if self._has_byte_names:
            kinds[[id for id, token in self._spellings.items() if BYTE_NAME.fullmatch(token)]] = BYTE
        kinds[list(set(self.special_tokens.values()) - self._shared_ids)] = SPECIAL
        if self.unknown_id is not None:
            kinds[self.unknown_id] = UNKNOWN
        return kinds

    # From text

    def _read(self, text: str, special: bool = False) -> tokenizers.Encoding:
        with library_errors(), _library_lock:
            self._library.encode_special_tokens = not special
            return self._library.encode(text, add_special_tokens=False)

    def _read_here(self, text: str, special: bool, is_inside: bool) -> "LibraryResult":
        if not is_inside or not self._reads_front or BOUNDARY in text:
            found = self._read(text, special)
            return LibraryResult(found.ids, found.offsets, found.word_ids, special)
        with library_errors(), _library_lock:
            self._inside.encode_special_tokens = not special
            found = self._inside.encode(BOUNDARY + text, add_special_tokens=False)
        size = len(BOUNDARY)
        offsets = [(max(0, start - size), max(0, end - size)) for start, end in found.offsets[1:]]
        return LibraryResult(found.ids[1:], offsets, found.word_ids[1:], special)

    @cached_property
    def _inside(self) -> tokenizers.Tokenizer:
        """The tokenizer with BOUNDARY added, so that the text after it is not the beginning."""
        library = self._opened(self._data)
        library.post_processor = None
        library.add_tokens([tokenizers.AddedToken(BOUNDARY, normalized=False)])
        return library

    def encode(self, text: str, special: bool = False, is_inside: bool = False) -> ModelOutput:
        found = self._read_here(text, special, is_inside)
        ids = np.array(found.ids, np.uint32)
        offsets = self._true_offsets(text, found, is_inside) if self._loses_place else found.offsets
        starts, ends = self._spans(text, ids, offsets)
        normalized = None if self._library.normalizer is None else self._normalized(text, found, self._reads)
        return ModelOutput(ids, ends - starts, starts, normalized, self._kinds_of(text, ids, offsets, special))

    def _kinds_of(self, text: str, ids: np.ndarray, offsets: Sequence[tuple[int, int]], special: bool) -> np.ndarray:
        kinds = self._kinds[ids]
        for i in np.flatnonzero(np.isin(ids, self._ambiguous_ids)).tolist() if special else ():
            if self._is_spelled(text[slice(*offsets[i])], self._added[int(ids[i])]):
                kinds[i] = SPECIAL
        return kinds

    def _spans(self, text: str, ids: np.ndarray, offsets: Sequence[tuple[int, int]]) -> tuple[np.ndarray, np.ndarray]:
        """Returns the byte span of each token; the bytes of a character are distributed over its tokens."""
        sizes, data = self._sizes[ids], text.encode()
        is_known = self.unknown_id is None or self.unknown_id not in ids
        if is_known and sizes.sum() == len(data) and b"".join([self.tokens[id] for id in ids.tolist()]) == data:
            ends = np.cumsum(sizes)  # unchanged text: the bytes of the tokens follow each other
            return ends - sizes, ends
        at_byte = np.concatenate([[0], np.cumsum(utf8_lengths(code_points(text)), dtype=np.int64)])
        starts, ends = at_byte[np.minimum(np.array(offsets, np.int64).reshape(-1, 2).T, len(text))]
        if (starts[1:] < ends[:-1]).any():
            own = [self.tokens[id] for id in ids.tolist()]
            shared = list(assign_byte_spans(data, starts.tolist(), ends.tolist(), own))
            starts, ends = np.array(shared, np.int64).reshape(-1, 2).T
        return starts, ends

    @cached_property
    def _loses_place(self) -> bool:
        """Whether the library's offsets can be wrong.

        For BPE it adds up the sizes of symbols: without dropped ones, with the bytes of prefixes and suffixes, and in
        another order where only some characters have byte tokens.
        """
        if self._type != "BPE":
            return False
        has_bytes = int((self._kinds == BYTE).sum()) == 256
        if self._has_byte_names and (any(self._affixes) or not has_bytes):
            return True
        has_letters = self._is_byte_level and BYTES.keys() <= set(self._spellings.values()) and not any(self._affixes)
        return self.unknown_id is None and not has_bytes and not has_letters

    def _true_offsets(self, text: str, found: "LibraryResult", is_inside: bool) -> list[tuple[int, int]]:
        """Returns the offsets of tokens in characters, computed from the model's initial symbols."""
        ids: list[int] = []
        offsets: list[tuple[int, int]] = []
        at = 0
        for part, id in self._at_added(text, found, lambda token: True):
            if id is not None:
                ids.append(id)
                offsets.append((at, at + len(part)))
            elif part:
                with library_errors():
                    split = self._split(part, is_inside or at > 0)
                    split.tokenize(self._in_place)
                    read = split.to_encoding()
                ids += read.ids
                offsets += [(at + start, at + end) for start, end in read.offsets]
            at += len(part)
        return offsets if ids == found.ids else found.offsets

    def _in_place(self, piece: str) -> list[tokenizers.Token]:
        """Returns the tokens of a piece with the bytes that they cover."""
        model = self._library.model
        tokens = model.tokenize(piece)
        if len(tokens) == 1 and tokens[0].offsets == (0, len(piece.encode())):
            return tokens
        symbols = list(self._symbols(piece))
        ends = list(accumulate(size for size, _, _ in symbols))
        found = []
        for token in tokens:
            first, last = bisect_right(ends, token.offsets[0]), bisect_left(ends, token.offsets[1])
            covered = symbols[first : last + 1]
            span = min(start for _, start, _ in covered), max(end for _, _, end in covered)
            found.append(tokenizers.Token(token.id, token.value, span))
        return found

    def _symbols(self, piece: str) -> Iterator[tuple[int, int, int]]:
        """Yields the initial symbols of BPE: the size that the library counts, and the bytes of the piece."""
        model, (before, after) = self._library.model, self._affixes
        unknown: tuple[int, int, int] | None = None
        at = 0
        for i, character in enumerate(piece):
            spelled = before * (i > 0) + character + after * (i == len(piece) - 1)
            size, lead = len(character.encode()), len(before.encode()) * (i > 0)
            names = [f"<0x{byte:02X}>" for byte in spelled.encode()] if self._has_byte_names else [""]
            if model.token_to_id(spelled) is not None:
                yield from [unknown] if unknown else []
                unknown = None
                yield size, at, at + size
            elif all(model.token_to_id(name) is not None for name in names):
                for k in range(-lead, len(names) - lead):
                    yield (1, at + k, at + k + 1) if 0 <= k < size else (1, at, at + size)
            elif self.unknown_id is not None:
                if unknown and model.fuse_unk:
                    unknown = unknown[0] + size, unknown[1], at + size
                else:
                    yield from [unknown] if unknown else []
                    unknown = size, at, at + size
            at += size
        yield from [unknown] if unknown else []

    def normalize(self, text: str) -> str:
        """Returns the text that the model reads: normalized, with added tokens unchanged."""
        return self._normalized(text, self._read_here(text, False, False))

    def _reads(self, normalized: str) -> str:
        """Returns what the model reads where the normalizer spells bytes as characters: the text of these bytes."""
        if step_types(self.facts.get("normalizer"))[-1:] != ["ByteLevel"]:
            return normalized
        return unspell(normalized).decode(errors="replace")

    def _normalized(self, text: str, found: "LibraryResult", reads: Callable[[str], str] = str) -> str:
        normalizer = self._library.normalizer
        if normalizer is None:
            return text
        with library_errors():
            return "".join(
                part if id is not None or not part else reads(normalizer.normalize_str(part))
                for part, id in self._at_added(text, found, lambda token: not token.normalized)
            )

    def _at_added(
        self, text: str, found: "LibraryResult", is_accepted: Callable[[tokenizers.AddedToken], bool]
    ) -> Iterator[tuple[str, int | None]]:
        """Yields a text cut at the added tokens found in it that `is_accepted` accepts, each with its id."""
        at = 0
        for i in np.flatnonzero(np.isin(found.ids, self._added_ids)).tolist():
            id, (start, end) = found.ids[i], found.offsets[i]
            token = self._added[id]
            if token.content in self._special_names and not found.special:
                continue
            if found.word_ids[i] in found.word_ids[max(0, i - 1) : i] + found.word_ids[i + 1 : i + 2]:
                continue  # part of a word, so the model made it
            # the model may return that id too: for unknown text, or where the vocabulary has the name
            if end >= at and is_accepted(token) and self._is_spelled(text[start:end], token):
                start = max(at, start)  # the previous token may have taken white space that belongs to this one
                yield text[at:start], None
                yield text[start:end], id
                at = end
        yield text[at:], None

    def _is_spelled(self, text: str, token: tokenizers.AddedToken) -> bool:
        """Whether a text is the name of an added token with the white space that its flags strip."""
        content, normalizer = token.content, self._library.normalizer
        if content not in text and token.normalized and normalizer is not None:
            with library_errors():
                content, text = normalizer.normalize_str(content), normalizer.normalize_str(text)
        return content in text and not text.replace(content, "", 1).strip()

    def pieces(self, text: str, special: bool = False, is_inside: bool = False) -> Iterable[tuple[int, str]]:
        found = self._read_here(text, special, is_inside)
        end = 0
        for _, together in groupby(zip(found.word_ids, found.offsets, strict=True), lambda row: row[0]):
            spans = [span for _, span in together]
            start, end = max(end, min(span[0] for span in spans)), max(end, max(span[1] for span in spans))
            yield start, text[start:end]

    def piece(self, id: int) -> str:
        return self._spellings[id]

    def text_of(self, ids: Sequence[int]) -> str | None:
        if not ids:
            return ""  # some decoders fail on an empty list
        with library_errors():
            return self._library.decode(list(ids), skip_special_tokens=False)

    # Parts

    def stages(self, text: str) -> list[Stage] | None:
        found = self._read(text)
        after, placed = self._processed(found), LibraryResult(found.ids, found.offsets, found.word_ids, False)
        normalized = self._normalized(text, placed)
        back = self.text_of(after.ids)
        unknown = sum(id == self.unknown_id for id in found.ids)
        added = additions(self._named(found), self._named(after))
        return [
            Stage("normalizer", [normalized], self._description("normalizer", difference(text, normalized))),
            Stage("pre-tokenizer", self._pre_tokenized(text, placed), self._description("pre_tokenizer")),
            Stage("model", self._named(found), model_note(self._type, len(found.ids), unknown)),
            Stage("post-processor", self._named(after), self._description("post_processor", added)),
            Stage("decoder", [back], self._description("decoder", difference(text, back, "decoded"))),
        ]

    def _description(self, part: str, change: str = "") -> str:
        return " ".join(filter(None, [described(part, self.facts.get(part)), change]))

    def _named(self, found: tokenizers.Encoding) -> list[str]:
        """Returns the tokens as the vocabulary spells them; a post-processor may add ids that it lacks."""
        return [self._spellings.get(id, token) for id, token in zip(found.ids, found.tokens, strict=True)]

    def _processed(self, found: tokenizers.Encoding) -> tokenizers.Encoding:
        with library_errors():
            return found if self._post_processor is None else self._post_processor.process(found, None, True)

    def _pre_tokenized(self, text: str, found: "LibraryResult") -> list[str]:
        """Returns the pre-tokens that the model gets, in the spelling of its vocabulary."""
        pieces: list[str] = []
        at = 0
        for part, id in self._at_added(text, found, lambda token: True):
            if id is None:
                with library_errors():
                    splits = self._split(part, at > 0).get_splits("normalized", "char")
                pieces += [piece for piece, _, _ in splits if piece]
            else:
                pieces.append(part)
            at += len(part)
        return pieces

    def _split(self, text: str, is_inside: bool) -> tokenizers.PreTokenizedString:
        """Returns a text without added tokens after the normalizer and the pre-tokenizer."""
        split = tokenizers.PreTokenizedString(text)
        if normalizer := self._library.normalizer:
            split.normalize(normalizer.normalize)
        is_inside = is_inside and self._reads_front
        if pre_tokenizer := self._pre_tokenizer_inside if is_inside else self._library.pre_tokenizer:
            pre_tokenizer.pre_tokenize(split)
        return split

    @cached_property
    def _pre_tokenizer_inside(self) -> tokenizers.pre_tokenizers.PreTokenizer:
        """The pre-tokenizer for text that is not at the beginning."""
        step = copy.deepcopy(self.facts["pre_tokenizer"])
        for one in steps(step):
            if one.get("prepend_scheme") == "first":
                one["prepend_scheme"] = "never"
        model = {"type": "WordLevel", "vocab": {"": 0}, "unk_token": ""}
        return self._opened(json.dumps(NO_STEPS | {"pre_tokenizer": step, "model": model}).encode()).pre_tokenizer

    @property
    def _ordinary_added(self) -> list[tokenizers.AddedToken]:
        return [token for token in self._added.values() if token.content not in self._special_names]

    # Safe cuts

    def _cuts(self, pattern: str | None) -> tuple[bool, bool]:
        """Whether a text may be cut at SAFE_CUT, and whether its beginning is read or decoded differently."""
        if self._ordinary_added or any(map(self._reads_around, self._added.values())):
            return False, False
        if self.merges is not None and has_safe_cuts(pattern):
            return True, False
        normalizers, pre_tokenizers = steps(self.facts.get("normalizer")), steps(self.facts.get("pre_tokenizer"))
        if pre_tokenizers and {one.get("type") for one in pre_tokenizers} <= SPLIT_AT_SPACES:
            return {one.get("type") for one in normalizers} <= CHARACTERWISE_NORMALIZERS, True
        model = self.facts["model"]
        is_merged = self._type == "BPE" and not (model.get("ignore_merges") or any(self._affixes))
        has_bytes = self._has_byte_names and int((self._kinds == BYTE).sum()) == 256
        if self._space and has_bytes and is_merged:  # Unigram adds floats: earlier text affects ties
            is_plain = all(map(self._spells_spaces, normalizers + pre_tokenizers))
            return is_plain and allow_safe_cuts(
                token.replace(self._space, " ") for token in self._spellings.values()
            ), True
        return False, False

    def _reads_around(self, token: tokenizers.AddedToken) -> bool:
        """Whether a match of this added token depends on the text around it or on the normalizer."""
        is_changed = token.normalized and self._library.normalizer is not None
        return token.lstrip or token.rstrip or token.single_word or is_changed

    def _spells_spaces(self, step: Mapping) -> bool:
        """Whether a step only spells spaces differently, or puts one in front."""
        kind, space = step.get("type"), self._space
        if kind == "Replace":
            return step.get("pattern") == {"String": " "} and step.get("content") == space
        if kind == "Split":  # at spaces, which no longer occur
            return step.get("pattern") == {"String": " "} and space != " "
        return kind == "Metaspace" or (kind == "Prepend" and step.get("prepend") == space)

    # Merges

    def _found_merges(self) -> tuple[Merges | None, str]:
        """Returns the merges of byte-level BPE, or None and why replaying them would give other tokens."""
        if self._type != "BPE":
            return None, ""
        if why := self._obstacle():
            return None, why
        taken = [self._library.token_to_id(token.content) for token in self._ordinary_added]
        merges = byte_merges(self.facts["model"], self._spellings, self.tokens, taken)
        if merges is None or not all(self._replays(text, merges) for text in self._trial_texts()):
            return None, mark("applying these merges step by step could give other ids than the library gives")
        return merges, ""

    def _obstacle(self) -> str:
        model, step = self.facts["model"], self.facts.get("pre_tokenizer")
        if not self._is_byte_level:
            return mark("the merges do not start from bytes")
        if steps(self.facts.get("normalizer")):
            return mark("a normalizer can change the text before the merges")
        if any(one.get("type") == "ByteLevel" and one.get("add_prefix_space", True) for one in steps(step)):
            return mark("the tokenizer can add a space before the text")
        if any(token.lstrip or token.rstrip or token.single_word for token in self._ordinary_added):
            return mark("some added tokens apply only to whole words, or include the white space around the token")
        if any(self._affixes) or self._has_byte_names or self._pre_types[-1:] != ["ByteLevel"]:
            return mark(
                "the tokenizer marks parts of words (as with ##), it uses byte fallback, or the last step of its"
                " pre-tokenizer is not ByteLevel"
            )
        return mark("the merges in the file are damaged") if not isinstance(model.get("merges"), list) else ""

    def _trial_texts(self) -> Iterator[str]:
        yield RARE_TEXT
        yield from (well_formed(sample.text[:MAX_TRIED_CHARACTERS])[0] for sample in samples())

    def _replays(self, text: str, merges: Merges) -> bool:
        found = self._read(text)
        data = [b"".join(self.tokens[id] for id in ids) for ids in by_word(found.ids, found.word_ids)]
        return sum((replay(piece, merges) for piece in data), []) == found.ids

    # Notes on the file

    @property
    def notes(self) -> list[str]:
        notes = [say() for say in self.lazy_notes]
        notes.append(tr("The ids are computed by {engine}.", engine=ENGINE))
        if self.shared_id:
            token, other, id = self.shared_id
            notes.append(
                tr(
                    "The file gives {token} and {other} the same id, {id:,}: this id may be decoded to either token.",
                    token=shown(token),
                    other=shown(other),
                    id=id,
                )
            )
        if self.moved_id:
            name, id_in_file, id_in_library = self.moved_id
            notes.append(
                tr(
                    "The file gives the added token {token} the id {in_file}, but the library gives it the id {id:,}.",
                    token=shown(name),
                    in_file=shown(id_in_file),
                    id=id_in_library,
                )
            )
        notes += ignored_notes(self.ignored_settings)
        if self._why_no_merges:
            notes.append(tr("No merges are shown: {reason}.", reason=tr(self._why_no_merges)))
        return notes + list(filter(None, [self._added_note(), self._processing_note(), tr(self._oddity)]))

    def _find_shared_id(self) -> tuple[str, str, int]:
        """Two tokens with the same id, and the id; the library has only one of the names."""
        seen: dict[int, str] = {}
        found = None
        for token, id in sorted(self._library.get_vocab().items()):
            if (other := seen.setdefault(id, token)) != token:
                self._spellings[id] = self._library.id_to_token(id)
                self._shared_ids.add(id)
                found = found or (other, token, id)
        return found

    def _find_moved_id(self) -> tuple[str, object, int] | None:
        """An added token whose id in the library differs from the file: its name and both ids; None without one."""
        for token in self.facts.get("added_tokens") or []:
            id = self._library.token_to_id(token["content"])
            if id is not None and id != token.get("id"):
                return token["content"], token.get("id"), id
        return None

    def _added_note(self) -> str:
        count = len(self._ordinary_added)
        return count and trn(
            "The tokenizer first looks for {n:,} added token in the text.",
            "The tokenizer first looks for {n:,} added tokens in the text.",
            count,
        )

    def _specials_around(self) -> int:
        """The number of special tokens that the post-processor would add."""
        with library_errors():
            return 0 if self._post_processor is None else self._post_processor.num_special_tokens_to_add(False)

    def _processing_note(self) -> str:
        return self._num_around and trn(
            "The post-processor in the file would add {n:,} special token to each text; the counts here do"
            " not include this token.",
            "The post-processor in the file would add {n:,} special tokens to each text; the counts here do"
            " not include these tokens.",
            self._num_around,
        )

    def _odd_specials(self) -> str:
        """A marked sentence if names of special tokens become special tokens even as ordinary text; otherwise ""."""
        some = [(name, id) for name, id in self.special_tokens.items() if id != self.unknown_id][
            :MAX_TRIED_SPECIAL_TOKENS
        ]
        if any(id in self._read(f"é {name} é").ids for name, id in some):
            return mark(
                "The name of a special token can become that token even where it is read as ordinary text,"
                " because the vocabulary contains the name."
            )
        return ""


class LibraryResult(NamedTuple):
    """The library's result for a text."""

    ids: list[int]
    offsets: list[tuple[int, int]]  # in characters
    word_ids: list[int | None]
    special: bool  # whether special tokens were looked for


def check_merges(model: object) -> None:
    """Raises BadTokenizerFile for merges of BPE on which the library aborts the process, or panics with other words.

    It strips `continuing_subword_prefix` from the second half of a merge by length in bytes, without a check.
    """
    if not isinstance(model, dict):
        return
    vocab, merges, prefix = map(model.get, ("vocab", "merges", "continuing_subword_prefix"))
    if not isinstance(vocab, dict) or not isinstance(merges, list) or {*map(type, vocab.values())} - {int}:
        return  # the library reports it
    prefix = prefix if isinstance(prefix, str) else ""
    size = len(prefix.encode("utf-8", "surrogatepass"))
    for merge in merges:
        halves = merge.split(" ", 1) if isinstance(merge, str) else merge
        if not isinstance(halves, list) or len(halves) != 2 or not all(isinstance(half, str) for half in halves):
            continue  # the library reports it
        left, right = halves
        rest = right
        if size:
            data = right.encode("utf-8", "surrogatepass")
            if len(data) < size or (data[size : size + 1] and data[size] & 0xC0 == 0x80):  # inside a character
                problem = tr(
                    "the second half of the merge {merge} does not begin with {prefix!r}, the"
                    " continuing_subword_prefix of the file",
                    merge=shown(halves),
                    prefix=prefix[:40],
                )
                raise BadTokenizerFile("tokenizer.json", problem)
            rest = data[size:].decode("utf-8", "surrogatepass")
        if left not in vocab or right not in vocab or left + rest not in vocab:
            problem = tr(
                "{merge!r} should join two tokens into one token; all three must be in the vocabulary",
                merge=" ".join(halves)[:80],
            )
            raise BadTokenizerFile("tokenizer.json", problem)


def without_tables(facts: Mapping) -> dict:
    """Returns a file without its vocabulary and merges, which are most of its size."""
    model = {name: value for name, value in facts["model"].items() if name not in ("vocab", "merges")}
    return {**facts, "model": model}


def by_word(ids: Sequence[int], words: Sequence[int | None]) -> list[list[int]]:
    """Returns the ids grouped by word.

    >>> by_word([5, 6, 7], [0, 0, 1])
    [[5, 6], [7]]
    """
    rows = groupby(zip(words, ids, strict=True), lambda row: row[0])
    return [[id for _, id in together] for _, together in rows]
