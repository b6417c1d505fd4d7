"""What scripts are called in the reader's language."""

import pytest
from babel import Locale

from tokenizer.languages.parallel import languages
from tokenizer.measure.census import SPECIAL
from tokenizer.text.scripts import NEVER, OTHER, PART, SCRIPTS, WITH_PART
from tokenizer.words import speaking
from ui.kit.scripts import OTHERS, name

NAMES = sorted({*SCRIPTS.split(), *(one.script for one in languages().values())})
LACKING = {"Lisu", "Mandaic", "Newa", "Nyiakeng_Puachue_Hmong", "Osage", "Tai_Tham", "Wancho"}  # in CLDR’s Thai


@pytest.mark.parametrize("script", NAMES)
def test_a_script_is_called_as_cldr_calls_it(script):
    assert name(script) == script
    with speaking("th"):
        called = name(script)
    assert called in Locale("th").scripts.values() or script in OTHERS or script in LACKING
    assert (called == script) == (script in LACKING)


def test_no_script_of_our_languages_is_left_in_english():
    with speaking("th"):
        assert not [one for one in languages().values() if name(one.script).isascii()]


def test_what_has_no_script_has_a_name_too():
    assert {PART, WITH_PART, NEVER, OTHER, SPECIAL} <= OTHERS
    with speaking("th"):
        assert not [kind for kind in OTHERS if name(kind) == kind]
        assert name("mixed: Latin, Thai").endswith(f"{name('Latin')}, {name('Thai')}")
