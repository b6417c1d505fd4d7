"""Third-party trainers: libraries with options of their own that produce a tokenizer file."""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple

from tokenizer.errors import UnknownName
from tokenizer.i18n import mark
from tokenizer.training import pipeline, spm


class Maker(NamedTuple):
    """A library that trains: its name, a dataclass of its options, and a function from texts to a file."""

    label: str
    options: type
    check: Callable[[Any], None]  # raises TokenizerError for invalid options
    train: Callable[[Any, Sequence[str]], bytes]
    suffix: str  # of the file


MAKERS = {
    "sentencepiece": Maker("SentencePiece", spm.Options, spm.check, spm.train, ".model"),
    "huggingface": Maker("Hugging Face", pipeline.Options, pipeline.check, pipeline.train, ".json"),
}


@dataclass(frozen=True)
class ExternalTraining:
    """The order of a training by another program; the last `held_out` texts are not learned from."""

    maker: str
    options: Any
    held_out: int = 0

    def to_json(self) -> str:
        """Returns the order as one line, the same for the same order.

        >>> ExternalTraining("sentencepiece", spm.Options("bpe")).to_json()[:62]
        '{"held_out": 0, "maker": "sentencepiece", "options": {"add_dum'
        """
        return json.dumps(
            {"maker": self.maker, "options": asdict(self.options), "held_out": self.held_out}, sort_keys=True
        )

    @classmethod
    def from_facts(cls, facts: dict) -> "ExternalTraining":
        """Returns the order from the parsed JSON of `to_json`; raises UnknownName.

        >>> order = ExternalTraining("sentencepiece", spm.Options(user_symbols=("a",)))
        >>> ExternalTraining.from_facts(json.loads(order.to_json())).options
        ... # doctest: +ELLIPSIS
        Options(model_type='unigram', ..., user_symbols=('a',))
        """
        if facts["maker"] not in MAKERS:
            raise UnknownName(
                mark("Unknown training program {name}."),
                mark("Known training programs: {names}."),
                facts["maker"],
                MAKERS,
            )
        kind = MAKERS[facts["maker"]].options
        options = {name: tuple(value) if isinstance(value, list) else value for name, value in facts["options"].items()}
        known = {field.name for field in fields(kind)}
        return cls(facts["maker"], kind(**{name: options[name] for name in known & options.keys()}), facts["held_out"])

    def train(self, texts: Sequence[str]) -> bytes:
        """Returns the trained file; raises TokenizerError."""
        return MAKERS[self.maker].train(self.options, texts[: len(texts) - self.held_out])
