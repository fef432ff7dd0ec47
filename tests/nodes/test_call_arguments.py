from __future__ import annotations

import pytest
from task_samples import PAY, shape

from memory_secretary.nodes.call_arguments import (
    as_argument,
    exact_parameters,
    known_arguments,
    open_parameters,
    own_lines,
    subject_of,
)
from memory_secretary.nodes.candidates import ToolShape

GOALS = {"en": "Pay every overdue invoice, each with its own amount.", "zh": "逾期的发票请按各自的应付金额付款。"}
NOISE = ["The heating was repaired on 3 May.", "A parcel for 12 people came.", "暖气在5月3日修好了。", "来了12个人。"]
RECORDS = {
    "prose": ("en", "INV-7", "INV-7 is overdue since 4 May.", "The amount due is €1,120.50.", 1120.5),
    "table": ("en", "INV-7", "| state | overdue since 4 May |", "| amount due | $980 |", 980),
    "log": ("zh", "FP-7", "FP-7：5月4日起逾期，至今未付。", "10:02 [B4] FP-7应付：¥1,424。", 1424),
    "csv": ("zh", "FP-7", "状态,逾期", '应付金额,"¥1,424"', 1424),
}
OTHERS = {"en": "Anna had €315 on INV-93, which is another matter.", "zh": "张小红的FP-93是¥315，那是另一回事。"}


def pay(kind="number", name="amount", description="Pay an invoice, given its number and the amount."):
    schema = {
        "type": "object",
        "properties": {"invoice_no": {"type": "string"}, name: {"type": kind}},
        "required": ["invoice_no", name],
    }
    return ToolShape("pay_invoice", schema, False, description)


@pytest.mark.parametrize(("lang", "subject", "state", "amount", "wanted"), RECORDS.values(), ids=RECORDS)
def test_key_and_amount_are_the_records_own(lang, subject, state, amount, wanted):
    record = "\n".join([f"# {subject}", *NOISE[:2], OTHERS[lang], state, *NOISE[2:], amount])
    lines = own_lines(record, GOALS[lang], subject)
    assert amount in lines
    assert known_arguments(pay(), {"invoice_no": subject}, lines, GOALS[lang]) == {
        "invoice_no": subject,
        "amount": wanted,
    }


def test_of_two_amounts_that_fit_alike_none_is_taken():
    lines = ["Amount: €100.", "Amount: €200."]
    assert known_arguments(pay(), {"invoice_no": "INV-7"}, lines, GOALS["en"]) == {"invoice_no": "INV-7"}


def test_a_quantity_is_not_taken_for_money():
    lines = ["Order INV-7 asks for 14 chairs.", "They cost €900."]
    ordering = pay(name="quantity", kind="integer", description="Order chairs, given the quantity of chairs.")
    assert known_arguments(ordering, {"invoice_no": "INV-7"}, lines, "Order the chairs.")["quantity"] == 14


def test_a_whole_number_argument_takes_no_fraction():
    assert "amount" not in known_arguments(pay("integer"), {"invoice_no": "INV-7"}, ["Amount: €10.50."], GOALS["en"])


@pytest.mark.parametrize("read_by", [{"id": "INV-7"}, {"invoice": "INV-7"}, {"invoice_id": "INV-7"}])
def test_the_key_is_known_by_another_name(read_by):
    found = known_arguments(pay(), read_by, [], GOALS["en"])
    assert found == ({} if "id" in read_by else {"invoice_no": "INV-7"})


def test_prose_and_switches_are_left_open():
    schema = {"to": {"type": "string"}, "text": {"type": "string"}, "urgent": {"type": "boolean"}}
    tell = ToolShape("send", {"type": "object", "properties": schema, "required": list(schema)}, False)
    assert exact_parameters(tell) == ["to"]
    assert open_parameters(tell, {"to": "Anna"}) == {"text": schema["text"], "urgent": schema["urgent"]}
    assert open_parameters(PAY, {"order_id": "ORD-1", "amount": "3"}) == {}


@pytest.mark.parametrize(
    ("value", "kind", "wanted"),
    [
        ("Anna Berg", "string", "Anna Berg"),
        ("€1,120", "number", 1120),
        ("1.5", "number", 1.5),
        ("1.5", "integer", None),
        ("10 or 20", "number", None),
        ("none", "number", None),
    ],
)
def test_a_copied_value_takes_the_arguments_type(value, kind, wanted):
    assert as_argument(value, {"type": kind}) == wanted


def test_lines_that_speak_of_this_record_come_first():
    record = "\n".join([*(f"At the depot it was {n}." for n in range(20)), "Keeper of this record: Clara Welsh."])
    assert "Keeper of this record: Clara Welsh." in own_lines(record, "What was it at the depot?", "WS-1")


def test_a_record_without_anything_near_has_no_own_lines():
    assert own_lines("Rain fell.", "Pay the invoices.", "INV-7") == []
    assert subject_of({"a": "x", "b": 2}) == "x, 2"
    assert shape("t", "a").required == ["a"]
