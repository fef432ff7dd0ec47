import pytest
from task_samples import READ_FILE, item, task

from memory_secretary.memory.task_state import TaskState
from memory_secretary.nodes.brief import sections_of
from memory_secretary.nodes.carry import next_sibling
from memory_secretary.nodes.menu import make_menu, no_brakes
from memory_secretary.nodes.nearness import nearest_open
from memory_secretary.nodes.wording import EN

MONTHS = [f"reports/harwick/2025-{month:02}.md" for month in range(1, 13)]
JUNE = ["How many litres of diesel were used in June?", "六月的柴油用了多少升？"]


def state_of(paths, request):
    items = [item(n, id=f"i{n}", arguments={"path": path}, source="evt_list") for n, path in enumerate(paths, 1)]
    return task(*items, goal=request)


def paths(items):
    return [each["arguments"]["path"] for each in items]


def names(found, request):
    return paths(nearest_open(state_of(found, request)))


@pytest.mark.parametrize("request_", JUNE)
def test_the_month_of_the_request_comes_first_and_the_rest_stays_in_order(request_):
    june = "reports/harwick/2025-06.md"
    assert names(MONTHS, request_) == [june, *(one for one in MONTHS if one != june)]


@pytest.mark.parametrize("request_", ["Compare June with March.", "比较六月和三月。"])
def test_of_several_months_the_order_is_that_of_discovery(request_):
    assert names(MONTHS, request_)[:2] == ["reports/harwick/2025-03.md", "reports/harwick/2025-06.md"]


def test_a_month_outweighs_words_and_words_outweigh_nothing():
    found = ["notes/roof.md", "notes/diesel_limits.md", "mail/june.txt"]
    wanted = ["mail/june.txt", "notes/diesel_limits.md", "notes/roof.md"]
    assert names(found, "What is the diesel limit in June?") == wanted
    assert names(["库存/叉车.md", "报告/柴油.md"], "柴油用了多少升？") == ["报告/柴油.md", "库存/叉车.md"]


def test_a_request_that_names_nothing_of_it_changes_nothing():
    assert names(MONTHS, "How much rain fell in all?") == MONTHS
    assert names([], "anything in June?") == []


@pytest.mark.parametrize("request_", JUNE)
def test_menu_and_brief_offer_them_in_that_order(request_):
    state = state_of([*MONTHS, "reports/柳桥/2025年06月.md"], request_)
    menu = make_menu(state, [READ_FILE], no_brakes())
    first = list(menu.choices)[:3]
    assert sorted(first) == ["i1", "i13", "i6"]
    assert first[2] == "i1"
    [open_] = [section for section in sections_of(state, EN) if section.name == "open"]
    assert [line.split(":")[0] for line in open_.lines[:3]] == first


@pytest.mark.parametrize("request_", JUNE)
def test_who_has_read_the_month_that_is_asked_for_chooses_what_comes_next(request_):
    def after(label):
        state = state_of(MONTHS, request_)
        read = [
            each | {"status": "done", "evidence": "evt_r"} if each["id"] == label else each for each in state["items"]
        ]
        return next_sibling(TaskState(**{**state, "items": read}), label, [READ_FILE])

    assert after("i6") is None
    assert after("i1")["id"] == "i6"
