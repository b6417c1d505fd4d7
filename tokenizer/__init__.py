"""The core of Tokenloupe: how text becomes tokens. This is the public API; it imports no user interface.

>>> enc = get_encoding("gpt-4o")
>>> enc.encode("hello world")
[24912, 2375]
>>> enc.decode([24912, 2375])
'hello world'
"""

import tokenizer.display.cells  # noqa: F401  registers the renderers for notebooks
from tokenizer.display.live_box import loupe as loupe
from tokenizer.encoding.bpe import Merge as Merge
from tokenizer.encoding.bpe import MergeStep as MergeStep
from tokenizer.encoding.bpe import Ranks as Ranks
from tokenizer.encoding.bpe import merge_steps as merge_steps
from tokenizer.encoding.bpe import replay as replay
from tokenizer.encoding.interface import Encoding as Encoding
from tokenizer.encoding.tokens import Piece as Piece
from tokenizer.encoding.tokens import Segment as Segment
from tokenizer.encoding.tokens import Token as Token
from tokenizer.encoding.tokens import Tokens as Tokens
from tokenizer.encoding.tokens import pieces as pieces
from tokenizer.encoding.tokens import segments as segments
from tokenizer.errors import TokenizerError as TokenizerError
from tokenizer.formats import encoding_files as encoding_files
from tokenizer.formats import load_encoding as load_encoding
from tokenizer.formats import save_encoding as save_encoding
from tokenizer.kinds.characters import train_characters as train_characters
from tokenizer.kinds.extending import extended_encoding as extended_encoding
from tokenizer.kinds.from_merges import encoding_from_merges as encoding_from_merges
from tokenizer.kinds.registry import get_encoding as get_encoding
from tokenizer.kinds.registry import known_as as known_as
from tokenizer.kinds.registry import list_encoding_names as list_encoding_names
from tokenizer.kinds.registry import list_models as list_models
from tokenizer.kinds.registry import model_names as model_names
from tokenizer.languages.parallel import parallel_corpus as parallel_corpus
from tokenizer.measure.comparison import Comparison as Comparison
from tokenizer.measure.comparison import compare as compare
from tokenizer.measure.soundness import check as check
from tokenizer.measure.unreachable import unreachable as unreachable
from tokenizer.split.patterns import PATTERNS as PATTERNS
from tokenizer.split.patterns import PreToken as PreToken
from tokenizer.split.patterns import has_safe_cuts as has_safe_cuts
from tokenizer.split.patterns import pre_tokens as pre_tokens
from tokenizer.text.units import count_graphemes as count_graphemes
from tokenizer.text.units import count_words as count_words
from tokenizer.training.corpus import count_pre_tokens as count_pre_tokens
from tokenizer.training.train import TIE_RULES as TIE_RULES
from tokenizer.training.train import Timeline as Timeline
from tokenizer.training.train import top_pairs as top_pairs
from tokenizer.training.train import train as train
from tokenizer.training.train import train_words as train_words
from tokenizer.version import __version__ as __version__
