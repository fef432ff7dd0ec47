"""What code answers from what it computed."""

from __future__ import annotations

from task_samples import task, value

from memory_secretary.memory.bilingual import speaking
from memory_secretary.nodes.computed_answer import computed_answer
from memory_secretary.nodes.wording import EN, ZH

MONTHS = [value(f"feed.md › {month}", f"{n} bales", name="Straw") for month, n in (("March", 14), ("April", 8))]
STATES = {"bills/b-1.txt": True, "bills/b-2.txt": False, "bills/b-3.txt": True}
AMOUNTS = [value(f"bills/b-{n}.txt", f"{n}0 EUR", name="amount") for n in (1, 3)]


def test_the_figure_that_is_asked_for_and_no_other():
    answer = computed_answer(task(goal="How much straw was it altogether?", values=MONTHS), EN)
    assert "22 bales" in answer and "highest" not in answer
    assert "14 (March)" in computed_answer(task(goal="Which month used the most straw?", values=MONTHS), EN)


def test_the_records_in_the_state_with_what_they_come_to():
    asked = task(goal="Which bills are not paid, and how much?", states=STATES, values=AMOUNTS)
    assert computed_answer(asked, EN) == "b-1 (10 EUR), b-3 (30 EUR); total 40 EUR"
    with speaking("zh"):
        assert computed_answer(asked, ZH) == "b-1（10 EUR）、b-3（30 EUR）；合计 40 EUR"
    assert computed_answer(task(goal="Which bills are not paid?", states=STATES), EN) == "b-1, b-3"


def test_records_of_the_kind_that_do_not_say_are_named():
    states = {**STATES, "bills/b-4.txt": None, "lease.txt": None}
    answer = computed_answer(task(goal="Which bills are not paid?", states=states), EN)
    assert answer.startswith("b-1, b-3; ") and "b-4" in answer and "lease" not in answer


def test_where_nothing_was_computed_there_is_no_answer():
    assert computed_answer(task(goal="Who signed?"), EN) == ""
