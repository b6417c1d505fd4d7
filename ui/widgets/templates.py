"""Chat templates from the visitor's files, for the page Chat."""

from tokenizer.chat.jinja_template import JinjaTemplate, read_config
from tokenizer.chat.templates import FAMILIES
from ui.session.choices import Choice, one_of
from ui.session.visitor_state import visitor

FIT = "fit"
FROM_FILE = "file: "
MAX_FILES = 8

TEMPLATE = Choice("template", FIT, one_of([FIT, *FAMILIES]))


def kept() -> dict[str, JinjaTemplate]:
    """Returns the visitor's templates, by their names in the list of templates."""
    return visitor().choices.setdefault("template_files", {})


def take(file: str, data: bytes, settings: bytes = b"") -> None:
    """Adds the templates of a file and chooses the first; raises BadTemplate. `settings` as in `read_config`."""
    found = read_config(data, settings)
    names = {f"{FROM_FILE}{file[:60]}" + f", {name}" * (len(found) > 1): one for name, one in found.items()}
    others = {name: one for name, one in kept().items() if name not in names} | names
    visitor().choices["template_files"] = dict(list(others.items())[-MAX_FILES:])
    TEMPLATE.choose(next(iter(names)))
