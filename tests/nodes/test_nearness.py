import pytest
from task_samples import READ_FILE, item, task

from memory_secretary.memory.task_state import TaskState, open_items
from memory_secretary.nodes.brakes import no_brakes
from memory_secretary.nodes.brief import sections_of
from memory_secretary.nodes.carry import next_sibling
from memory_secretary.nodes.menu import make_menu
from memory_secretary.nodes.nearness import ROWS, kept_to_request, nearest_open
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


@pytest.mark.parametrize("request_", JUNE)
def test_of_monthly_records_only_those_of_the_month_that_is_asked_for_stay_open(request_):
    state = kept_to_request(state_of([*MONTHS, "notes/diesel.md"], request_))
    assert paths(open_items(state)) == ["reports/harwick/2025-06.md", "notes/diesel.md"]
    assert kept_to_request(state) == state
    later = kept_to_request(TaskState(**{**state, "amendments": ["And in March?"]}))
    assert paths(open_items(later)) == [MONTHS[2], MONTHS[5], "notes/diesel.md"]


@pytest.mark.parametrize(
    "request_",
    [
        "From March to June, how much diesel?", "How much diesel since March?", "Every month but not June",
        "The highest month before June?", "三月到六月用了多少柴油？", "除六月外每个月的柴油", "哪个月最高？六月吗？",
        "How much diesel did we use?", "Was June corrected later?",
    ],
)  # fmt: skip
def test_where_other_months_may_matter_all_stay_open(request_):
    state = state_of(MONTHS, request_)
    assert kept_to_request(state) == state


def test_without_a_record_of_that_month_all_stay_open():
    state = state_of(MONTHS[:5], JUNE[0])
    assert kept_to_request(state) == state


def test_what_is_done_or_changes_something_stays_as_it_is():
    state = state_of(MONTHS[:6], JUNE[1])
    state["items"][0]["status"] = "done"
    state["items"][1]["subject"] = "2025-02"
    assert [one["status"] for one in kept_to_request(state)["items"]] == ["done", "open", *["aside"] * 3, "open"]


def test_once_rows_of_one_record_answer_what_the_request_does_not_speak_of_is_laid_aside():
    files = ["hours.csv", "bills/b-1.txt", "lease.txt"]
    state = state_of(files, "How many hours did Mara work, and who signed the lease?")
    assert kept_to_request(state) == state
    left = kept_to_request(TaskState(**{**state, "considered": [ROWS]}))
    assert [one["status"] for one in left["items"]] == ["open", "aside", "open"]


def test_a_question_about_a_state_needs_the_records_that_it_names():
    files = ["bills/b-1.txt", "lease.txt", "bills/b-2.txt"]
    left = kept_to_request(state_of(files, "Which bills are not paid yet?"))
    assert [one["status"] for one in left["items"]] == ["open", "aside", "open"]
    assert kept_to_request(state_of(files, "哪些单据没付？")) == state_of(files, "哪些单据没付？")
    assert kept_to_request(state_of(files, "What do the bills say?")) == state_of(files, "What do the bills say?")
