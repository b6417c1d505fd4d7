"""What the Languages page calls things in the reader's language, and in English where a file has them."""

import pandas as pd

from tokenizer.languages.parallel import languages
from tokenizer.words import ORIGINAL, mark, speaking, tr
from ui.kit import scripts

FAMILIES = {  # of languages
    mark("Afro-Asiatic: Semitic"),
    mark("Austroasiatic"),
    mark("Austronesian"),
    mark("Dravidian"),
    mark("Indo-European: Armenian"),
    mark("Indo-European: Germanic"),
    mark("Indo-European: Hellenic"),
    mark("Indo-European: Indo-Aryan"),
    mark("Indo-European: Iranian"),
    mark("Indo-European: Romance"),
    mark("Indo-European: Slavic"),
    mark("Japonic"),
    mark("Kartvelian"),
    mark("Koreanic"),
    mark("Kra-Dai"),
    mark("Niger-Congo: Bantu"),
    mark("Niger-Congo: Volta-Niger"),
    mark("Sino-Tibetan"),
    mark("Turkic"),
    mark("Uralic"),
}
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


def in_words(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns a table with its scripts and families in the reader's language."""
    return rows.assign(script=rows["script"].map(scripts.name), family=rows["family"].map(tr))


def in_english(rows: pd.DataFrame) -> pd.DataFrame:
    """Returns a table with its languages in English, as files have them."""
    with speaking(ORIGINAL):
        known = languages()
    return rows.assign(language=[known[tag].name for tag in rows["tag"]])
