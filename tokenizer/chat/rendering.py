"""Renders one chat template in Jinja, and ends: a program by itself, for templates that nobody vouches for.

It reads a question of JSON from its input and writes an answer of JSON. Run as a file it imports little, so it starts
in a moment: nothing else of this project is in it. `tokenizer/chat/jinja_template.py` asks.
"""

import json
import sys
from datetime import datetime

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

MOST_BYTES = 1_000_000  # of a rendered chat in UTF-8


class TooLong(Exception):
    """A rendered chat is longer than it may be."""


class Refused(jinja2.TemplateError):
    """What a template says where it refuses the messages."""


class Generation(Extension):
    """`{% generation %}`, which some templates put around what an assistant says, changes nothing."""

    tags = {"generation"}

    def parse(self, parser: jinja2.parser.Parser) -> list:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def environment(day: str) -> ImmutableSandboxedEnvironment:
    """Returns Jinja as Hugging Face's library sets it up for chat templates, on a day such as 2024-07-26."""
    now = datetime.fromisoformat(day)
    made = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, Generation])
    made.filters["tojson"] = to_json
    made.globals |= {"raise_exception": refuse, "strftime_now": now.strftime}
    return made


def to_json(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False) -> str:
    """Jinja's own would escape what is special in HTML; a prompt is none."""
    return json.dumps(value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def refuse(words: object):
    """What a template calls to say that it cannot render these messages."""
    raise Refused(str(words))


def rendered(template: jinja2.Template, names: dict) -> str:
    """Returns what a template makes of these names; raises TooLong."""
    found, size = [], 0
    for piece in template.generate(**names):
        size += len(piece.encode("utf-8", "replace"))
        if size > MOST_BYTES:
            raise TooLong
        found.append(piece)
    return "".join(found)


def best(template: jinja2.Template, given: dict, forms: list[dict]) -> dict:
    """Returns the renderings of the form that loses fewest marks in the second of them, the first such, and its index.

    Raises what the first form does where none can be rendered.
    """
    fewest, found, problem = sys.maxsize, {}, None
    for i, form in enumerate(forms):
        try:
            texts = [rendered(template, given | names) for names in form["names"]]
        except MemoryError:
            raise
        except Exception as error:
            problem = problem or error
            continue
        lost = sum(mark not in texts[1] for mark in form["marks"])
        if lost < fewest:
            fewest, found = lost, {"found": texts, "form": i}
        if not lost:
            break
    if not found:
        raise problem
    return found


def answer(question: dict) -> dict:
    """Returns the renderings that are asked for, or in one word what went wrong, with its words and the line."""
    try:
        template = environment(question["day"]).from_string(question["source"])
        return best(template, question["given"], question["forms"])
    except TooLong:
        return {"wrong": "long"}
    except Refused as error:
        return {"wrong": "refused", "words": str(error)[:500]}
    except jinja2.TemplateSyntaxError as error:
        return {"wrong": "syntax", "words": str(error.message)[:500], "line": error.lineno}
    except jinja2.exceptions.SecurityError as error:
        return {"wrong": "unsafe", "words": str(error)[:500]}
    except (MemoryError, RecursionError):
        return {"wrong": "memory"}
    except Exception as error:  # whatever an expression of the template does
        return {"wrong": "failed", "words": f"{type(error).__name__}: {error}"[:500]}


if __name__ == "__main__":
    json.dump(answer(json.load(sys.stdin)), sys.stdout)
