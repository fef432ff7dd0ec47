"""What a user's sentences change in a calculation, in other words than any task's."""

from __future__ import annotations

from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from task_samples import done, event, task, value

from memory_secretary.memory.errors import ModelUnreachable
from memory_secretary.memory.task_state import TaskState, Told
from memory_secretary.nodes.adjustments import adjusted, find_adjustments, labels_of, limits_in_records, named_limits
from memory_secretary.nodes.figures import figures_of
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.numbers import number_set
from memory_secretary.nodes.secretary import Secretary
from memory_secretary.nodes.spending import Allowance

FIELDS = {"en": "loans", "zh": "借书册数"}
LABELS = {
    "B-10": "B-10  Mill Lane", "B-11": "B-11  Old Harbour [internal]", "B-12": "B-12  Castle Hill",
    "B-13": "B-13  河东分馆（内部）", "B-14": "B-14  Station Road",
}  # fmt: skip
VALUES = {"B-10": 300, "B-11": 410, "B-12": 95, "B-13": 320, "B-14": 520}
GOALS = {"en": "What is the total of loans over all the branch sheets?", "zh": "全部分馆表里的借书册数合计是多少？"}
BUSY = {"en": "Which of the branch sheets are busy by our standard?", "zh": "按我们的标准，哪些分馆表算“忙”？"}


def loans(*told: str, lang: str = "en", goal: str = "", **changes) -> TaskState:
    values = [value(name, f"{number}", FIELDS[lang], ref=f"evt_{name}") for name, number in VALUES.items()]
    notes = [Told(text=text, ref=f"evt_{n}", line="") for n, text in enumerate(told)]
    return task(goal=goal or GOALS[lang], values=values, told=notes, **changes)


def found_in(sentence, lang="en", goal="", labels=LABELS):
    return find_adjustments(loans(sentence, lang=lang, goal=goal), labels, "Branch sheet 分馆表")


def changes(found):
    return [(c["kind"], c["subjects"] or c["number"]) for c in found.sure]


# --- records that do not count --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "subjects"),
    [
        ("B-12 is only a test file, never count it.", ["B-12"]),
        ("Please remember: B-12 stays out of all our sums.", ["B-12"]),
        ("Leave B-12 and B-14 out whenever you add anything up.", ["B-12", "B-14"]),
        ("B-12 was a rehearsal. It does not count.", ["B-12"]),
        ("Exclude b-12 from the figures.", ["B-12"]),
        ("Every branch counts except B-12.", ["B-12"]),
        ("You should not include B-12, the numbers in it are invented.", ["B-12"]),
        ("Sheets marked internal do not count.", ["B-11"]),
        ("Castle Hill is closed for good; ignore it in every total.", ["B-12"]),
        ("Branches with fewer than 100 loans are not counted.", ["B-12"]),
        ("Do not take B-12 into account.", ["B-12"]),
        ("B-12 is not part of any total.", ["B-12"]),
        ("B-12不参与统计。", ["B-12"]),
        ("B-12不作数。", ["B-12"]),
        ("B-12只是测试件，任何合计都不要算进去。", ["B-12"]),
        ("请记住，统计的时候把B-12排除。", ["B-12"]),
        ("B-12和B-14不计入合计。", ["B-12", "B-14"]),
        ("除了B-12以外，其他的都算。", ["B-12"]),
        ("B-12是试填的。它从来不算数。", ["B-12"]),
        ("标了“内部”的不计入。", ["B-13"]),
        ("加总时别把B-12统计进去。", ["B-12"]),
        ("B-12的数是假的，剔除。", ["B-12"]),
        ("借书册数不到100的分馆不统计。", ["B-12"]),
    ],
)
def test_records_that_the_user_leaves_out_are_found(sentence, subjects):
    lang = "zh" if any(sign > "\u3400" for sign in sentence) else "en"
    found = found_in(sentence, lang)
    assert changes(found) == [("without", subjects)]
    assert found.sure[0]["said"] in sentence and found.doubts == []


@pytest.mark.parametrize(
    "sentence",
    [
        "B-12 came late, but it counts all the same.",
        "Do not leave out B-12.",
        "Please do not forget B-12.",
        "B-12 was kept by Anna.",
        "Never open B-12 before noon.",
        "B-99 is a test file, never count it.",
        "B-120 is a test file, never count it.",
        "I do not count on Tom.",
        "For the total of visitors, never count B-12.",
        "The internal mail does not come before noon.",
        "Answer without a currency sign.",
        "不要漏掉B-12。",
        "B-12交晚了，但照样算。",
        "B-12由张丽保管。",
        "B-99不计入合计。",
        "B-120是测试件，不计入。",
        "读者人数的合计里不要算B-12。",
        "我不打算去B-12那边了。",
        "回答里不要带货币符号。",
        "内部电话换了号码。",
        "不要忘了B-12。",
    ],
)
def test_sentences_that_leave_no_record_out_change_nothing(sentence):
    lang = "zh" if any(sign > "\u3400" for sign in sentence) else "en"
    assert changes(found_in(sentence, lang)) == []


def test_a_record_that_counts_again_is_not_left_out_any_more():
    said = "B-12 never counts."
    assert find_adjustments(loans(said, "B-12 counts again."), LABELS).sure == []
    assert [
        c["subjects"] for c in find_adjustments(loans("B-12 and B-14 never count.", "B-14 counts again."), {}).sure
    ] == [["B-12"]]


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("The March sheet was only a trial, never count it.", ["r/2025-03.md"]),
        ("三月的那份不计入。", ["r/2025-03.md"]),
        ("Leave 2025-01 out.", ["r/2025-01.md"]),
        ("March was cold.", []),
    ],
)
def test_a_record_of_a_month_goes_by_the_months_name(sentence, names):
    noted = [value(f"r/2025-0{n}.md", str(n)) for n in (1, 2, 3)]
    found = find_adjustments(task(values=noted, constraints=[sentence]), {})
    assert [c["subjects"] for c in found.sure] == ([names] if names else [])


@pytest.mark.parametrize(
    ("sentence", "names"),
    [
        ("Week 7 never counts.", ["7"]),
        ("第7周不计入。", ["7"]),
        ("Never count more than 7 of them.", []),
        ("No 17 counts not.", []),
    ],
)
def test_a_bare_number_names_a_record_only_behind_a_noun(sentence, names):
    noted = [value(str(n), str(n * 10)) for n in (6, 7, 8)]
    found = find_adjustments(task(values=noted, constraints=[sentence]), {})
    assert [c["subjects"] for c in found.sure if c["kind"] == "without"] == ([names] if names else [])


# --- numbers to add -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "number"),
    [
        ("Whenever I ask for a total of loans, add the 45 of the annex.", "45"),
        ("The book bus makes 45 loans that stand in no sheet. Add them to every sum.", "45"),
        ("Remember: 45 loans from the annex belong into each total.", "45"),
        ("To the total of loans always comes the annex with its 45 on top.", "45"),
        ("Include 45 loans of the bus as well when you add up.", "45"),
        ("Take the 12 loans of the exhibition off the total.", "-12"),
        ("All in all, plus the 1,045 loans of the annex.", "1045"),
        ("The annex has 45 loans that are not included in any sheet; they count towards every total.", "45"),
        ("Never forget the 45 loans of the annex in a total.", "45"),
        ("附属点的借书45册没有计入各表，合计要加45。", "45"),
        ("以后凡是问借书册数合计，都要加上流动书车的45。", "45"),
        ("流动书车的借书册数有45，表里没有，合计时要加进去。", "45"),
        ("请记住：借书合计要另加45册。", "45"),
        ("附属点的45册借书没写在表里，汇总时一并算。", "45"),
        ("合计时把展览的12册借书扣除。", "-12"),
        ("凡是借书总数，都再加四十五。", "45"),
    ],
)
def test_a_number_that_the_user_adds_is_found(sentence, number):
    lang = "zh" if any(sign > "\u3400" for sign in sentence) else "en"
    assert changes(found_in(sentence, lang)) == [("plus", number)]


@pytest.mark.parametrize(
    "sentence",
    [
        "The annex reported 45 visitors, add them to the visitor total.",
        "Tom added 45 chairs to the reading room.",
        "The 45 loans of the annex are in the total already.",
        "Do not add the 45 loans of the annex to the total.",
        "Add up loans over all the 45 sheets.",
        "The annex has 45 loans.",
        "For the total of fines, add the 45 of the annex.",
        "附属点有45把椅子，加到阅览室去。",
        "附属点的45册借书已经计入合计。",
        "合计里不要加附属点的45册借书。",
        "附属点的借书有45册。",
        "办证人数的合计要加上45。",
        "请再加一份报告。",
    ],
)
def test_other_numbers_are_not_added(sentence):
    lang = "zh" if any(sign > "\u3400" for sign in sentence) else "en"
    assert changes(found_in(sentence, lang)) == []


def test_what_is_said_twice_is_added_once_and_the_newest_number_counts():
    annex = "Add the 45 loans of the annex to every total."
    goal = "What is the total of loans, with the 45 loans of the annex added to the total?"
    assert [c["number"] for c in find_adjustments(loans(annex, goal=goal), {}).sure] == ["45"]
    newer = "It is now 50 loans of the annex that must be added to every total."
    assert [c["number"] for c in find_adjustments(loans(annex, newer), {}).sure] == ["50"]


# --- limits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sentence", "relation", "name"),
    [
        ("With us a branch with more than 320 loans counts as busy.", "over", "busy"),
        ("Remember: we speak of a branch as busy from 320 loans or more.", "from", "busy"),
        ("A sheet is called “busy” when its loans exceed 320.", "over", "busy"),
        ("At least 320 loans, and a branch counts as busy.", "from", "busy"),
        ("Branches with fewer than 320 loans do not stand under the word busy.", "under", ""),
        ("Not more than 320 loans: that is our standard.", "upto", ""),
        ("Our limit for loans is 320.", "over", ""),
        ("我们的借书标准是320册。", "over", ""),
        ("在我们这里，借书超过320册的分馆算“忙”。", "over", "忙"),
        ("请记住：借书册数在320以上的叫“忙”。", "from", "忙"),
        ("借书不到320册的分馆不叫“忙”。", "under", "忙"),
        ("我们的标准是借书至少320册。", "from", ""),
        ("借书达到320就视为“忙”。", "from", "忙"),
        ("借书不超过320册，是我们的标准。", "upto", ""),
    ],
)
def test_a_limit_that_the_goal_refers_to_is_found(sentence, relation, name):
    lang = "zh" if any(sign > "\u3400" for sign in sentence) else "en"
    found = found_in(sentence, lang, BUSY[lang])
    assert [(c["kind"], c["number"], c["relation"], c["name"]) for c in found.sure] == [
        ("limit", "320", relation, name)
    ]
    assert named_limits(loans(sentence, lang=lang, goal=BUSY[lang]), "Branch sheet 分馆表") == [sentence]


@pytest.mark.parametrize(
    ("sentence", "goal"),
    [
        ("With us a branch with more than 320 loans counts as busy.", GOALS["en"]),
        ("With us a branch with more than 320 visitors counts as busy.", BUSY["en"]),
        ("A branch with more than 320 loans gets a cake.", "Which branch sheet has the most loans?"),
        ("Answer in no more than 2 lines.", BUSY["en"]),
        ("There were more than enough loans.", BUSY["en"]),
        ("We have 320 loans on Mondays.", BUSY["en"]),
        ("The limit for visitors is 320.", BUSY["en"]),
        ("办证的上限是320人。", BUSY["zh"]),
        ("借书超过320册的分馆算“忙”。", GOALS["zh"]),
        ("办证超过320人的分馆算“忙”。", BUSY["zh"]),
        ("借书超过320册的分馆有蛋糕。", "哪份分馆表的借书册数最高？"),
        ("回答不超过两行。", BUSY["zh"]),
        ("借书的人比去年多。", BUSY["zh"]),
        ("星期一有320册借书。", BUSY["zh"]),
    ],
)
def test_other_limits_change_nothing(sentence, goal):
    lang = "zh" if any(sign > "\u3400" for sign in sentence) else "en"
    found = found_in(sentence, lang, goal)
    assert found.sure == [] and found.doubts == []


def test_a_later_limit_of_the_same_name_takes_the_earlier_ones_place():
    said = ["More than 320 loans counts as busy.", "More than 400 loans counts as busy."]
    assert [c["number"] for c in find_adjustments(loans(*said, goal=BUSY["en"]), {}).sure] == ["400"]


def test_a_limit_in_the_goal_needs_no_name():
    found = find_adjustments(loans(goal="Which branch sheets have more than 320 loans?"), {})
    assert [(c["number"], c["relation"]) for c in found.sure] == [("320", "over")]


# --- where they may stand -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["goal", "amendments", "constraints"])
def test_every_word_of_the_user_is_read_and_nothing_else(where):
    said = "Never count B-12."
    state = loans(goal=said) if where == "goal" else loans(**{where: [said]})
    assert changes(find_adjustments(state, {})) == [("without", ["B-12"])]
    record = loans()
    record["items"] = [done(1, result=said)]
    record["values"][0]["value"] = f"300 {said}"
    assert find_adjustments(record, {"B-10": said}, said).sure == []


@given(st.text(max_size=80), st.sampled_from(["loans", "借书册数"]))
@settings(max_examples=80, deadline=None)
def test_whatever_is_said_every_number_and_record_stands_in_it(sentence, field):
    state = loans("B-12 is a test. ", sentence)
    for entry in state["values"]:
        entry["name"] = field
    found = find_adjustments(state, LABELS)
    for change in [*found.sure, *(c for d in found.doubts for c in d.readings.values())]:
        assert set(change["subjects"]) <= set(VALUES)
        assert change["number"].lstrip("-") in {"", *number_set(change["said"])}


# --- with the secretary ---------------------------------------------------------------------------------------------


class Records:
    """A view that holds a listing and knows each record's title."""

    def __init__(self):
        self.read_count = 0

    def event(self, event_id):
        self.read_count += 1
        return event("list_sheets", {}, "\n".join(LABELS.values()), event_id=event_id)

    def read(self, event_id, start=0, length=2000):
        self.read_count += 1
        return f"Branch sheet {event_id.removeprefix('evt_')}\nmore"[start : start + length]


def secretary(model):
    return Secretary(resolve_model(model, window=4096), window=4096, left=Allowance(9, 100_000))


def listed(state):
    items = [done(n, evidence=f"evt_{name}", source="evt_list") for n, name in enumerate(VALUES)]
    return TaskState(**{**state, "items": items})


def test_a_listing_gives_each_record_its_label_and_a_title_stands_in_for_it():
    assert labels_of(listed(loans()), Records()) == LABELS
    assert labels_of(loans(), Records())["B-12"] == "Branch sheet B-12"


def test_what_is_certain_needs_no_secretary_and_is_found_once(scripted_model):
    view = Records()
    after = adjusted(listed(loans("Sheets marked internal do not count.")), view, secretary(scripted_model))
    assert [c["subjects"] for c in after["adjustments"]] == [["B-11"]]
    before = view.read_count
    assert adjusted(after, view, secretary(scripted_model)) is after and view.read_count == before
    assert scripted_model.history == []


@pytest.mark.parametrize(
    ("sentence", "lang", "reading", "change"),
    [
        ("B-12 was only a trial.", "en", "leave out B-12", ("without", ["B-12"])),
        ("B-12只是试填的。", "zh", "leave out B-12", ("without", ["B-12"])),
        ("To every total comes the annex with its 45 on top.", "en", "add 45", ("plus", "45")),
        ("合计都要加上附属点的45。", "zh", "add 45", ("plus", "45")),
        ("Add the 45 loans of the annex, not the 50 of last year, to the total.", "en", "add 45", ("plus", "45")),
    ],
)
def test_the_secretary_decides_what_code_cannot(scripted_model, sentence, lang, reading, change):
    state = loans(sentence, lang=lang)
    after = adjusted(state, Records(), secretary(scripted_model.enqueue({"1": reading})))
    assert [(c["kind"], c["subjects"] or c["number"]) for c in after["adjustments"]] == [change]
    assert sentence in scripted_model.history[0][1].text


@pytest.mark.parametrize(
    "reply", [{"1": "nothing"}, {"1": "add 999"}, {}, {"1": 7}, "no idea", ModelUnreachable("down")]
)
def test_without_a_usable_answer_nothing_is_changed(scripted_model, reply):
    asked = secretary(scripted_model.enqueue(reply, reply, reply))
    assert adjusted(loans("B-12 was only a trial."), Records(), asked)["adjustments"] == []


def test_the_secretary_is_asked_again_only_when_the_user_has_said_more(scripted_model):
    view, asked = Records(), secretary(scripted_model.enqueue({"1": "leave out B-12"}, {"1": "nothing"}))
    first = adjusted(loans("B-12 was only a trial."), view, asked)
    more = TaskState(**{**first, "values": [*first["values"], value("B-15", "7", "loans", ref="evt_B-15")]})
    second = adjusted(more, view, asked)
    assert (asked.tally.calls, second["adjustments"]) == (1, first["adjustments"])
    amended = TaskState(**{**second, "amendments": ["Leave out B-14, too."]})
    third = adjusted(amended, view, asked)
    assert (asked.tally.calls, changes_of(third)) == (2, [["B-14"]])


def changes_of(state):
    return [change["subjects"] for change in state["adjustments"]]


def test_a_task_without_values_is_left_alone(scripted_model):
    state = task()
    assert adjusted(state, Records(), secretary(scripted_model)) is state


@pytest.mark.parametrize(
    "part", ["不要把", "不要", "not to ", "leave a ", "counts a ", "add 45 ", "at the ", "A-1/", "“a", "没计入"]
)
def test_a_long_monotonous_text_is_read_in_no_time(part):
    started = process_time()
    find_adjustments(loans(part * 150), LABELS)
    assert process_time() - started < 5


# --- limits among the records ---------------------------------------------------------------------------------------

LIMIT_LABELS = {"en": "B-12  Limits of the year", "zh": "B-12  年度上限规定"}
OVER = {"en": "Which branch sheets are over the limit for loans?", "zh": "哪些分馆表的借书册数超了上限？"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_one_record_that_is_called_a_limit_is_compared_with_and_not_counted(lang):
    state, labels = loans(lang=lang, goal=OVER[lang]), {**LABELS, "B-12": LIMIT_LABELS[lang]}
    [change] = limits_in_records(state, labels)
    assert (change["kind"], change["subjects"], change["number"], change["field"]) == (
        "limit", ["B-12"], "95", FIELDS[lang],
    )  # fmt: skip
    [figure] = figures_of(state["values"], [change])
    assert sorted(figure.values) == ["B-10", "B-11", "B-13", "B-14"]
    assert [limit.records for limit in figure.limits] == [("B-10", "B-11", "B-13", "B-14")]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_record_is_no_limit_where_the_goal_speaks_of_none_or_several_are_called_so(lang):
    labels = {**LABELS, "B-12": LIMIT_LABELS[lang]}
    assert limits_in_records(loans(lang=lang), labels) == []
    several = {**labels, "B-10": LIMIT_LABELS[lang]}
    assert limits_in_records(loans(lang=lang, goal=OVER[lang]), several) == []
    assert limits_in_records(loans(lang=lang, goal=OVER[lang]), LABELS) == []


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_limit_that_is_alone_of_its_kind_is_compared_with_once(lang):
    note = value("notes/limits.md", "95", FIELDS[lang], ref="evt_note")
    state = loans(lang=lang, goal=OVER[lang])
    state = TaskState(**{**state, "values": [*state["values"], note]})
    changes = limits_in_records(state, {**LABELS, "notes/limits.md": LIMIT_LABELS[lang]})
    [figure] = [figure for figure in figures_of(state["values"], changes) if len(figure.values) > 1]
    assert [limit.value for limit in figure.limits] == [95]
