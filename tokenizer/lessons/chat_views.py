"""View of a chat: the tokens of a message, and those of the template around it."""

from tokenizer.chat.messages import Message
from tokenizer.chat.reading import Prompt, with_marks
from tokenizer.chat.templates import FAMILIES
from tokenizer.kinds.registry import get_encoding
from tokenizer.lessons.views import Shown, Still
from tokenizer.lessons.wording import Counted


def chat(text: str, family: str = "chatml", encoding: str = "cl100k_base") -> Shown:
    """Counts the tokens of a chat with one message in a family's template: of its text and of its wrapping.

    >>> facts = chat("Hello!").facts
    >>> facts["text"], facts["wrapping"], facts["tokens"]
    (2, 7, 9)
    """
    writes = FAMILIES[family]
    known = with_marks(get_encoding(encoding), writes.marks).encoding
    prompt = Prompt(writes.render([Message("user", text)]), known)
    own, around = prompt.counts(0)
    behind = sum(prompt.counts(None))
    facts = {"text": Counted(own), "wrapping": Counted(around + behind), "tokens": Counted(len(prompt.tokens))}
    return Shown(facts, [Still("chat", prompt.tokens)])


VIEWS = {"chat": chat}
