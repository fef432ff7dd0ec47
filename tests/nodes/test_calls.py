import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.calls import call_key, call_text

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def test_a_call_is_shown_on_one_line():
    assert call_text("read_file", {"path": "notes/a.md", "start": 3}) == "read_file(path=notes/a.md, start=3)"
    assert call_text("clock", {}) == "clock()"
    assert call_text("save", {"text": "one\n  two", "tags": ["家", "急"]}) == 'save(text=one two, tags=["家", "急"])'


@given(st.dictionaries(st.sampled_from(["a", "b"]), PLAIN))
@settings(max_examples=50, deadline=None)
def test_every_call_fits_on_a_short_line(arguments):
    shown = call_text("tool", arguments)
    assert "\n" not in shown and len(shown) <= len("tool()") + len(arguments) * (48 + len("a=, "))


@pytest.mark.parametrize(
    "same",
    [
        {"path": "notes/A.md"}, {"path": "./notes/a.md"}, {"path": " notes/a.md "}, {"path": "notes/a.md/"},
        {"path": "ｎotes/a.md", "extra": None}, {"path": "notes/a.md", "extra": [], "more": ""},
    ],
)  # fmt: skip
def test_calls_that_mean_the_same_have_one_key(same):
    assert call_key("open", same) == call_key("open", {"path": "notes/a.md"})


@pytest.mark.parametrize(
    "other", [{"path": "notes/b.md"}, {"path": "notes/a.md", "start": 0}, {"file": "notes/a.md"}, {}, {"path": 1}]
)
def test_other_calls_have_other_keys(other):
    assert call_key("open", other) != call_key("open", {"path": "notes/a.md"})
    assert call_key("close", other) != call_key("open", other)


@given(st.dictionaries(st.text(max_size=5), PLAIN, max_size=4))
@settings(max_examples=50, deadline=None)
def test_the_order_of_arguments_does_not_count(arguments):
    assert call_key("t", dict(reversed(arguments.items()))) == call_key("t", arguments)
