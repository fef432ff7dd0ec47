"""The live view: what is shown of each node, at any width, on a terminal and in a file."""

from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from memory_secretary.graph import words
from memory_secretary.graph.live import ChatView, LiveView, call_text, figures_line, make_console, one_line, readable

CHUNKS = [
    {"node": "retrieve", "step": 1, "seconds": 0.01, "recalled": 2},
    {
        "node": "summarize", "step": 1, "seconds": 2.1, "secretary_calls": 1, "notes": ["digested evt_7"],
        "brief": {"goal": 40, "constraints": 12, "completion": 8, "done": 210, "open": 120, "values": 90, "methods": 0},
    },
    {
        "node": "plan", "step": 1, "seconds": 3.2, "prompt_tokens": 1410, "cached_tokens": 900, "window": 2048,
        "thought": "先读取三月的发票", "action": "read_file", "arguments": {"path": "发票/三月.md"},
    },
    {
        "node": "act", "step": 1, "seconds": 0.0, "action": "read_file", "ok": True, "ref": "evt_1",
        "result": "发票 2026-031\n总额：41,725.00 元 " + "长" * 150, "reminder": "",
    },
    {
        "node": "act", "step": 2, "seconds": 0.0, "action": "read_file", "ok": False, "ref": "evt_2",
        "result": "no such file", "reminder": "you did this at step 1",
    },
    {"node": "precipitate", "step": 15, "seconds": 0.0, "status": "stopped", "stop_reason": "step_limit"},
]  # fmt: skip


FIRST = "  1 plan           3.2 s  "


def shown(chunks, *, width, terminal=False, lang="en"):
    out = io.StringIO()
    colours = "standard" if terminal else None  # whatever the terminal of those who run the tests knows
    console = Console(file=out, width=width, force_terminal=terminal, highlight=False, color_system=colours)
    with LiveView(console, lang) as view:
        for chunk in chunks:
            view.show(chunk)
    return out.getvalue()


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@pytest.mark.parametrize("width", [80, 200])
def test_everything_fits_the_width_and_nothing_that_matters_is_lost(width):
    text = shown(CHUNKS, width=width)
    assert max(cell_len(line) for line in text.splitlines()) <= width
    flat = re.sub(r"\s+", " ", text)
    for part in ["recalled 2", "brief 480 tokens: goal 40", "values 90", "1,410 of 2,048 tokens", "cached 900",
                 "read_file(path='发票/三月.md')", "先读取三月的发票", "发票 2026-031 总额：41,725.00",
                 "failed · no such file", "you did this at step 1", "stopped: step_limit",
                 "digested evt_7"]:  # fmt: skip
        assert part in flat
    assert "methods" not in flat


def test_the_tokens_that_were_cached_stand_in_the_brackets_of_the_language():
    assert " (cached 900)" in shown(CHUNKS, width=200)
    assert "词元（缓存 900）" in shown(CHUNKS, width=200, lang="zh")


def test_a_file_gets_plain_lines():
    text = shown(CHUNKS, width=160)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", text)
    assert all(line == line.rstrip() for line in text.splitlines())


@pytest.mark.parametrize(
    ("lang", "words"),
    [("en", ["before it, ok: ", "before it, failed: "]), ("zh", ["上一次调用成功：", "上一次调用失败："])],
)
def test_the_moving_line_of_a_chat_names_the_last_call_and_whether_it_failed(lang, words):
    plan, ok, failed = CHUNKS[2], CHUNKS[3], CHUNKS[4]
    for chunk, said, other in ((ok, *words), (failed, *reversed(words))):
        out = io.StringIO()
        console = Console(file=out, width=200, force_terminal=True, highlight=False, color_system=None)
        with ChatView(console, lang, steps=False) as view:
            view.show(plan)
            view.show(chunk)
            view.show({"node": "summarize", "step": 2, "seconds": 0.1})
        assert f"{said}read_file(path='发票/三月.md')" in out.getvalue()
        assert other not in out.getvalue()


@pytest.mark.parametrize("width", [60, 200])
def test_the_moving_line_of_a_chat_names_one_call_at_a_time(width):
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=True, highlight=False, color_system=None)
    later = CHUNKS[2] | {"step": 2, "action": "list_files", "arguments": {"path": "notes"}}
    with ChatView(console, "en", steps=False) as view:
        for chunk in (CHUNKS[2], CHUNKS[3], later):
            view.show(chunk)
    moving = [line for line in re.split(r"[\r\n]", plain(out.getvalue())) if "step 2: act" in line]
    assert moving and all("list_files(path='notes') · 0 s" in line and "read_file" not in line for line in moving)


@pytest.mark.parametrize(("lang", "words"), [("en", "not run"), ("zh", "没有执行")])
def test_a_call_that_was_held_back_did_not_fail(lang, words):
    text = shown([CHUNKS[4] | {"ran": False, "result": ""}], width=160, lang=lang)
    assert words in text and "failed" not in text and "失败" not in text


def test_a_terminal_gets_colours_and_the_moving_line():
    text = shown(CHUNKS, width=80, terminal=True)
    assert "\x1b[" in text
    assert "reading the task" in text
    assert "step 1: summarize · bringing the brief up to date · 0 s" in text
    assert "step 1: act · read_file(path='发票/三月.md')" in text


def test_the_moving_line_says_what_is_done_now_and_nothing_of_the_call_before():
    moving = [line for line in re.split(r"[\r\n]", plain(shown(CHUNKS, width=80, terminal=True))) if " · 0 s" in line]
    assert moving
    assert [line for line in moving if "read_file" in line and "act" not in line] == []


def test_each_step_of_the_line_is_one_that_it_has_words_for():
    for table in words._TABLES.values():
        assert {f"at_{node}" for node in ("retrieve", "summarize", "plan", "act")} <= table.keys()


def test_the_moving_line_is_no_longer_than_the_screen_is_wide():
    text = shown([CHUNKS[2] | {"arguments": {"path": "路" * 300}}, CHUNKS[0]], width=40, terminal=True)
    moving = [line for line in re.split(r"[\r\n]", plain(text)) if "step 1: act" in line]
    assert moving and all(cell_len(line) <= 40 for line in moving)


NODES_ZH = {"retrieve": "检索", "summarize": "摘要", "plan": "规划", "act": "执行", "precipitate": "沉淀"}


def test_chinese_screens_name_the_nodes_in_chinese_in_columns():
    text = shown(CHUNKS, width=80, lang="zh")
    heads = [line for line in text.splitlines() if re.match(r" *\d+ ", line)]
    assert [line.split()[1] for line in heads] == [NODES_ZH[chunk["node"]] for chunk in CHUNKS]
    assert {cell_len(line[: line.index(" s  ")]) for line in heads} == {cell_len("  1 检索    0.0")}
    assert not any(node in text for node in NODES_ZH)
    assert max(cell_len(line) for line in text.splitlines()) <= 80


def test_the_chinese_moving_line_and_closing_line_name_the_nodes_in_chinese():
    text = plain(shown(CHUNKS, width=80, terminal=True, lang="zh"))
    assert "第 1 步：摘要 · 更新简报 · 0 s" in text
    assert "第 1 步：执行 · read_file(path='发票/三月.md')" in text
    assert not any(node in text for node in NODES_ZH)
    line = figures_line({"seconds": dict.fromkeys(NODES_ZH, 1.0)}, "zh")
    assert all(name in line for name in NODES_ZH.values())
    assert not any(node in line for node in NODES_ZH)


def test_a_node_that_was_replaced_keeps_its_name_in_chinese():
    assert "my_long_node_name" in shown([{"node": "my_long_node_name", "step": 3, "seconds": 1.0}], width=80, lang="zh")


def test_the_view_speaks_chinese():
    text = shown(CHUNKS, width=80, lang="zh")
    assert "召回 2 条" in text
    assert "简报 480 词元" in text
    assert "已停止：到了步数上限" in text


def test_a_prompt_near_its_window_stands_out():
    def colour(tokens):
        chunk = CHUNKS[2] | {"prompt_tokens": tokens}
        return re.search(r"\x1b\[(\d+)mprompt", shown([chunk], width=200, terminal=True)).group(1)

    assert [colour(tokens) for tokens in (1000, 2000, 2049)] == ["32", "33", "31"]


def test_text_from_outside_cannot_move_the_cursor_or_colour_the_screen():
    hostile = "\x1b[2J\x1b]0;owned\x07 [bold]not markup[/bold] \u202eabc\ud83e\r\n:smile: 完"
    assert one_line(hostile) == "[2J]0;owned [bold]not markup[/bold] abc :smile: 完"
    text = shown([CHUNKS[3] | {"result": hostile}], width=200)
    assert "[bold]not markup[/bold]" in text
    assert "\x1b" not in text


def test_a_call_is_one_line_however_long_its_arguments():
    assert call_text("write_file", {"path": "a", "content": "x\ny"}) == r"write_file(path='a', content='x\ny')"
    assert len(call_text("write_file", {"content": "y" * 100_000})) <= 400


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Tea at four.\\n\\nthen cake.\n", "Tea at four. then cake."),
        ("四点喝茶\\n然后吃糕", "四点喝茶 然后吃糕"),
        (r"It lies in C:\new\notes and \\nas\nine.", r"It lies in C:\new\notes and \\nas\nine."),
    ],
)
def test_a_line_break_that_was_written_as_signs_is_a_blank_and_a_path_stays(text, shown):
    assert readable(text) == shown


@pytest.mark.parametrize("text", ["长" * 401, "a\n" * 100_000])
def test_a_text_that_is_cut_shows_it(text):
    assert one_line(text).endswith("…")
    assert len(one_line(text)) <= 400
    assert one_line("长" * 400) == "长" * 400


def test_a_node_that_was_replaced_is_still_listed():
    assert "my_node" in shown([{"node": "my_node", "step": 3, "seconds": 1.0}], width=80)


def test_the_closing_line_has_all_figures():
    figures = {
        "steps": 14, "tool_calls": 13, "prompt_tokens": 18240, "read_tokens": 9100, "secretary_calls": 3,
        "secretary_tokens": 800, "seconds": {"plan": 42.13, "act": 0.04},
    }  # fmt: skip
    assert figures_line(figures, "en") == (
        "steps 14 · tool calls 13 · prompt tokens 18,240 · of these read 9,100 · secretary calls 3 · "
        "secretary tokens 800 · time 42.2 s: plan 42.1 s, act 0.0 s"
    )
    assert (
        figures_line({"seconds": {"plan": 4210.04, "act": 0.04}}, "zh") == "共用时 4,210.1 s：规划 4210.0 s，执行 0.0 s"
    )
    assert figures_line({"steps": 1, "seconds": {}}, "en") == "steps 1"


ANSWER = [{"node": "plan", "step": 1, "answer": piece} for piece in ("The ", "answer.\n", "第二行")]


def talked(chunks, *, terminal, steps=False):
    out = io.StringIO()
    with ChatView(Console(file=out, width=80, force_terminal=terminal, highlight=False), "en", steps=steps) as view:
        for chunk in chunks:
            view.show(chunk)
    return out.getvalue()


def test_a_chat_shows_the_answer_alone_and_the_steps_in_the_moving_line_of_a_terminal():
    chunks = [*CHUNKS[:2], *ANSWER, *CHUNKS[2:]]
    assert talked(chunks, terminal=False) == "The answer.\n第二行\n"
    shown = talked(chunks, terminal=True)
    assert "step 1: plan" in shown
    assert "The answer.\n第二行\n" in shown
    assert "step 1: act" not in shown.partition("The ")[2]


def test_a_chat_with_steps_ends_the_answer_s_line_before_the_next_node():
    text = talked([*ANSWER, CHUNKS[2]], terminal=False, steps=True)
    assert re.match(r"The answer\.\n第二行\n +1 plan", text)


@pytest.mark.parametrize(("lang", "said"), [("en", "about 31 s for each decision"), ("zh", "每做一次决定约需 31 秒")])
def test_after_the_first_slow_decision_the_pace_is_told_once(lang, said):
    slow = CHUNKS[2] | {"seconds": 31.4}
    carried = slow | {"prompt_tokens": 0, "seconds": 0.0}
    flat = re.sub(r"\s+", " ", shown([carried, slow, slow], width=400, lang=lang))
    assert flat.count(said) == 1
    assert said not in shown([CHUNKS[2], slow], width=400, lang=lang)


def test_a_run_leaves_the_answer_to_its_end():
    assert shown(ANSWER, width=80) == ""


def test_output_that_is_no_terminal_gets_wide_lines(capsys):
    make_console().print("x" * 150)
    assert capsys.readouterr().out == "x" * 150 + "\n"


def test_both_languages_have_the_same_phrases_with_the_same_slots():
    slots = [
        {key: sorted(re.findall(r"{(\w+)}", text)) for key, text in table.items()} for table in words._TABLES.values()
    ]
    assert slots[0] == slots[1]


@pytest.mark.parametrize("text", ["a long word " * 30, "长" * 390])
def test_a_file_has_one_line_for_what_is_one(capsys, text):
    with LiveView(make_console(), "en") as view:
        view.show(CHUNKS[2] | {"thought": text})
        view.show(CHUNKS[3] | {"result": text})
    first, thought, result = capsys.readouterr().out.splitlines()
    assert first.endswith("read_file(path='发票/三月.md')")
    assert thought == f"{' ' * len(FIRST)}thought: {text.strip()}"
    assert result.endswith(text.strip())
