import pytest

from memory_secretary.nodes.naming import Names, labels, person_in_role, without_requests

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


@pytest.mark.parametrize(
    ("record", "goal", "person"),
    [
        ("| kept by | Anne Kellner |", "Tell the keeper of it.", "Anne Kellner"),
        ("<td>kept by</td><td>Iris Keller</td> Tom Reid came.", "Tell its keeper.", "Iris Keller"),
        ("这份记录由王志强保管。", "给保管人发一条消息。", "王志强"),
        ("保管人：汪志刚\n申海涛来过。", "给保管人发一条消息。", "汪志刚"),
        ("kept by: Anne Kellner. keeper: Tom Reid", "Tell its keeper.", ""),
        ("kept by: Anne Kellner", "Tell the customer.", ""),
    ],
)
def test_somebody_is_found_by_what_they_are_to_a_record(record, goal, person):
    assert person_in_role(record, goal) == person


@pytest.mark.parametrize(
    ("statement", "asks"),
    [
        ("A message about this record should also go to Anna Marsh.", True),
        ("这份记录也要通知申海涛。", True),
        ("This record is Anna Marsh's.", False),
        ("这份记录由王志强保管。", False),
    ],
)
def test_a_record_that_asks_for_a_message_names_nobody(statement, asks):
    assert without_requests([statement]) == ([] if asks else [statement])


@pytest.mark.parametrize(
    ("record", "goal", "person"),
    [
        ('{"name": "保管人",\n "内容": "李海涛"}', "通知保管人。", "李海涛"),
        ('{"name": "keeper",\n "entry": "Owen Walsh"}', "Tell the keeper.", "Owen Walsh"),
        ("<td>保管人</td><td>黎海波</td>", "通知保管人。", "黎海波"),
    ],
)
def test_a_person_stands_behind_the_label_whatever_the_markup_between(record, goal, person):
    assert person_in_role(record, goal) == person
