"""Chat templates from files that a visitor brought: on the desk, for the page Chat."""

from tokenizer.chat.jinja_template import JinjaTemplate, read_config
from tokenizer.chat.templates import FAMILIES
from ui.desk import desk
from ui.desk.choices import Choice, one_of

FIT = "fit"
FROM_FILE = "file: "
MOST_FILES = 8

TEMPLATE = Choice("template", FIT, one_of([FIT, *FAMILIES]))


def kept() -> dict[str, JinjaTemplate]:
    """The templates on the desk, by the names that the list of templates has for them."""
    return desk.choices().setdefault("template_files", {})


def take(file: str, data: bytes) -> None:
    """Puts the templates of a file on the desk and chooses the first; raises BadTemplate."""
    found = read_config(data)
    names = {f"{FROM_FILE}{file[:60]}" + f", {name}" * (len(found) > 1): one for name, one in found.items()}
    others = {name: one for name, one in kept().items() if name not in names} | names
    desk.choices()["template_files"] = dict(list(others.items())[-MOST_FILES:])
    TEMPLATE.choose(next(iter(names)))
