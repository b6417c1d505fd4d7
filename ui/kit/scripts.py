"""What scripts, and tokens without one, are called in the reader's language: by Unicode's CLDR, where it has a name."""

from functools import cache

from babel import Locale

from tokenizer.words import ORIGINAL, language, mark, tr

CODES = {  # of scripts that Unicode calls otherwise than CLDR does in English
    "Bengali": "Beng",
    "Canadian_Aboriginal": "Cans",
    "Hanifi_Rohingya": "Rohg",
    "Meetei_Mayek": "Mtei",
    "Miao": "Plrd",
    "Nko": "Nkoo",
    "Oriya": "Orya",
}
OTHERS = {  # which are none of CLDR's
    mark("Han, simplified"),
    mark("Han, traditional"),
    mark("Han and kana"),
    mark("another script"),
    mark("mixed scripts"),
    mark("digits"),
    mark("punctuation"),
    mark("symbols"),
    mark("space"),
    mark("control characters"),
    mark("part of a character"),
    mark("with part of a character"),
    mark("never in UTF-8"),
    mark("special token"),
}
MIXED = "mixed: "  # how the name of several begins


def name(script: str) -> str:
    """Returns the name of a script, or of what a token without one is made of, given what the core calls it.

    >>> from tokenizer.words import speaking
    >>> with speaking("th"):
    ...     name("Latin"), name("Oriya")
    ('ละติน', 'โอริยา')
    """
    if language() == ORIGINAL:
        return script
    if script.startswith(MIXED):
        several = [name(one) for one in script.removeprefix(MIXED).split(", ")]
        return tr("mixed: {scripts}", scripts=_listed(several))
    if script in OTHERS:
        return tr(script)
    return Locale.parse(language(), sep="-").scripts.get(CODES.get(script) or _codes().get(script, ""), script)


def _listed(names: list[str]) -> str:
    return ", ".join(names)


@cache
def _codes() -> dict[str, str]:
    return {called.replace(" ", "_"): code for code, called in Locale(ORIGINAL).scripts.items()}
