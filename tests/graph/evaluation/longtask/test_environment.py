from __future__ import annotations

import inspect

import pytest
from langchain_core.tools import ToolException

from memory_secretary.graph.evaluation.longtask import Call, Environment
from memory_secretary.graph.evaluation.longtask.environment import Fault, ToolSpec

SPECS = (
    ToolSpec(name="list_bills", doc="List the bills.", job="list", reply="BL-1\nBL-2"),
    ToolSpec(
        name="get_bill",
        doc="Read one bill.",
        parameters={"bill_no": str},
        job="read",
        keyed=True,
        unknown="There is no bill {name}.",
    ),
    ToolSpec(
        name="settle",
        doc="Pay one bill.",
        parameters={"bill_no": str, "total": float},
        job="act",
        keyed=True,
        reply="Paid {total} for {bill_no}.",
        unknown="There is no bill {name}.",
    ),
)
RECORDS = {"BL-1": "one", "BL-2": "two"}


def test_tools_are_typed_functions_with_names_and_docstrings():
    settle = Environment(SPECS, RECORDS).tools()[-1]
    assert settle.__name__ == "settle"
    assert inspect.getdoc(settle) == "Pay one bill."
    assert str(inspect.signature(settle)) == "(bill_no: str, total: float) -> str"


def test_functions_and_calls_reach_the_same_world_and_are_kept_in_order():
    world = Environment(SPECS, RECORDS)
    list_bills, get_bill, settle = world.tools()
    assert list_bills() == "BL-1\nBL-2"
    assert get_bill("BL-1") == world.call(Call("get_bill", {"bill_no": " BL-1 "})) == "one"
    assert settle(bill_no="BL-2", total=3.5) == "Paid 3.5 for BL-2."
    assert [call.tool for call in world.calls] == ["list_bills", "get_bill", "get_bill", "settle"]
    assert world.deeds == [Call("settle", {"bill_no": "BL-2", "total": 3.5})]


def test_an_unknown_name_is_an_error_and_no_deed():
    world = Environment(SPECS, RECORDS)
    with pytest.raises(ToolException, match="no bill BL-9"):
        world.call(Call("settle", {"bill_no": "BL-9", "total": 1}))
    assert len(world.calls) == 1
    assert not world.deeds


def test_a_fault_fails_as_often_as_it_says_and_for_its_record_only():
    faults = [Fault("get_bill", "BL-1", "locked", 1), Fault("settle", "BL-2", "refused")]
    world = Environment(SPECS, RECORDS, faults)
    with pytest.raises(ToolException, match="locked"):
        world.call(Call("get_bill", {"bill_no": "BL-1"}))
    assert world.call(Call("get_bill", {"bill_no": "BL-1"})) == "one"
    for _ in range(3):
        with pytest.raises(ToolException, match="refused"):
            world.call(Call("settle", {"bill_no": "BL-2", "total": 1}))
    assert not world.deeds


def test_two_worlds_of_one_task_share_nothing():
    first, second = Environment(SPECS, RECORDS), Environment(SPECS, RECORDS)
    first.call(Call("settle", {"bill_no": "BL-1", "total": 1}))
    assert not second.calls
    assert not second.deeds
