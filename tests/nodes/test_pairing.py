import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_secretary.nodes.grounding import stands_in
from memory_secretary.nodes.pairing import Pairing, paired

RECORDS = [
    ("evt_1", "Order ORD-17 of Ada Berg, amount 450.00 EUR, account 7741."),
    ("evt_2", "订单 ORD-18，客户 林小满，金额 1,250.50 元，账号 8852。"),
]
FEW = settings(max_examples=80, deadline=None)
EXACT = st.one_of(
    st.integers(0, 2000),
    st.sampled_from(["ORD-17", "ORD-18", "ord-17", "林小满", "Ada Berg", "450", 450.0, 1250.5, "7741", "74", "订单"]),
)
NAME = st.sampled_from(["order_id", "amount", "account", "金额", "ids"])
ARGUMENTS = st.dictionaries(
    NAME, st.recursive(EXACT, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAME, inner, max_size=3)),
    max_size=4,
)  # fmt: skip


def leaves(value):
    if isinstance(value, dict):
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    return [leaf for inner in value for leaf in leaves(inner)] if isinstance(value, list) else [value]


@given(ARGUMENTS)
@FEW
def test_it_is_ok_only_when_one_record_holds_every_exact_value(arguments):
    result = paired(arguments, RECORDS)
    together = any(all(stands_in(str(leaf), text) for leaf in leaves(arguments)) for _, text in RECORDS)
    assert result.ok is together
    assert result.ok is not bool(result.missing)


@given(ARGUMENTS, st.sampled_from(["ORD-99", 31337, "无此人"]), NAME)
@FEW
def test_it_is_never_ok_with_a_value_that_stands_in_no_record(arguments, invented, name):
    assert not paired({**arguments, name: invented}, RECORDS).ok
    assert not paired({**arguments, "batch": [{"deep": [[invented]]}]}, RECORDS).ok


@pytest.mark.parametrize(
    "arguments",
    [
        {"order_id": "ORD-17", "amount": 450},
        {"order_id": "ord-17", "amount": 450.0, "account": "7741"},
        {"order_id": "ORD-18", "amount": 1250.5},
        {"order_id": "ORD-18", "customer": "林小满", "amount": "1,250.50"},
        {"payments": [{"order_id": "ORD-17", "amount": 450}]},
    ],
)
def test_the_right_arguments_pass(arguments):
    assert paired(arguments, RECORDS).ok


@pytest.mark.parametrize(
    ("arguments", "request_text"),
    [
        ({"date": "2026-12-01", "seats": 2}, "Book two seats for 1 December 2026."),
        ({"date": "2026-12-01"}, "请订2026年12月1日的座位"),
        ({"amount": 30, "to": "Bob", "currency": "EUR"}, "Send 30 euros to Bob"),
        ({"amount": 300, "to": "小周", "currency": "CNY"}, "给小周转三百块"),
    ],
)
def test_a_value_may_stand_there_as_people_write_it(arguments, request_text):
    assert paired(arguments, [("evt_1", request_text)]).ok


@pytest.mark.parametrize(
    ("arguments", "request_text"),
    [
        ({"date": "2026-12-02"}, "Book for 1 December 2026."),
        ({"seats": 3}, "Book two seats."),
        ({"currency": "USD"}, "Send 30 euros to Bob"),
    ],
)
def test_another_day_number_or_currency_does_not(arguments, request_text):
    assert not paired(arguments, [("evt_1", request_text)]).ok


def test_one_records_id_with_anothers_amount_is_refused_and_the_nearest_record_named():
    assert paired({"order_id": "ORD-17", "amount": 1250.5, "account": 7741}, RECORDS) == Pairing(
        False, "evt_1", ("amount",)
    )
    assert paired({"order_id": "ORD-18", "amount": 450, "customer": "林小满"}, RECORDS).record == "evt_2"


def test_nested_arguments_are_checked_and_named_by_their_path():
    batch = {"payments": [{"order_id": "ORD-17", "amount": 450}, {"order_id": "ORD-17", "amount": 1250.5}]}
    assert paired(batch, RECORDS).missing == ("payments[1].amount",)
    twins = {"first": {"id": "ORD-18"}, "second": {"id": "ORD-17"}}
    assert not paired(twins, RECORDS).ok


@pytest.mark.parametrize(
    "prose",
    [
        {"message": "Hi"}, {"Note": "请核对"}, {"title": "a title with some five words"}, {"notes": {"text": "short"}},
        {"title": "请核对三月份的降雨量并通知大家"}, {"x": "y" * 61}, {"flag": True}, {"flag": None}, {"tag": ""},
        {"message": ["one", "two"]}, {},
    ],
)  # fmt: skip
def test_prose_and_switches_are_exempt(prose):
    assert paired(prose, RECORDS).ok
    assert paired({**prose, "order_id": "ORD-17"}, RECORDS).record == "evt_1"
    assert not paired({**prose, "order_id": "ORD-99"}, RECORDS).ok


def test_without_records_everything_exact_is_missing():
    assert paired({"order_id": "ORD-17", "text": "hello"}, []) == Pairing(False, None, ("order_id",))
