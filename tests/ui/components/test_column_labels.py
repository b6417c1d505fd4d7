"""Labels of columns."""

from tokenizer.i18n import using_language
from ui.components.tables import unique_labels


def test_encoding_named_like_another_column_is_marked_in_the_language_of_the_page():
    assert unique_labels(["gpt2", "row"]) == ["gpt2", "row (encoding)"]
    with using_language("th"):
        assert unique_labels(["gpt2", "row"]) == ["gpt2", "row (ชุดเข้ารหัส)"]
