"""What is right by definition: the libraries themselves."""

from functools import cache
from pathlib import Path
from unittest.mock import patch

import tiktoken
from tiktoken_ext import openai_public

from tokenizer.encoding import registry


def official(name):
    """What tiktoken itself passes to tiktoken.Encoding, with our rank tables for the downloaded ones."""

    def load(url, expected_hash):
        table = Path(url).stem
        assert expected_hash == registry.SHA256[table]
        return registry.p50k_ranks() if table == "p50k_base" else registry.ranks(table)

    with patch.multiple(
        openai_public,
        load_tiktoken_bpe=load,
        data_gym_to_mergeable_bpe_ranks=lambda **files: registry.ranks("r50k_base"),
    ):
        return openai_public.ENCODING_CONSTRUCTORS[name]()


@cache
def oracle(name):
    return tiktoken.Encoding(**official(name))
