import pytest

from memory_secretary.nodes.naming import Names, labels

PLAIN = Names(dict.fromkeys(["WS-101", "reports/2025-03.md", "notes/a.md", "logs/a.md", "王海涛"], frozenset()))
NUMBERS = Names({"17": labels("get_order", {"order_id": 17}), "170": frozenset()})


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("ws-101, then reports/2025-03.md.", ["WS-101", "reports/2025-03.md"]),
        ("2025-03里写错了，WS-101也是。", ["reports/2025-03.md", "WS-101"]),
        ("王海涛说的", ["王海涛"]),
        ("WS-1012, XWS-101, WS-101-b and 2025-03-04", []),
        ("a is short, and two files are called so", []),
    ],
)
def test_records_are_named_by_key_or_by_file(text, named):
    assert [one.subject for one in PLAIN.known(text)] == named
    assert all(text[one.start : one.end].casefold() in one.subject.casefold() for one in PLAIN.known(text))


@pytest.mark.parametrize("text", ["order 17", "Orders #17", "no. 17", "第17号", "编号17", "17号"])
def test_a_bare_number_names_a_record_beside_a_word_for_it(text):
    assert [one.subject for one in NUMBERS.known(f"See {text}, please.")] == ["17"]


@pytest.mark.parametrize("text", ["17 pallets", "it was 17", "order 171", "17.5", "共17件"])
def test_a_bare_number_alone_names_nothing(text):
    assert NUMBERS.known(text) == []


def test_names_of_the_same_shape_are_found_on_request():
    assert [one.subject for one in PLAIN.alike("WS-9 and WS-101")] == ["WS-9", "WS-101"]


@pytest.mark.parametrize(("text", "count"), [("in March", 1), ("三月", 1), ("in March and April", 0), ("in June", 0)])
def test_one_month_names_the_record_of_that_month(text, count):
    assert len(PLAIN.by_month(text)) == count
