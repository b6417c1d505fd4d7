"""Plain sentences for the error messages of Python and the library `regex`."""

from tokenizer.i18n import mark, tr

MESSAGES = {
    # of a regular expression
    "missing )": mark("a ) is missing"),
    "missing >": mark("a > is missing"),
    "missing ]": mark("a ] is missing"),
    "missing }": mark("a } is missing"),
    "expected }": mark("a } is missing"),
    "unbalanced parenthesis": mark("a ) has no ( before it"),
    "unterminated character set": mark("a [ has no ] after it"),
    "expected character set": mark("characters in [ ] are missing"),
    "min repeat greater than max repeat": mark("the smallest number of repeats is larger than the largest"),
    "nothing to repeat": mark("there is nothing to repeat before a sign such as * or +"),
    "multiple repeat": mark("signs such as * or + follow each other; put the first part in ( )"),
    "repeat count too big": mark("the number of repeats is too large"),
    "missing group name": mark("the name of a group is missing"),
    "bad character in group name": mark("the name of a group contains a character that is not allowed"),
    "unknown group": mark("no group has this name or number"),
    "invalid group reference": mark("no group has this name or number"),
    "ambiguous group reference": mark("several groups have this name or number"),
    "cannot refer to an open group": mark("a group cannot contain a reference to itself"),
    "unknown property": mark("there is no property of characters with this name"),
    "unknown property value": mark("this property of characters has no such value"),
    "undefined character name": mark("no character has this name"),
    "undefined named list": mark("no list has this name"),
    "unknown extension": mark("the characters after (? have no meaning"),
    "unknown verb": mark("the word after (* has no meaning"),
    "bad character range": mark("a range in [ ] must go from a smaller character to a larger one, as in a-z"),
    "bad fuzzy cost limit": mark("the limit of an approximate match is not valid"),
    "repeated fuzzy cost": mark("the limit of an approximate match is given twice"),
    "expected lookaround conditional": mark("the condition after (? must look ahead or behind, as in (?="),
    "bad inline flags: no flags after '-'": mark("a letter such as i is missing after (?-"),
    "bad inline flags: flag turned on and off": mark("a flag after (? is turned both on and off"),
    "bad inline flags: cannot turn off global flag": mark("a flag of the whole pattern cannot be turned off"),
    "VERSION0 and VERSION1 flags are mutually incompatible": mark("(?V0) and (?V1) cannot be used together"),
    "bad escape (end of pattern)": mark(
        "the pattern ends with \\ and nothing after it; remove the \\ or add a character"
    ),
    "nothing for fuzzy constraint": mark("there is nothing before the limit of an approximate match"),
    # of JSON
    "Expecting value": mark("a value is missing or not valid here"),
    "Expecting property name enclosed in double quotes": mark("a name in double quotes is missing here"),
    "Expecting ':' delimiter": mark("a : is missing here"),
    "Expecting ',' delimiter": mark("a , or a closing bracket is missing here"),
    "Illegal trailing comma before end of object": mark("the , before the closing bracket must be removed"),
    "Illegal trailing comma before end of array": mark("the , before the closing bracket must be removed"),
    "Invalid \\escape": mark("this character is not allowed after \\"),
    "Invalid \\uXXXX escape": mark("four hexadecimal digits must follow \\u"),
    "Extra data": mark("there is more text after the end of the JSON value"),
    "Unterminated string starting at": mark("a string has no closing double quote"),
    "Invalid control character at": mark(
        "a control character is not allowed here; write an escape such as \\n instead"
    ),
    # of UTF-8 and UTF-16
    "invalid start byte": mark("no character begins with this byte"),
    "invalid continuation byte": mark("the next byte does not continue the character"),
    "unexpected end of data": mark("the text ends inside a character"),
    "truncated data": mark("the text ends inside a character"),
    "illegal UTF-16 surrogate": mark("the first half of a UTF-16 surrogate pair has no second half"),
    "illegal encoding": mark("the second half of a UTF-16 surrogate pair has no first half"),
}
ESCAPES = {  # messages with an escape at the end
    "bad escape": mark("the escape {escape} has no meaning"),
    "bad hex escape": mark("the escape {escape} is not a character"),
    "incomplete escape": mark("the escape {escape} is incomplete"),
}


def translated(message: str) -> str:
    r"""Returns a plain sentence for a message in the current language, or the message if it is not known here.

    >>> translated("bad escape \\k"), translated("Unterminated string starting at"), translated("anything else")
    ('the escape \\k has no meaning', 'a string has no closing double quote', 'anything else')
    """
    if message in MESSAGES:
        return tr(MESSAGES[message])
    text, _, escape = message.partition(" \\")
    return tr(ESCAPES[text], escape=f"\\{escape}") if text in ESCAPES else message
