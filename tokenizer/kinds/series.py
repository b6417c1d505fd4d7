"""Names of models as model hubs and API documents spell them, such as `Qwen/Qwen3-8B`, and the key of their vocabulary.

A pattern names the generations that share a vocabulary. Sizes, dates and words such as `instruct` may follow it; any
other word may mean another vocabulary, so the name stays unknown.
"""

import csv
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from tokenizer.paths import ASSETS

MAX_NAME_CHARACTERS = 100  # longer ones are unknown


class Series(NamedTuple):
    """Generations of a model with one vocabulary, a row of assets/series.csv; the sources were read in 2026-11.

    In `pattern`, a dot stands for a dot or a hyphen, and a space for a hyphen or nothing. `owners` are the
    organisations before a slash. `words` may follow the pattern in any number, in addition to sizes and dates.
    """

    key: str  # of `open_models`, `counters` or `UNAVAILABLE`
    pattern: str
    owners: str
    words: str
    has_sizes: str  # "yes", or empty where a size may mean another model: Ollama's deepseek-r1:8b is a Qwen
    url: str


with (ASSETS / "series.csv").open(encoding="utf-8", newline="") as _file:
    SERIES = [Series(**row) for row in csv.DictReader(_file)]

UNAVAILABLE = {"grok": "Grok"}  # known models whose vocabulary no package has

_DATE = r"\d{4}-\d\d-\d\d|\d{8}|\d{6}|\d{4}|\d\d-\d{4}|\d\d-\d\d"
_SIZE = r"\d+(\.\d+)?[bmt]|\d+x\d+b|[ae]\d+(\.\d+)?b|\d+e|original|latest"
_FORM = (
    r"(fp|bf|int|mxfp|nvfp)\d+|[34568]bit|awq|gptq|gguf|i?q\d(-([k01]|x*s|nl))?(-(s|m|l|xl))?|qat|bnb|free|mlx|dwq"
    r"|onnx|unsloth|ud|cloud|maas"  # the last two: of Ollama and of Vertex AI
)
_SITES = r"(https?://)?(www\.)?(huggingface\.co/|hf\.co/|ollama\.com/(library/)?|openrouter(\.ai)?/|models/|openai(-community)?/)"
_ROUTES = (  # of LiteLLM
    r"(azure(_ai)?|bedrock|cerebras|deepinfra|gemini|github(_copilot)?|groq|huggingface|moonshot|nvidia_nim"
    r"|ollama(_chat)?|together(_ai)?|vertex_ai)/"
)
_COPIES = (  # mostly quantized, under the model's own name
    r"(bartowski|ggml-org|lmstudio-community|mlx-community|nousresearch|onnx-community|thebloke|unsloth)/"
)
_BEFORE = rf"({_SITES}|{_ROUTES}|{_COPIES})*"
_CLOUDS = (  # Amazon Bedrock's prefixes; its names of DeepSeek's models need the owner: deepseek.r1-v1:0
    r"((us|us-gov|eu|apac|au|jp|global)\.)?((anthropic|google|meta|mistral|moonshot(ai)?|openai|qwen)\.|(?=deepseek\.))"
)


def _compiled(series: Series) -> re.Pattern[str]:
    pattern = re.sub(r"(?<!\\)\.(?!\*)", "[.-]", series.pattern).replace(" ", "-?")
    words = "|".join([_DATE, _FORM, series.words, *([_SIZE] if series.has_sizes else ())])
    # atomic, so that a long name that does not match fails in linear time
    return re.compile(f"(({series.owners})/)?({pattern})(?>-({words})(?=-|$))*+")


_PATTERNS = [(_compiled(series), series.key) for series in SERIES]


def plain(name: str) -> str:
    """Returns a name in lower case with hyphens, without the hosts, the copier or the cloud before it.

    >>> plain("Claude Sonnet 4.5"), plain("us.anthropic.claude-opus-4-6-v1:0"), plain("azure/gpt-4o")
    ('claude-sonnet-4.5', 'claude-opus-4-6-v1-0', 'gpt-4o')
    """
    name = re.sub(r"(?<![^/])bartowski/([a-z-]+)_", r"\1/", name.strip().lower())  # bartowski/google_gemma-3-4b-it
    if not ("ollama" in name and name.endswith("/deepseek-r1")):  # there a Qwen that learned from it
        name = re.sub(rf"^{_BEFORE}({_CLOUDS})?", "", name)
    return re.sub(r"[\s_:@-]+|\.(?=gguf$)", "-", name)


@lru_cache(1000)
def key_of(name: str) -> str | None:
    """Returns the key of the series of a model, or None.

    >>> key_of("meta-llama/Llama-3.1-8B-Instruct"), key_of("gemini-2.5-pro"), key_of("llama-5")
    ('llama3', 'gemini', None)
    """
    if len(name) > MAX_NAME_CHARACTERS:
        return None
    return next((key for pattern, key in _PATTERNS if pattern.fullmatch(plain(name))), None)


def find(keys: Mapping[str, str], name: object) -> str | None:
    """Returns the key that a table has for a name, or for the key of its series; None without one.

    >>> find({"llama3": "llama3", "llama-3": "llama3"}, "Llama 3")
    'llama3'
    """
    if not isinstance(name, str):
        return None
    spelled = name.strip().lower().replace(" ", "-")
    return keys.get(spelled) or keys.get(key_of(name) or "")
