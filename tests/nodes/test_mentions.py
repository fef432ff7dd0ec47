"""Records that are meant by a name that stands in them."""

from __future__ import annotations

import pytest

from memory_secretary.nodes.mentions import asks_by_mention, meant_by_name

RECORDS = {
    "a.md": "Invoice 1\nCustomer: Harper & Sons\n客户：晨光文具",
    "b.md": "Invoice 2\nCustomer: Okafor Ltd\n客户：蓝海物流",
    "c.md": "Invoice 3\nCustomer: Harper & Sons\n客户：晨光文具",
}


@pytest.mark.parametrize(
    ("goal", "meant"),
    [
        ("Which invoices are Harper's?", {"a.md", "c.md"}),
        ("Which invoices did Harper & Sons get?", {"a.md", "c.md"}),
        ('Which files mention "okafor ltd"?', {"b.md"}),
        ("晨光文具的发票有哪些？", {"a.md", "c.md"}),
        ("哪些发票是蓝海物流的？", {"b.md"}),
    ],
)
def test_the_records_that_have_the_name(goal, meant):
    found = meant_by_name(goal, RECORDS)
    assert {name for name, is_meant in found.items() if is_meant} == meant
    assert set(found) == set(RECORDS)
    assert asks_by_mention(goal)


@pytest.mark.parametrize(
    "goal", ["Which invoices are there?", "Which customers have invoices?", "哪些发票是客户的？", "Which are Moreau's?"]
)
def test_a_name_of_all_or_none_tells_nothing(goal):
    assert meant_by_name(goal, RECORDS) == {}


@pytest.mark.parametrize("goal", ["How much do Harper's invoices come to?", "晨光文具的发票一共多少钱？", "Read a.md."])
def test_a_quantity_is_asked_otherwise(goal):
    assert not asks_by_mention(goal)


def test_where_all_that_was_read_has_the_name_all_of_it_is_meant():
    two = {name: RECORDS[name] for name in ("a.md", "c.md")}
    assert meant_by_name("Which invoices are Harper's?", two) == {"a.md": True, "c.md": True}
    assert meant_by_name("晨光文具的发票有哪些？", two) == {}


def test_a_note_that_mentions_a_name_is_none_of_several_records_that_have_it():
    records = {
        "inv-1.md": "Customer: Harper", "inv-2.md": "Customer: Lum", "inv-3.md": "Customer: Harper",
        "notes.md": "Call Harper about the sign.",
    }  # fmt: skip
    assert meant_by_name("Which invoices are Harper's?", records) == {
        "inv-1.md": True, "inv-2.md": False, "inv-3.md": True, "notes.md": False,
    }  # fmt: skip
    assert meant_by_name("Which files mention Harper?", records)["notes.md"]
    assert meant_by_name("Which notes are about Harper?", {**records, "inv-3.md": "Customer: Lum"})["notes.md"]
