"""English error messages of Python and the library `regex`, to be translated."""

from tokenizer.i18n import mark, tr

MESSAGES = (
    # of a regular expression
    mark("missing )"),
    mark("missing >"),
    mark("missing ]"),
    mark("missing }"),
    mark("expected }"),
    mark("unbalanced parenthesis"),
    mark("unterminated character set"),
    mark("expected character set"),
    mark("min repeat greater than max repeat"),
    mark("nothing to repeat"),
    mark("multiple repeat"),
    mark("repeat count too big"),
    mark("missing group name"),
    mark("bad character in group name"),
    mark("unknown group"),
    mark("invalid group reference"),
    mark("ambiguous group reference"),
    mark("cannot refer to an open group"),
    mark("unknown property"),
    mark("unknown property value"),
    mark("undefined character name"),
    mark("undefined named list"),
    mark("unknown extension"),
    mark("unknown verb"),
    mark("bad character range"),
    mark("bad fuzzy cost limit"),
    mark("repeated fuzzy cost"),
    mark("expected lookaround conditional"),
    mark("bad inline flags: no flags after '-'"),
    mark("bad inline flags: flag turned on and off"),
    mark("bad inline flags: cannot turn off global flag"),
    mark("VERSION0 and VERSION1 flags are mutually incompatible"),
    mark("bad escape (end of pattern)"),
    mark("bad escape"),
    mark("bad hex escape"),
    mark("incomplete escape"),
    # of JSON
    mark("Expecting value"),
    mark("Expecting property name enclosed in double quotes"),
    mark("Expecting ':' delimiter"),
    mark("Expecting ',' delimiter"),
    mark("Illegal trailing comma before end of object"),
    mark("Illegal trailing comma before end of array"),
    mark("Invalid \\escape"),
    mark("Invalid \\uXXXX escape"),
    mark("Extra data"),
    # of UTF-8 and UTF-16
    mark("invalid start byte"),
    mark("invalid continuation byte"),
    mark("unexpected end of data"),
    mark("truncated data"),
    mark("illegal UTF-16 surrogate"),
    mark("illegal encoding"),
)
CLEARER = {  # by a message that is not clear by itself
    "nothing for fuzzy constraint": mark("a fuzzy constraint follows nothing that it could apply to"),
    "Unterminated string starting at": mark("Unterminated string"),
    "Invalid control character at": mark(
        "a control character that is not allowed here; write it as an escape such as \\n"
    ),
}


def translated(message: str) -> str:
    r"""Returns a message in the current language, or as it is if it is not known here.

    >>> translated("bad escape \\k"), translated("Unterminated string starting at"), translated("anything else")
    ('bad escape \\k', 'Unterminated string', 'anything else')
    """
    if message in CLEARER:
        return tr(CLEARER[message])
    if message in MESSAGES:
        return tr(message)
    text, backslash, escape = message.partition(" \\")
    return f"{tr(text)}{backslash}{escape}" if text in MESSAGES else message
