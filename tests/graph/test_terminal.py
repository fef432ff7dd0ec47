"""A run and a chat as a person sees them: what moves, what is typed meanwhile, and what stands there after Ctrl-C."""

from __future__ import annotations

import pytest
from terminal import Terminal, rows

SAID = {
    "en": {"opening": "opening the memory", "starting": "starting the model", "deciding": "the model reads and decides",
           "resume": "Nothing is lost; continue with:", "head": "executor"},
    "zh": {"opening": "打开记忆库", "starting": "启动模型", "deciding": "模型在阅读并决定",
           "resume": "没有任何丢失；继续请运行：", "head": "执行者"},
}  # fmt: skip


def test_the_screen_is_read_as_a_terminal_shows_it():
    written = "one\r\ntwo\r\n⠋ moving\r\x1b[2Kthree\r\n\x1b[1A\x1b[2Kfour\r\nab\x1b[31mcd\r\x1b[Kx"
    assert rows(written) == ["one", "two", "four", "x"]


@pytest.mark.integration
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_after_ctrl_c_the_command_to_go_on_stands_alone_on_its_line(tmp_path, lang):
    said = SAID[lang]
    terminal = Terminal("run", tmp_path, "stuck?", "--thread", "t1", "--lang", lang)
    seen = terminal.until(said["head"])
    assert said["opening"] in seen
    seen += terminal.until(said["deciding"])
    assert said["starting"] in seen
    assert not terminal.echoes
    terminal.ctrl_c()
    seen += terminal.rest()
    lines = [line.rstrip() for line in rows(seen) if line.strip()]
    assert lines[-2:] == [said["resume"], f"memory-secretary run --resume t1 --memory {tmp_path}"]
    assert not any(said["deciding"] in line for line in lines)
    assert seen.rpartition("\x1b[?25")[2][0] == "h"  # the cursor is there again
    assert terminal.echoes
    assert terminal.end() == 130


@pytest.mark.integration
def test_a_process_that_has_to_be_ended_leaves_the_terminal_as_it_was(tmp_path):
    terminal = Terminal("run", tmp_path, "deaf?", "--thread", "t1", "--lang", "en")
    seen = terminal.until("starting the model")
    assert not terminal.echoes
    terminal.ctrl_c()
    seen += terminal.rest()
    assert terminal.echoes
    assert terminal.end() == 130
    assert not rows(seen)[-1].strip()
    assert seen.rpartition("\x1b[?25")[2][0] == "h"


@pytest.mark.integration
@pytest.mark.parametrize(("lang", "ahead"), [("en", "and now quick"), ("zh", "再来一个 quick")])
def test_what_is_typed_while_the_model_works_is_the_next_turn(tmp_path, lang, ahead):
    said = SAID[lang]
    terminal = Terminal("chat", tmp_path, "--thread", "t1", "--lang", lang)
    seen = terminal.until("> ")
    assert seen.index(said["opening"]) < seen.index(said["head"]) < seen.index(said["starting"])
    terminal.type("later?\n")
    terminal.until(said["deciding"])
    terminal.type(f"{ahead}\n")
    assert ahead not in terminal.until("很快。")
    assert ahead in terminal.until("很快。")
    terminal.until("> ")
    terminal.type("\x04")
    assert terminal.end() == 0
