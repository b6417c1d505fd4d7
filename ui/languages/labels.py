"""Names of languages on the Languages page, and their English names for files and addresses."""

import pandas as pd

from tokenizer.i18n import SOURCE_LANGUAGE, mark, using_language
from tokenizer.languages.parallel import Language, languages

SENTENCE_KINDS = {  # kinds of sentences
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
    """Returns a language's name, followed by its autonym if that differs.

    >>> with_autonym("Thai", "ไทย"), with_autonym("English", "English")
    ('Thai · ไทย', 'English')
    """
    return name if autonym in (None, name) else f"{name} · {autonym}"


def english_languages() -> dict[str, Language]:
    """Returns the languages with English names, as addresses and files contain them."""
    with using_language(SOURCE_LANGUAGE):
        return languages()


def with_english_names(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns a table with the English names of its languages, scripts and families."""
    known = english_languages()
    names = {"language": "name", "script": "script", "family": "family"}
    return rows.assign(
        **{
            column: [getattr(known[tag], fact) for tag in rows["tag"]]
            for column, fact in names.items()
            if column in rows
        }
    )
