from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from langchain_core.tools import BaseTool

from memory_secretary.tools.example_workspace import copy_example
from memory_secretary.tools.tables import MAX_ROWS, number, table_tools

COSTS = """date,depot,cost,note
2025-01-16,Harwick,412.00,
2025-02-03,Ostley,"1,310.00",arm
2025-02-26,Harwick,n/a,lost

"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "costs.csv").write_text(COSTS, encoding="utf-8")
    return tmp_path


@pytest.fixture
def tools(root: Path) -> dict[str, BaseTool]:
    return {tool.name: tool for tool in table_tools(root)}


@pytest.mark.parametrize(
    ("where", "dates"),
    [
        ("", ["2025-01-16", "2025-02-03", "2025-02-26"]),
        ("depot=harwick", ["2025-01-16", "2025-02-26"]),
        ("depot != Harwick", ["2025-02-03"]),
        ("cost>412", ["2025-02-03"]),
        ("cost>=412.0", ["2025-01-16", "2025-02-03"]),
        ("cost = 1310", ["2025-02-03"]),
        ("cost≤£412", ["2025-01-16"]),
        ("date>=2025-02-01; depot=Harwick", ["2025-02-26"]),
        ("note~AR", ["2025-02-03"]),
        ("depot='Ostley'", ["2025-02-03"]),
    ],
)
def test_conditions_choose_rows(tools: dict[str, BaseTool], where: str, dates: list[str]) -> None:
    lines = tools["read_table"].invoke({"path": "costs.csv", "where": where, "columns": "date"}).splitlines()
    assert lines == ["date", *dates]


def test_columns_come_in_the_order_asked_for(tools: dict[str, BaseTool]) -> None:
    answer = tools["read_table"].invoke({"path": "costs.csv", "where": "depot=Ostley", "columns": "Cost, date"})
    assert answer == 'cost,date\n"1,310.00",2025-02-03'


def test_no_fitting_row_names_the_columns(tools: dict[str, BaseTool]) -> None:
    assert (
        tools["read_table"].invoke({"path": "costs.csv", "where": "depot=Brackmere"}).startswith("No row fits. Columns")
    )


def test_statistics_are_exact_and_say_what_was_left_out(tools: dict[str, BaseTool]) -> None:
    answer = tools["table_stats"].invoke({"path": "costs.csv", "column": "cost"})
    assert answer == "cost: count 2, sum 1722.00, mean 861, min 412.00, max 1310.00, 1 cells without a number left out"


def test_statistics_by_group(tools: dict[str, BaseTool]) -> None:
    answer = tools["table_stats"].invoke({"path": "costs.csv", "column": "cost", "by": "depot", "where": "cost>0"})
    assert answer.splitlines()[0].startswith("depot=Harwick: count 1, sum 412.00")
    assert tools["table_stats"].invoke({"path": "costs.csv", "column": "note"}) == "note: 3 rows, no numbers"


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        ({"path": "costs.csv", "columns": "price"}, "the columns are: date, depot, cost, note"),
        ({"path": "costs.csv", "where": "price>3"}, "the columns are"),
        ({"path": "costs.csv", "where": "expensive"}, "write e.g. date="),
        ({"path": "cost.csv"}, "Close: costs.csv"),
        ({"path": "plain.txt"}, "read_file"),
    ],
)
def test_errors_name_the_cure(root: Path, tools: dict[str, BaseTool], arguments: dict[str, str], cure: str) -> None:
    (root / "plain.txt").write_text("no table\n", encoding="utf-8")
    assert cure in tools["read_table"].invoke(arguments)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_recognised_and_ragged_rows_are_kept(
    root: Path, tools: dict[str, BaseTool], delimiter: str
) -> None:
    rows = [["a", "b", "b"], ["1"], ["1", "2", "3", "4"]]
    (root / "x.csv").write_text("\n".join(delimiter.join(row) for row in rows), encoding="utf-8")
    assert tools["read_table"].invoke({"path": "x.csv"}) == "a,b,b (3),column 4\n1,,,\n1,2,3,4"


def test_long_tables_are_cut_and_counted(root: Path, tools: dict[str, BaseTool]) -> None:
    (root / "x.csv").write_text("a,b\n" + "1,2\n" * (MAX_ROWS + 7), encoding="utf-8")
    lines = tools["read_table"].invoke({"path": "x.csv"}).splitlines()
    assert len(lines) == MAX_ROWS + 2
    assert "7 more rows" in lines[-1]


@pytest.mark.parametrize(
    ("cell", "value"),
    [("1,284.50", "1284.50"), ("£18", "18"), ("26元", "26"), ("-3", "-3"), ("１２", "12"), ("5 %", "5"), ("3 kg", "3")],
)
def test_cells_with_signs_and_units_are_numbers(cell: str, value: str) -> None:
    assert number(cell) == Decimal(value)


@pytest.mark.parametrize("cell", ["", "-", "£", "n/a", "2025-01-16", "12a3", "1,28", "three"])
def test_other_cells_are_not_numbers(cell: str) -> None:
    assert number(cell) is None


def test_the_chinese_tables_of_the_example_work(tmp_path: Path) -> None:
    tools = {tool.name: tool for tool in table_tools(copy_example(tmp_path / "w"))}
    answer = tools["read_table"].invoke(
        {"path": "tables/柳桥运价表.csv", "where": "里程公里>1000", "columns": "线路，终点"}
    )
    assert answer == "线路,终点\n西南线,蜀州集散中心"
    assert "sum 112700" in tools["table_stats"].invoke({"path": "tables/柳桥客户库位.csv", "column": "月租（元）"})
