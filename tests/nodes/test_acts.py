from __future__ import annotations

from decimal import Decimal

import pytest
from task_samples import done, item, task

from memory_secretary.nodes.acts import act_lines, acts_of
from memory_secretary.nodes.wording import EN, ZH


def paid(number, amount, **changes):
    call = {"action": "pay", "arguments": {"no": f"INV-{number}", "amount": amount}, "subject": f"INV-{number}"}
    return done(number, **{**call, **changes})


def test_what_was_done_is_counted_and_summed_by_tool():
    told = done(4, action="tell", arguments={"to": "Anna"}, subject="INV-4")
    state = task(done(9), paid(1, 100), paid(2, 50.5), paid(3, 7, status="failed"), told, paid(5, 9, status="open"))
    pay, tell = acts_of(state)
    assert (pay.tool, pay.done, pay.failed) == ("pay", ("INV-1", "INV-2"), ("INV-3",))
    assert pay.totals == {"amount": Decimal("150.5")}
    assert (tell.tool, tell.done, tell.failed, tell.totals) == ("tell", ("INV-4",), (), {})


@pytest.mark.parametrize("words", [EN, ZH])
def test_the_executor_is_told_of_all_of_it(words):
    [line] = act_lines(acts_of(task(paid(1, 1000), paid(2, 500), paid(3, 7, status="failed"))), words)
    assert all(part in line for part in ("pay", "2", "INV-1, INV-2", "1,500", "INV-3"))


def test_calls_that_are_no_duties_are_not_counted():
    assert acts_of(task(done(1), item(2))) == []
