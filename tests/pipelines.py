"""Tokenizers of every model and many steps, trained by Hugging Face's library on a small text."""

import json
from functools import cache

from temporary import new_folder
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from tokenizer import load_encoding
from tokenizer.formats.sandboxed_model import load_sandboxed
from tokenizer.text.samples import samples

CORPUS = [sample.text for sample in samples()] + ["The cat costs 42, the cats cost 1,337! ที่ Ünïcödé ﬁne ½"]
LETTERS = pre_tokenizers.ByteLevel.alphabet()


def trained(model, trainer, normalizer=None, pre_tokenizer=None, decoder=None, post_processor=None):
    made = Tokenizer(model)
    for name, part in (("normalizer", normalizer), ("pre_tokenizer", pre_tokenizer), ("decoder", decoder)):
        if part is not None:
            setattr(made, name, part)
    made.train_from_iterator(CORPUS, trainer)
    if post_processor is not None:
        made.post_processor = post_processor(made)
    return made


def bert(lowercase=True):
    return trained(
        models.WordPiece(unk_token="[UNK]"),
        trainers.WordPieceTrainer(
            vocab_size=600, special_tokens=["[PAD]", "[UNK]", "[CLS]", "[SEP]"], show_progress=False
        ),
        normalizers.BertNormalizer(lowercase=lowercase),
        pre_tokenizers.BertPreTokenizer(),
        decoders.WordPiece(),
        lambda made: processors.TemplateProcessing(
            single="[CLS] $A [SEP]", special_tokens=[(one, made.token_to_id(one)) for one in ("[CLS]", "[SEP]")]
        ),
    )


def unigram(specials=("<unk>",)):
    return trained(
        models.Unigram(),
        trainers.UnigramTrainer(vocab_size=400, special_tokens=list(specials), unk_token="<unk>", show_progress=False),
        normalizers.Sequence([normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]),
        pre_tokenizers.Metaspace(),
        decoders.Metaspace(),
    )


def llama():
    made = trained(
        models.BPE(byte_fallback=True, fuse_unk=True, unk_token="<unk>"),
        trainers.BpeTrainer(
            vocab_size=700,
            limit_alphabet=80,
            special_tokens=["<unk>", *(f"<0x{byte:02X}>" for byte in range(256))],
            show_progress=False,
        ),
        normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")]),
        pre_tokenizers.Sequence([pre_tokenizers.Metaspace(), pre_tokenizers.Split("\n", "isolated")]),
        decoders.Sequence(
            [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
        ),
    )
    facts = json.loads(made.to_str())
    facts["added_tokens"] = facts["added_tokens"][:1]  # byte tokens are not special
    facts["pre_tokenizer"] = None  # only the training splits at words
    made = Tokenizer.from_str(json.dumps(facts))
    made.add_special_tokens(["<s>", "</s>"])
    return made


def words():
    made = trained(
        models.WordLevel(unk_token="[UNK]"),
        trainers.WordLevelTrainer(vocab_size=300, special_tokens=["[UNK]"], show_progress=False),
        normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()]),
        pre_tokenizers.Whitespace(),
    )
    made.enable_truncation(512)
    made.enable_padding()
    return made


def byte_level(pre_tokenizer, normalizer=None, size=600):
    return trained(
        models.BPE(),
        trainers.BpeTrainer(vocab_size=size, initial_alphabet=LETTERS, special_tokens=["<|end|>"], show_progress=False),
        normalizer,
        pre_tokenizer,
        decoders.ByteLevel(),
        lambda made: processors.ByteLevel(trim_offsets=True),
    )


def digits():
    return byte_level(
        pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(False)])
    )


def with_added():
    made = byte_level(pre_tokenizers.ByteLevel(False), normalizers.NFC())
    made.add_tokens(
        ["<think>", AddedToken("Cat", single_word=True, lstrip=True), AddedToken("don't", normalized=False)]
    )
    return made


def ignoring():
    """Like Llama 3: a pre-token in the vocabulary is not merged."""
    facts = json.loads(byte_level(pre_tokenizers.ByteLevel(False), size=500).to_str())
    facts["model"]["ignore_merges"] = True
    return Tokenizer.from_str(json.dumps(facts))


def deepseek():
    """Several splits, and added tokens that are ordinary text."""
    numbers = pre_tokenizers.Split(Regex(r"\p{N}{1,3}"), "isolated")
    signs = pre_tokenizers.Split(Regex(r" ?[\p{P}\p{S}]+[\r\n]*"), "isolated")
    steps = [numbers, signs, pre_tokenizers.ByteLevel(False, use_regex=False)]
    made = byte_level(pre_tokenizers.Sequence(steps), normalizers.Sequence([]))
    made.add_tokens([AddedToken("<think>", normalized=False), AddedToken("don't", normalized=False), "<｜User｜>"])
    return made


def clip():
    """Words with an end-of-word suffix."""
    return trained(
        models.BPE(unk_token="[UNK]", end_of_word_suffix="</w>"),
        trainers.BpeTrainer(vocab_size=600, end_of_word_suffix="</w>", special_tokens=["[UNK]"], show_progress=False),
        normalizers.NFKD(),
        pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation()]),
        decoders.BPEDecoder("</w>"),
    )


LIBRARY = {
    "BERT's way": bert,
    "BERT's way, cased": lambda: bert(lowercase=False),
    "Unigram": unigram,
    "Unigram, T5's way": lambda: unigram(["<unk>", "<s>", "</s>"]),
    "Llama's way": llama,
    "WordLevel": words,
    "a space before": lambda: byte_level(pre_tokenizers.ByteLevel(True)),
    "digits": digits,
    "added tokens": with_added,
    "ignored merges": ignoring,
    "DeepSeek's way": deepseek,
    "ends of words": clip,
}
library = cache(lambda name: LIBRARY[name]())


@cache
def files(name):
    folder = new_folder()
    library(name).save(str(folder / "tokenizer.json"))
    return {"tokenizer.json": (folder / "tokenizer.json").read_bytes()}


@cache
def loaded(name):
    path = new_folder() / "tokenizer.json"
    path.write_bytes(files(name)["tokenizer.json"])
    return load_encoding(path)


@cache
def loaded_sandboxed(name):
    return load_sandboxed(files(name), "tokenizer.json")


@cache
def oracle(name):
    """The library's tokenizer without truncation and padding, as here."""
    made = Tokenizer.from_str(files(name)["tokenizer.json"].decode())
    made.no_truncation()
    made.no_padding()
    made.encode_special_tokens = True
    return made
