"""Worker process that renders one untrusted chat template in Jinja and exits.

It reads a request as JSON from standard input and writes the answer as JSON. `tokenizer/chat/jinja_template.py` runs it
as a file; it imports nothing else of this project, so that it starts fast.
"""

import json
import re
import sys
from datetime import datetime

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

MAX_CHAT_BYTES = 1_000_000  # of a rendered chat in UTF-8
MARKERS = re.compile("[\U000f0000-\U0010ffff]")  # private-use characters around the text of messages
ESCAPED_MARKER = re.compile(r"(?<!\\)((?:\\\\)*)\\U(00(?:0f|10)[0-9a-f]{4})")


class ChatTooLong(Exception):
    """The rendered chat has more than MAX_CHAT_BYTES."""


class Refused(jinja2.TemplateError):
    """The template called `raise_exception`."""


class Generation(Extension):
    """Ignores the tag `{% generation %}`, with which some templates mark the assistant's text for training."""

    tags = {"generation"}

    def parse(self, parser: jinja2.parser.Parser) -> list:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def environment(day: str) -> ImmutableSandboxedEnvironment:
    """Returns a Jinja environment like that of `apply_chat_template` in transformers; `day` is an ISO date."""
    now = datetime.fromisoformat(day)
    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation])
    made.filters["tojson"] = to_json
    made.globals |= {"raise_exception": refuse, "strftime_now": now.strftime}
    return made


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False) -> str:
    """Replaces Jinja's filter `tojson`, which escapes HTML."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def refuse(words: object):
    """Stands for `raise_exception`, which templates call to reject messages."""
    raise Refused(str(words))


def rendered(template: jinja2.Template, names: dict) -> str:
    """Returns the rendered template; raises ChatTooLong."""
    found, size = [], 0
    for piece in template.generate(**names):
        size += len(piece.encode("utf-8", "replace"))
        if size > MAX_CHAT_BYTES:
            raise ChatTooLong
        found.append(piece)
    return "".join(found)


def best(template: jinja2.Template, context: dict, forms: list[dict]) -> dict:
    """Returns the texts and the index of the first form whose second text lacks the fewest of its markers.

    Of equals, it is a form whose first two texts differ in markers alone, then one with the fewest escaped markers: a
    template that writes a list as Python does escapes them. Escaped markers of the second text are returned as markers.
    Raises the error of the first form if no form can be rendered.
    """
    least, found, problem = (sys.maxsize, True, 0), {}, None
    for i, form in enumerate(forms):
        try:
            texts = [rendered(template, context | names) for names in form["names"]]
        except MemoryError:
            raise
        except Exception as error:
            problem = problem or error
            continue
        if escaped := num_missing(form["marks"], texts[1]):
            texts[1] = ESCAPED_MARKER.sub(lambda one: one[1] + chr(int(one[2], 16)), texts[1])
        differs = MARKERS.sub("", texts[1]) != MARKERS.sub("", texts[0])
        faults = num_missing(form["marks"], texts[1]), differs, escaped
        if faults < least:
            least, found = faults, {"found": texts, "form": i}
        if not any(faults):
            break
    if not found:
        raise problem
    return found


def num_missing(marks: str, text: str) -> int:
    """Returns the number of markers that a text lacks."""
    return sum(mark not in text for mark in marks)


def answer(request: dict) -> dict:
    """Returns the rendered texts, or the kind of the error with its message and line."""
    try:
        template = environment(request["day"]).from_string(request["source"])
        return best(template, request["context"], request["forms"])
    except ChatTooLong:
        return {"wrong": "long"}
    except Refused as error:
        return {"wrong": "refused", "words": str(error)[:500]}
    except jinja2.TemplateSyntaxError as error:
        return {"wrong": "syntax", "words": str(error.message)[:500], "line": error.lineno}
    except jinja2.exceptions.SecurityError as error:
        return {"wrong": "unsafe", "words": str(error)[:500]}
    except (MemoryError, RecursionError):
        return {"wrong": "memory"}
    except Exception as error:  # raised by any expression of the template
        return {"wrong": "failed", "words": f"{type(error).__name__}: {error}"[:500]}


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout)
