import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import HumanMessage, SystemMessage
from task_samples import GOALS, LIST_FOLDER, PAY, READ_FILE, SEARCH, done, item, task

from memory_secretary.memory.tokens import estimate_tokens
from memory_secretary.nodes.brakes import no_brakes
from memory_secretary.nodes.brief import fit, sections_of
from memory_secretary.nodes.menu import FINAL, OTHER, Menu, make_menu
from memory_secretary.nodes.prompt import brief_room, instruction, messages, prompt_tokens, reply_room, system_text
from memory_secretary.nodes.wording import EN, ZH

WORDS = {"en": EN, "zh": ZH}
SIGNATURES = [
    f"{tool.name}({', '.join(tool.required)}) – {tool.description}" for tool in (READ_FILE, LIST_FOLDER, SEARCH)
]
TOOLS = [READ_FILE, LIST_FOLDER, SEARCH, PAY]


@given(st.integers(1024, 40_000), st.sampled_from(["en", "zh"]), st.integers(0, 300), st.integers(0, 300),
       st.integers(1, 200), st.lists(st.text(max_size=200), max_size=5))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_the_whole_prompt_and_its_reply_fit_every_window(window, lang, n_done, n_open, long, recalled):
    state = task(*map(done, range(n_done)), *map(item, range(500, 500 + n_open)), goal=GOALS[lang] * long)
    system = system_text(SIGNATURES)
    room = brief_room(window, system, estimate_tokens)
    brief = fit(sections_of(state, WORDS[lang], recalled=recalled), room, WORDS[lang], estimate_tokens)
    ask = instruction(make_menu(state, TOOLS, no_brakes()), WORDS[lang])
    prompt = messages(system, brief.text, ask)
    assert prompt_tokens(prompt, estimate_tokens) + reply_room(window) <= window
    assert WORDS[lang].goal in brief.text


@pytest.mark.parametrize(("window", "reply"), [(1024, 170), (600, 160), (2400, 400), (4096, 640), (100_000, 640)])
def test_the_reply_has_a_share_of_the_window(window, reply):
    assert reply_room(window) == reply


def test_tools_that_fill_the_window_leave_no_room():
    assert brief_room(1024, "tool " * 2000, estimate_tokens) <= 0


def test_a_chinese_run_thinks_and_answers_in_chinese():
    assert system_text([], "zh").count("用中文") == 2
    assert "用中文" not in system_text([], "en")
    assert "思路用中文" in instruction(make_menu(task(item(1)), TOOLS, no_brakes()), ZH)


def test_the_fixed_part_comes_first_and_names_every_tool():
    system = system_text(["read(path: str) – Read {path} as it is.", "查询(词)"])
    assert "\n- read(path: str) – Read {path} as it is.\n- 查询(词)\n" in system
    assert f"- {FINAL}(answer: str)" in system
    assert messages(system, "brief", "ask") == [SystemMessage(system), HumanMessage("brief\n\nask")]


@pytest.mark.parametrize("words", [EN, ZH])
def test_a_message_is_answered_or_told_what_one_can(words):
    assert instruction(Menu("reply", {}, (), True), words) == words.next_reply
    assert instruction(Menu("reply", {}, (), True, abilities=True), words) == words.next_abilities


@pytest.mark.parametrize("words", [EN, ZH])
def test_the_instruction_says_what_is_to_be_decided(words):
    items = make_menu(task(item(1), item(2)), TOOLS, no_brakes())
    assert instruction(items, words).startswith(words.next_open)
    assert f"i1, i2, {OTHER}" in instruction(items, words)
    assert instruction(Menu("answer", {}, (), True), words) == words.last_step
    assert instruction(Menu("finish", {}, (), True), words) == words.next_answer
    assert instruction(Menu("free", {}, (READ_FILE,), False), words) == words.next_free
