"""What the Languages page calls things in the reader's language, and in English where a file has them."""

import pandas as pd

from tokenizer.i18n import SOURCE_LANGUAGE, mark, using_language
from tokenizer.languages.parallel import Language, languages

KINDS = {  # of sentences
    mark("everyday"),
    mark("news"),
    mark("technical"),
    mark("instructions"),
    mark("dialogue"),
    mark("numbers and names"),
    mark("law and administration"),
    mark("science and society"),
}


def with_autonym(name: str, autonym: str | None) -> str:
    """Returns a language's name, and beside it its own, where that is another.

    >>> with_autonym("Thai", "ไทย"), with_autonym("English", "English")
    ('Thai · ไทย', 'English')
    """
    return name if autonym in (None, name) else f"{name} · {autonym}"


def keys() -> dict[str, Language]:
    """Returns the languages as addresses and files have them, in English."""
    with using_language(SOURCE_LANGUAGE):
        return languages()


def in_english(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns a table with its languages, scripts and families in English, as files have them."""
    known = keys()
    names = {"language": "name", "script": "script", "family": "family"}
    return rows.assign(
        **{
            column: [getattr(known[tag], fact) for tag in rows["tag"]]
            for column, fact in names.items()
            if column in rows
        }
    )
