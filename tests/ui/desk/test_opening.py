"""A saved page: what is no page is refused in words."""

import pytest

from ui.desk.opening import BadPage, read_file

NO_PAGES = [
    ("", "This file is damaged"),
    ('{"tokenloupe": "page", "version": 1, "pa', "not all of it is there (line 1)"),
    ("\ufffd\ufffd\0", "This file is damaged"),
    ("[]", "no page that Tokenloupe has saved"),
    ("[" * 100_000, "no page that Tokenloupe has saved"),
    ('{"tokenloupe": "page", "version": 2, "page": "x"}', "saved by a newer Tokenloupe"),
    (
        '{"tokenloupe": "page", "version": 1, "page": "../<img src=x onerror=alert(1)>"}',
        "of a page that there is not",
    ),
    ('{"tokenloupe": "page", "version": 1, "page": "hood", "address": {"view": 7}}', "This is damaged"),
    ('{"tokenloupe": "page", "version": 1, "page": "hood", "typed": []}', "This is damaged"),
    ('{"tokenloupe": "page", "version": 1, "page": ["hood"]}', "a page that there is not"),
    ('{"tokenloupe": "page", "version": 1, "page": {}}', "a page that there is not"),
    ('{"tokenloupe": "page", "version": 1, "page": "hood", "text": {}}', "This is damaged"),
    (" " * 2_000_001, "This file has 2,000,001 bytes; the limit for a saved page is 2,000,000."),
]


@pytest.mark.parametrize(("text", "words"), NO_PAGES, ids=range(len(NO_PAGES)))
def test_a_file_that_is_no_page_is_refused_in_words(text, words):
    with pytest.raises(BadPage) as error:
        read_file(text)
    assert words in str(error.value)
