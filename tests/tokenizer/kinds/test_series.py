"""Names of models as hubs and API documents spell them: the right vocabulary, or a refusal."""

import time
from contextlib import suppress

import pytest
from amounts import examples
from hypothesis import given
from hypothesis import strategies as st
from paths import ROOT
from shell import invoke

from tokenizer.errors import Unavailable, UnknownEncoding
from tokenizer.kinds import counters, open_models
from tokenizer.kinds.registry import encoding_name
from tokenizer.kinds.series import MAX_NAME_CHARACTERS, SERIES, UNAVAILABLE, key_of

MEANT = {
    "llama4": [
        "meta-llama/Llama-4-Scout-17B-16E-Instruct", "Llama-4-Maverick-17B-128E-Instruct-FP8", "llama4:scout",
        "us.meta.llama4-scout-17b-instruct-v1:0", "cerebras/llama-4-scout-17b-16e-instruct",
        "vertex_ai/meta/llama-4-maverick-17b-128e-instruct-maas",
    ],
    "llama3": [
        "meta-llama/Llama-3.1-8B-Instruct", "Meta-Llama-3-70B-Instruct", "llama3.2:1b",
        "meta-llama/Llama-3.3-70B-Instruct",
        "llama-3.3-70b-versatile", "meta.llama3-1-8b-instruct-v1:0", "Llama 3.2 11B Vision Instruct",
        "ollama/llama3.1", "groq/llama-3.3-70b-versatile", "llama3.2:latest",
        "together/meta-llama/Llama-3.3-70B-Instruct-Turbo",
        "unsloth/Meta-Llama-3.1-8B-bnb-4bit",
        "hf.co/bartowski/Llama-3.2-3B-Instruct-GGUF:IQ4_XS", "mlx-community/Llama-3.2-3B-Instruct-4bit",
        "unsloth/Llama-3.2-1B-Instruct-unsloth-bnb-4bit", "NousResearch/Meta-Llama-3.1-8B-Instruct",
        "nvidia_nim/meta/llama-3.1-70b-instruct", "llama-3.2-3b-instruct-q8_0.gguf",
        "meta-llama/Meta-Llama-3.1-405B-Instruct-FP8", "https://huggingface.co/meta-llama/Llama-3.2-3B",
    ],
    "llama2": [
        "meta-llama/Llama-2-7b-chat-hf", "llama2:13b", "TinyLlama/TinyLlama-1.1B-Chat-v1.0", "lmsys/vicuna-7b-v1.5",
    ],
    "codellama": ["codellama/CodeLlama-7b-Instruct-hf", "codellama/CodeLlama-13b-hf"],
    "qwen3": [
        "qwen2.5-72b-instruct", "Qwen/Qwen3-8B", "Qwen/Qwen2.5-Coder-32B-Instruct", "Qwen3-235B-A22B-Thinking-2507",
        "qwen3:8b", "qwen2.5:72b-instruct-q4_K_M", "Qwen/Qwen2-7B-Instruct", "Qwen/Qwen2.5-7B-Instruct-AWQ", "Qwen 2.5",
        "bartowski/Qwen_Qwen3-8B-GGUF", "unsloth/Qwen3-8B-GGUF:UD-Q4_K_XL", "qwen.qwen3-32b-v1:0", "Qwen3-8B-MLX-4bit",
    ],
    "qwen3.5": ["Qwen/Qwen3.5-27B", "qwen3.6-35b-a3b", "Qwen 3.5"],
    "deepseek_v3": [
        "deepseek-ai/DeepSeek-V3", "DeepSeek-V3-0324", "deepseek-ai/DeepSeek-R1", "deepseek-r1-0528", "deepseek-v3.1",
        "deepseek-ai/DeepSeek-V3.2-Exp", "deepseek-ai/DeepSeek-V4-Pro", "deepseek-r1:671b",
        "deepseek-chat", "deepseek/deepseek-reasoner", "openrouter/deepseek/deepseek-chat-v3-0324:free",
        "us.deepseek.r1-v1:0", "deepseek.v3-v1:0", "bedrock/deepseek.v3.2", "deepseek-v3.1:671b-cloud",
        "deepseek-ai/deepseek-v3.2-maas",
    ],
    "mistral_v1": [
        "mistralai/Mistral-7B-v0.1", "mistralai/Mistral-7B-Instruct-v0.2", "mistralai/Mixtral-8x7B-Instruct-v0.1",
        "mistral.mistral-7b-instruct-v0:2",
    ],
    "mistral_v2": ["mistralai/Mistral-7B-Instruct-v0.3", "Mistral 7B v0.3"],
    "mistral_v3": ["mistralai/Mistral-Nemo-Instruct-2407", "open-mistral-nemo-2407", "mistralai/Pixtral-12B-2409"],
    "gemma4": ["google/gemma-4-26b-a4b-it", "google/gemma-4-E4B-it", "gemini-3.1-pro-preview", "gemini-3.5-flash"],
    "gemma3": [
        "google/gemma-3-27b-it", "gemma3:4b", "gemma-3-270m", "gemma3:4b-it-qat", "gemini-2.5-pro",
        "ggml-org/gemma-3-4b-it-GGUF",
        "google.gemma-3-27b-it",
        "models/gemini-2.5-flash-lite",
        "gemini-2.0-flash-001", "gemini-2.5-pro-preview-06-05", "gemini-3-pro-preview", "google/gemini-2.5-flash",
    ],
    "gemma2": ["google/gemma-2-9b-it", "gemma2:2b", "gemma-2-2b"],
    "glm4": ["zai-org/GLM-4.5", "GLM-4.5-Air", "z-ai/glm-4.5"],
    "kimi_k2": [
        "moonshotai/Kimi-K2-Instruct-0905", "kimi-k2.5", "moonshotai/kimi-k2:free", "kimi-k2-0905-preview",
        "kimi-k2:1t-cloud", "moonshot/kimi-k2.5", "moonshot.kimi-k2-thinking",
    ],
    "phi4": ["microsoft/phi-4", "phi4:14b", "microsoft/Phi-4-reasoning-plus"],
    "olmo2": ["allenai/OLMo-2-1124-7B-Instruct", "olmo2:7b"],
    "whisper": ["openai/whisper-large-v2", "whisper-1", "openai/whisper-medium"],
    "whisper_v3": ["openai/whisper-large-v3", "openai/whisper-large-v3-turbo"],
    "o200k_base": [
        "gpt-4o-2024-08-06", "openai/gpt-4o-mini", "GPT-4o", "gpt 4o", "openai/gpt-5-mini", "o3-mini", "openai/o1",
        "ft:gpt-4o-mini-2024-07-18:my-org:suffix:AbCd123", "ft:gpt-4.1-nano-2025-04-14:org::AbCd", "ft:gpt-4o",
        "openai/ft:gpt-4o:org::id", "azure/gpt-4o", "openrouter/openai/gpt-4o",
        "gpt-4-o", "gpt-4-o-mini", "GPT-4 Omni", "gpt-4-1-mini", "gpt-4-5-preview",
    ],
    "gpt2": ["openai-community/gpt2", "gpt2-xl", "distilgpt2", "distilbert/distilgpt2"],
    "r50k_base": ["davinci:ft-my-org-2023-03-01-21-44-20", "curie:ft-personal-2021-03-03-21-44-20"],
    "o200k_harmony": ["openai/gpt-oss-20b", "gpt-oss:120b", "GPT-OSS 20B", "groq/openai/gpt-oss-20b"],
    "cl100k_base": [
        "gpt-4-0613", "openai/gpt-4-turbo", "GPT-4", "gpt-3.5-turbo-0125", "text-embedding-3-small",
        "ft:gpt-3.5-turbo-0613:personal::8abcDEF", "ft:davinci-002:my-org::7pLx",
        "gpt-4-1106-preview", "gpt-4-32k", "gpt-3-5-turbo-0125", "azure/gpt-35-turbo",
    ],
    "claude-3": [
        "claude-sonnet-4-5-20250929", "Claude Sonnet 4.5", "claude-sonnet-4-5", "claude opus 4",
        "claude-3-opus-20240229",
        "claude-3-5-sonnet-20241022", "claude-3-7-sonnet-latest", "anthropic/claude-opus-4.1", "haiku", "sonnet 4.5",
        "claude-haiku-4-5-20251001", "us.anthropic.claude-sonnet-4-20250514-v1:0", "claude-3-5-sonnet-v2@20241022",
        "claude-sonnet-4-6",
        "jp.anthropic.claude-sonnet-4-5-20250929-v1:0", "au.anthropic.claude-opus-4-6-v1",
    ],
    "claude-4.7": ["claude-opus-4-7", "Claude Opus 4.7"],
    "claude-4.8": ["opus", "sonnet", "claude-opus-4-8", "anthropic/claude-sonnet-5", "Claude Opus 5", "claude fable 5"],
}  # fmt: skip

REFUSED = [  # another vocabulary, or one that nothing here says
    "llama-5", "llama-3.5", "llama-1", "llama-guard-3-8b", "qwen9", "Qwen/Qwen-72B-Chat", "Qwen1.5-7B", "qwen-max",
    "qwen4",
    "Mistral-7B-Instruct", "mistral:7b", "Mistral-7B-v0.4", "Mistral-Large-2407", "Mistral-Small-24B-Instruct-2501",
    "google/gemma-7b-it", "gemma-2b", "gemma-1.1-7b-it", "gemma-3n-e4b-it", "gemma-5", "google/embeddinggemma-300m",
    "microsoft/phi-2", "microsoft/Phi-3-mini-4k-instruct", "phi-4-mini-instruct", "phi-5", "deepseek-ai/DeepSeek-V2",
    "deepseek-r1:8b", "ollama/deepseek-r1", "https://ollama.com/library/deepseek-r1", "deepseek-r1:latest",
    "unsloth/DeepSeek-R1-0528-Qwen3-8B-GGUF", "bartowski/Llama-3.1-8B-Lexi-Uncensored-GGUF",
    "bartowski/someone_Llama-3.1-8B-Instruct-GGUF",
    "deepseek-ai/DeepSeek-R1-Distill-Llama-70B", "deepseek-coder-33b-instruct", "deepseek-v9",
    "gemini-1.5-pro", "gemini-9", "claude-2.1", "claude-instant-1.2", "claude-haiku-5", "claude-opus-6",
    "claude-sonnet-4-7",
    "glm-4.6", "kimi-k9", "allenai/OLMo-3-7B", "openai/whisper-tiny.en", "whisper-large", "gpt-9",
    "codellama/CodeLlama-34b-hf",
    "codellama/CodeLlama-7b-Python-hf", "someone/Llama-3.1-8B-Instruct", "nvidia/Llama-3.1-Nemotron-70B-Instruct",
    "grokking", "glm-4.7-flash", "deepseek.r1-distill-qwen-32b", "us.deepseek-r1", "v3", "r1-v1:0",
]  # fmt: skip


PAIRS = [(key, name) for key, names in MEANT.items() for name in names]


def vocabulary(name):
    return counters.key_of(name) or encoding_name(name)


@pytest.mark.parametrize("key", MEANT)
def test_name_of_a_hub_or_an_api_means_its_vocabulary(key):
    for name in MEANT[key]:
        assert vocabulary(name) == vocabulary(name.upper()) == vocabulary(f" {name} ") == key, name


def test_name_that_may_mean_another_vocabulary_is_refused():
    for name in REFUSED:
        with pytest.raises(UnknownEncoding):
            pytest.fail(f"{name} means {vocabulary(name)}")


@pytest.mark.parametrize("name", ["grok", "Grok", "grok-4", "x-ai/grok-4-fast", "grok-code-fast-1", "xai/grok-3-mini"])
def test_model_without_a_public_vocabulary_is_refused_with_the_reason(name):
    with pytest.raises(Unavailable, match="Grok is not available: no package used here has its vocabulary"):
        vocabulary(name)
    done = invoke("count", "-e", name, "-t", "a")
    assert done.exit_code == 2 and "no package used here has its vocabulary" in done.stderr


@pytest.mark.parametrize(
    ("name", "similar"),
    [("llama-5", "llama-4"), ("qwen9", "qwen3"), ("someone/Qwen9-72B", "qwen-3"), ("gemma-9-9b-it", "gemma")],
)
def test_error_for_an_unknown_model_names_open_models_and_where_all_are(name, similar):
    done = invoke("count", "-e", name, "-t", "a")
    assert similar in done.stderr.split("Known encodings")[0] and "tokenloupe vocab --names" in done.stderr


@examples(200)
@given(st.sampled_from(PAIRS), st.text("abcdefgz/", min_size=1))
def test_another_word_at_the_end_never_means_another_vocabulary(known, word):
    key, name = known
    with suppress(UnknownEncoding):
        assert vocabulary(f"{name}-{word}") == key


def test_each_series_has_a_key_and_its_source_in_the_docs():
    known = {*open_models.BY_KEY, *open_models.NAMES, *counters.BY_KEY, *UNAVAILABLE}
    docs = (ROOT / "docs" / "models.md").read_text(encoding="utf-8").splitlines()
    assert {series.key for series in SERIES} <= known
    for series in SERIES:
        if series.key not in UNAVAILABLE:
            row = next(row for row in docs if row.endswith(f"| {series.url} |") and row.count("|") == 3)
            assert series.key in row.split("|")[1].replace(",", " ").split(), series.pattern


@pytest.mark.parametrize("part", ["-06", "-1", "-06-05", "-8b", "-q4-k", "-v1-0", "-x", " "])
def test_long_names_are_refused_in_linear_time(part):
    start = time.process_time()
    for stem in ("grok", "gemini-2.5", "claude-opus-4", "llama-3", "qwen3"):
        key_of(f"{(stem + part * 99)[: MAX_NAME_CHARACTERS - 1]}!")
    assert time.process_time() - start < 1
    assert key_of("qwen3" + "-8b" * 9_999) is None
    with pytest.raises(UnknownEncoding):
        encoding_name(part * 20_000)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        ("qwen1.5", None),  # another generation has another vocabulary
        ("deepseek-r1:8b", None),
        ("gemma-7b", None),
        ("claude-2.1", None),
        ("lama3", "llama3"),
        ("o200kbase", "o200k_base"),
        ("chat-gpt-4", "gpt-4"),
        ("phi-2", None),
        ("phi4-mini", "phi4"),
        ("sora-2", None),
        ("llama33", "llama3.3"),
    ],
)
def test_suggestion_has_the_digits_of_the_name(name, suggestion):
    with pytest.raises(UnknownEncoding) as raised:
        encoding_name(name)
    assert raised.value.suggestion == suggestion
