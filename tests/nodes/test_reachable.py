"""Which tools can have an effect before anything was looked up."""

from __future__ import annotations

import pytest
from task_samples import done, shape, task

from memory_secretary.nodes.brakes import no_brakes
from memory_secretary.nodes.menu import make_menu
from memory_secretary.nodes.reachable import listing_for, reachable, search_for

LIST, FETCH, READ = shape("list_files"), shape("fetch_file", "file_no"), shape("read_file", "path")
SEARCH, WEATHER, CLOCK = shape("search_notes", "text"), shape("get_weather", "city"), shape("current_time")
RECALL, PAY = shape("recall", "query"), shape("pay", "order_id", read_only=False)


def names(tools):
    return {tool.name for tool in tools}


@pytest.mark.parametrize(
    ("goal", "known", "there"),
    [
        ("What is my total, over all the files in the list?", "", set()),
        ("What was the total for June 2025?", "", set()),
        ("2025年6月的合计是多少？", "", set()),
        ("Read REC-17.", "", {"fetch_file"}),
        ("Read file 17.", "", {"fetch_file"}),
        ("看一下17号", "", {"fetch_file"}),
        ("What about the file we spoke of?", '"It is REC-17."', {"fetch_file"}),
        ("What about the file we spoke of?", '"The annex has 37 lamps."', set()),
        ("Read notes/plan.md.", "", {"read_file"}),
        ("看看notes/plan.md", "", {"read_file"}),
        ('Read "Makefile".', "", {"read_file"}),
        ("看看《章程》", "", {"read_file"}),
    ],
)
def test_a_record_whose_key_nobody_named_cannot_be_opened(goal, known, there):
    tools = [LIST, FETCH, READ, SEARCH, WEATHER, CLOCK, RECALL, PAY]
    assert names(reachable(tools, goal, known)) == names(tools) - {"fetch_file", "read_file"} | there


def test_where_nothing_lists_the_records_every_tool_stays():
    tools = [FETCH, READ, WEATHER, CLOCK, RECALL, PAY]
    assert reachable(tools, "What is my total?") == tuple(tools)


@pytest.mark.parametrize("status", ["done", "failed"])
def test_once_the_list_was_asked_for_the_whole_menu_is_back(status):
    tools, goal = [LIST, FETCH], "What is my total?"
    first = make_menu(task(goal=goal), tools, no_brakes())
    assert names(first.tools) == {"list_files"} and first.final
    asked = {**done(1, action="list_files", arguments={}), "status": status, "source": "evt_1", "evidence": "evt_1"}
    assert names(make_menu(task(asked, goal=goal), tools, no_brakes()).tools) == names(tools)


def test_there_is_always_a_way_out():
    tools, state = [LIST, FETCH], task(goal="What is my total?")
    assert names(make_menu(state, tools, no_brakes(), menu=False).tools) == names(tools)
    assert names(make_menu(state, tools, no_brakes() | {"free": True}).tools) == names(tools)
    assert names(make_menu(state, tools, no_brakes() | {"off": ["list_files"]}).tools) == {"fetch_file"}


BRANCHES = shape("list_branches", description="列出全部分馆简报的编号和标题。")
BRANCH = shape("lookup_branch", "code", description="按编号读取一份分馆简报。")
SHEETS = shape("list_sheets", description="List all the week sheets: their numbers and titles.")


@pytest.mark.parametrize(
    ("goal", "tools", "first"),
    [
        ("请从清单里全部分馆简报算出新办证人数合计。", [BRANCHES, BRANCH], "list_branches"),
        ("哪份分馆简报的人数最多？", [BRANCHES, BRANCH], "list_branches"),
        ("Add up overtime over every week sheet.", [SHEETS, BRANCH], "list_sheets"),
        ("What is my total, over all those in the list?", [SHEETS, BRANCH], "list_sheets"),
        ("Read sheet WS-17, and all of the week sheets.", [SHEETS, BRANCH], ""),
        ("How is the weather in every town?", [SHEETS, BRANCH], ""),
        ("What is a week sheet?", [SHEETS, BRANCH], ""),
        ("Which bills are not paid yet?", [SHEETS, BRANCH], "list_sheets"),
        ("哪些单据还没付款？", [SHEETS, BRANCH], "list_sheets"),
        ("Add up every week sheet.", [SHEETS, LIST, BRANCH], ""),
        ("Add up every week sheet.", [SHEETS], ""),
    ],
)
def test_the_list_comes_first_where_all_of_its_records_are_wanted(goal, tools, first):
    assert listing_for(goal, tools) == first


@pytest.mark.parametrize(
    ("goal", "searched"),
    [
        ("Who builds the new run?", True),
        ("How many hours did Ines work in April?", True),
        ("租期到什么时候为止？", True),
        ("Which bills are Thea Lund's?", True),
        ("和顺茶庄的单据有哪些？", True),
        ("Which bills are open?", False),
        ("How much straw was used in each month?", False),
        ("Build the new run, please.", False),
        ("Who builds it? Give the full name.", True),
        ("五月份的发票一共多少钱？写出每家的金额", True),
        ("Who builds it? Read notes/run.md and write it into plan.md.", False),
        ("Who builds it? Who pays?", False),
    ],
)
def test_a_plain_question_is_searched_for_in_its_own_words(goal, searched):
    call = ("search_notes", {"text": goal})
    assert search_for(goal, [LIST, READ, SEARCH, RECALL]) == (call if searched else None)
    assert search_for(goal, [LIST, READ]) is None
    assert search_for(goal, [SEARCH, shape("find_notes", "query")]) is None, "nobody knows which"
