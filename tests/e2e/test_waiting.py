"""The waiting helpers return the awaited value, or fail with its name."""

import pytest
from waiting import at_rest, awaited


def test_awaited_returns_promises_expressions_and_functions_of_elements(blank):
    assert awaited(blank, "Promise.resolve(0)", what="a number") == 0
    assert awaited(blank, "[null, 'x']", what="a list") == [None, "x"]
    blank.evaluate("document.body.append('seen')")
    body = blank.locator("body").element_handle()
    assert awaited(blank, "async ([one, more]) => one.textContent + more", [body, "!"], what="words") == "seen!"
    with pytest.raises(Exception, match="no such thing"):
        awaited(blank, "Promise.reject(new Error('no such thing'))", what="a thing")


@pytest.mark.parametrize(
    "script", ["new Promise(() => {})", "() => { for (const end = Date.now() + 3000; Date.now() < end;); }"]
)
def test_awaited_names_what_timed_out(blank, script):
    with pytest.raises(AssertionError, match=r"waited 0.5 s for the last word"):
        awaited(blank, script, what="the last word", seconds=0.5)
    assert blank.evaluate("1") == 1


def test_at_rest_fails_where_the_value_keeps_changing(blank):
    assert at_rest(blank, lambda: "same", ms=10) == "same"
    number = iter(range(100_000))
    with pytest.raises(AssertionError, match="after 0.2 s it still changes"):
        at_rest(blank, lambda: next(number), ms=10, seconds=0.2)
