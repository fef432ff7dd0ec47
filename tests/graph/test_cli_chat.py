"""The command `chat` over the real graph with a scripted model: turns, threads, commands, Ctrl-C, pipes, terminals."""

from __future__ import annotations

import io
import json
import re
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, repeat
from pathlib import Path

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field
from rich.cells import cell_len
from rich.console import Console
from terminal import PROGRAM, Terminal, rows
from typer.testing import CliRunner

from memory_secretary.graph import Settings, build_graph, cli_chat, cli_chat_session, cli_run, open_checkpointer
from memory_secretary.graph.cli import app
from memory_secretary.graph.cli_chat import converse
from memory_secretary.graph.cli_chat_commands import COMMANDS, is_command
from memory_secretary.graph.cli_chat_session import Session
from memory_secretary.graph.cli_chat_turn import Turn
from memory_secretary.graph.cli_runs import RunRecord
from memory_secretary.graph.evaluation.example_task import variant
from memory_secretary.graph.moving_line import MovingLine
from memory_secretary.graph.words import say
from memory_secretary.memory.bilingual import speaking
from memory_secretary.memory.errors import ModelUnreachable
from memory_secretary.memory.roles import Role
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models.patience import GivenUp
from memory_secretary.nodes.wording import ZH

COLOURS = {"en": "My favourite colour is teal. Remember this.", "zh": "请记住：我最喜欢的颜色是青色。"}


def final(answer):
    return {"step": {"thought": "hidden", "action": "final_answer", "input": {"answer": answer}}}


class Chat:
    """A chat whose inputs are given as a list; an exception among them is raised in its place."""

    def __init__(self, memory, folder, model, saver, *, lang="en", width=80, **options):
        self.out, self.prompts = io.StringIO(), []
        console = Console(file=self.out, width=width, highlight=False)
        record = RunRecord(thread="t1", user="ana", goal="", workspace="")
        graph = build_graph(model, memory=memory, settings=Settings(lang=lang), checkpointer=saver)
        self.session = Session(graph, memory, folder, record, console, lang, **options)

    def hold(self, *lines, interactive=True):
        """The exit status and what was shown."""
        left = chain(lines, repeat(EOFError()))

        def read(prompt):
            self.prompts.append(prompt)
            line = next(left)
            if isinstance(line, BaseException):
                raise line
            return line

        self.session.read = read
        status = converse(self.session, interactive=interactive)
        assert self.session.close(10)
        return status, self.out.getvalue()


@pytest.fixture
def chat(memory, tmp_path, scripted_model):
    """Makes chats over one memory and one checkpointer, with the model's replies."""
    with open_checkpointer(":memory:") as saver:
        yield lambda *replies, **options: Chat(memory, tmp_path, scripted_model.enqueue(*replies), saver, **options)


def test_turns_are_answered_in_order_and_their_steps_stay_hidden(chat, memory):
    status, shown = chat(final("One."), final("Two.")).hold("first?", "second?")
    assert (status, shown) == (0, "One.\nTwo.\n")
    asked = [event.observation for event in memory.events(Scope(user="ana", thread="t1")) if event.actor == "user"]
    assert asked == ["first?", "second?"]
    assert [entry.reason for entry in memory.pending(Scope(user="ana"))].count("session_closed") == 1


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_steps_are_shown_when_asked_for(chat, lang):
    _, shown = chat(final("One."), lang=lang, steps=True).hold("first?")
    assert "One.\n" in shown
    plan = {"en": "plan", "zh": "规划"}[lang]
    assert re.search(rf"{plan} .*final_answer\(answer='One\.'\)", re.sub(r"\s+", " ", shown))
    assert {"en": "prompt", "zh": "提示词"}[lang] in shown


def test_the_step_that_is_said_to_be_at_work_is_the_one_that_is_printed(memory, tmp_path, scripted_model):
    def look(path: str) -> str:
        """Read a file."""
        return f"{path} is empty"

    calls = [{"step": {"thought": "t", "action": "look", "input": {"path": path}}} for path in ("a.md", "b.md")]
    scripted_model.enqueue(*calls, final("One."), calls[0], final("Two."))
    with open_checkpointer(":memory:") as saver:
        made = Chat(memory, tmp_path, scripted_model, saver, steps=True)
        made.session.graph = build_graph(scripted_model, memory=memory, tools=[look], checkpointer=saver)
        made.session.console = Console(file=made.out, width=120, force_terminal=True, color_system=None)
        _, shown = made.hold("What is in a.md and b.md?", "And in a.md again?")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    said = re.findall(r"step (\d+): (\w+) · ", plain)
    lines = re.split(r"[\r\n]+", plain)
    printed = [found.groups() for found in map(re.compile(r" {0,2}(\d+) (\w+) +\d+\.\d s").match, lines) if found]
    turns = [place for place, found in enumerate(printed) if found == ("0", "retrieve")]
    assert len(turns) == 2, printed
    assert len(said) > 10 and [step for step in said if step not in printed] == []
    assert printed[turns[1] : turns[1] + 3] == [("0", "retrieve"), ("0", "summarize"), ("0", "plan")]


def test_json_has_the_pieces_of_the_answer_and_a_result(chat):
    _, shown = chat(final("One."), as_json=True).hold("first?")
    rows = [json.loads(line) for line in shown.splitlines()]
    assert [row["answer"] for row in rows if "answer" in row] == ["One."]
    assert rows[-1]["result"]["answer"] == "One."


def test_what_an_answer_says_cannot_steer_the_terminal(chat):
    _, shown = chat(final("a\x1b[2Jb\nc \u202edone")).hold("first?")
    assert shown == "a[2Jb\nc done\n"


def test_threads_are_begun_listed_and_gone_back_to(chat):
    lines = ["of apples?", "/new pears", "of pears?", "/threads", "/switch t", "/history", "/switch nowhere"]
    status, shown = chat(final("Apples."), final("Pears.")).hold(*lines)
    assert status == 0
    assert "You are in thread pears." in shown
    assert re.search(r"pears · \S+ \S+ · done · now\n +of pears\? *\nt1 · \S+ \S+ · done\n +of apples\?", shown)
    history = shown.rpartition("You are in thread t1.")[2]
    assert "of apples?" in history
    assert "Pears" not in history


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_session_recalls_what_another_was_told_and_says_why(chat, lang):
    question = {"en": "Which colour do I like?", "zh": "我最喜欢的颜色是什么？"}[lang]
    lines = [COLOURS[lang], "/new", question, "/why", "/brief", f"/why {question}"]
    with speaking(lang):
        _, shown = chat(final("Teal."), lang=lang, width=200).hold(*lines)
    why, _, rest = shown.partition("Teal.\n")[2].partition("#")
    text, reason, numbers = why.splitlines()[:3]
    assert text == COLOURS[lang]
    assert {
        "en": "    you asked to remember it · user, to be remembered · ", "zh": "    您要求记住 · 用户要求记住 · ",
    }[lang] in reason  # fmt: skip
    assert re.match(r" {4}evt_\w+ · (score|得分) \d\.\d\d[:：]", numbers)
    assert re.search({"en": r"recency \d\.\d\d, ", "zh": r"新近度 \d\.\d\d，"}[lang], numbers)
    assert {"en": "Goal", "zh": "目标"}[lang] in rest


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_why_names_what_was_asked_to_be_remembered_in_the_users_language(chat, lang):
    wish = {"en": "Remember: my colour is teal.", "zh": "请记住：我喜欢青色。"}[lang]
    question = {"en": "Which colour is mine?", "zh": "我喜欢什么颜色？"}[lang]
    lines = [wish, "/new", question, "/why", f"/why {question}"]
    with speaking(lang):
        _, shown = chat(final("Noted."), final("Teal."), lang=lang, width=200).hold(*lines)
    label = {"en": "user, to be remembered", "zh": "用户要求记住"}
    assert shown.count(label[lang]) == 2
    assert label["zh" if lang == "en" else "en"] not in shown


def test_the_lines_of_what_was_recalled_are_joined_by_blanks(chat):
    told = 'My shed has two doors.\n\nThe "left" one is at C:\\new. Remember this.'
    _, shown = chat(final("Noted."), final("Two."), width=400).hold(told, "/new", "How many doors has my shed?", "/why")
    assert '\nMy shed has two doors. The "left" one is at C:\\new. Remember this.\n' in shown


def test_cards_are_shown_and_forgotten(chat, memory):
    card = memory.remember(Scope(user="ana"), "Likes teal.")
    _, shown = chat().hold("/memory", f"/forget {card.memory_id}", "y", "/memory")
    assert shown.count("Likes teal.") == 3
    assert "archived" in shown
    assert shown.endswith("No cards are kept of you yet.\n")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_wish_that_is_no_card_yet_is_shown_and_taken_back_by_the_beginning_of_its_id(chat, memory, lang):
    made = chat(final("Noted."), lang=lang)
    with speaking(lang):
        _, shown = made.hold(COLOURS[lang], "/memory")
        [wish] = [entry for entry in memory.pending(Scope(user="ana")) if entry.reason == "remember"]
        used = {"en": "asked to be remembered; used already, not yet a card", "zh": "要求记住；已经起作用，还不是卡片"}
        assert re.search(rf"{wish.event_ids[0]} · {used[lang]} · \S+ \S+\n +{COLOURS[lang][:9]}", shown)
        _, shown = chat(lang=lang).hold(f"/forget {wish.event_ids[0][:-5]}", "y", "/memory", "/history", "/threads")
    said, _, left = shown.partition({"en": "until a vacuum.", "zh": "可用 `memory restore` 恢复。"}[lang])
    assert COLOURS[lang][:9] in said
    assert COLOURS[lang][:9] not in left and wish.event_ids[0] not in left
    assert [entry for entry in memory.pending(Scope(user="ana")) if entry.reason == "remember"] == []


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kept", ["card", "turn"])
def test_forgetting_tells_what_will_go_and_asks_and_the_answer_is_no_turn(chat, memory, lang, kept, capsys):
    made, owner = chat(final("Noted."), final("Two."), final("Three."), lang=lang), Scope(user="ana")
    with speaking(lang):
        made.hold(COLOURS[lang])
        ref = memory.remember(owner, "Likes teal.").memory_id
        if kept == "turn":
            ref = next(entry.event_ids[0] for entry in memory.pending(owner) if entry.reason == "remember")
        is_gone = (lambda: memory.view(Role.USER, owner).forgotten([ref]) != set()) if kept == "turn" else (
            lambda: memory.list(owner) == []
        )  # fmt: skip
        for refusal in ("", "n", KeyboardInterrupt()):
            _, shown = made.hold(f"/forget {ref}", refusal)
            assert shown.endswith({"en": "Nothing was changed.\n", "zh": "没有做任何改动。\n"}[lang])
            assert ({"en": "Forgetting takes out of every search", "zh": "遗忘会把"}[lang] in shown, is_gone()) == (
                True, False,
            )  # fmt: skip
        made.hold(f"/forget {ref}")
        assert ("--yes" in capsys.readouterr().err, is_gone()) == (True, False)
        made.prompts.clear()
        choice = {"en": "[y/N]", "zh": "[是/否，"}[lang]
        made.hold(f"/forget {ref}", {"en": "y", "zh": "是"}[lang])
        assert (
            any(choice in prompt for prompt in made.prompts),
            is_gone(),
        ) == (True, True)
    asked = [event.observation for event in memory.events(Scope(user="ana", thread="t1")) if event.actor == "user"]
    assert asked == [COLOURS[lang]]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("what", ["wish", "card", "question"])
def test_what_was_forgotten_is_shown_by_no_look_at_the_step_before(chat, memory, lang, what):
    question = {"en": "Which colour do I like?", "zh": "我最喜欢的颜色是什么？"}[lang]
    mark = {"en": "(forgotten)", "zh": "（已遗忘）"}[lang]
    owner = Scope(user="ana")
    if what == "card":
        memory.remember(owner, COLOURS[lang])
    before = [] if what == "card" else [COLOURS[lang], "/new"]
    with speaking(lang):
        made = chat(final("Good."), lang=lang)
        made.hold(*before, question, "/why", "/brief")
        told = question if what == "question" else COLOURS[lang]
        ref = next((card.memory_id for card in memory.list(owner)), "") or next(
            event.event_id
            for scope in (replace(owner, thread="t1"), replace(owner, thread=made.session.record.thread))
            for event in memory.events(scope)
            if event.observation == told
        )
        made.hold(f"/forget {ref} --yes")
        for look in ("/why", "/brief"):
            before = len(made.out.getvalue())
            shown = made.hold(look)[1][before:]
            assert told[:9] not in shown, look
            assert mark in shown or (look, what) == ("/why", "question")


TOLD = {"en": "I live in Graz.", "zh": "我住在格拉茨。"}


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_what_was_told_without_a_wish_is_listed_with_what_makes_cards_of_it(chat, memory, lang):
    question = {"en": "Where do I live?", "zh": "我住在哪里？"}[lang]
    heading = {"en": "Told without a wish to keep it, and no card yet: 1.", "zh": "还不是卡片的话：1 条"}[lang]
    later = {"en": "once this chat has ended", "zh": "这次对话结束后"}[lang]
    with speaking(lang):
        made = chat(final("Ah."), final("Graz."), final("Done."), lang=lang)
        _, here = made.hold(TOLD[lang], question, "/memory")
        _, after = chat(lang=lang).hold("/memory")
    for shown, is_here in ((here, True), (after, False)):
        listed = shown.partition(heading)[2]
        assert re.search(rf"evt_\w+ · \S+ \S+\n +{TOLD[lang]}", listed)
        assert ("memory settle" in listed, later in listed, question in listed) == (True, is_here, False)
    [told] = [event for event in memory.events(Scope(user="ana", thread="t1")) if event.observation == TOLD[lang]]
    with speaking(lang):
        _, shown = chat(lang=lang).hold(f"/forget {told.event_id} --yes", "/memory")
    assert heading[:12] not in shown and shown.count(TOLD[lang]) == 1


def test_who_says_yes_with_the_command_is_not_asked(chat, memory):
    ref = memory.remember(Scope(user="ana"), "Likes teal.").memory_id
    made = chat()
    made.hold(f"/forget {ref} --yes")
    assert (memory.list(Scope(user="ana")), set(made.prompts)) == ([], {"> "})


def test_a_pipe_answers_with_its_next_line(command, tmp_path):
    with TieredMemory.open(tmp_path / "memory", embedder=None) as memory:
        ref = memory.remember(Scope(user="local"), "Likes teal.").memory_id
    result, _ = command(lines=[f"/forget {ref}"])
    assert "--yes" in result.stderr
    result, _ = command(lines=["/memory", f"/forget {ref}", "y", "/memory"])
    assert (result.exit_code, result.stdout.count("Likes teal.")) == (0, 3)
    assert result.stdout.endswith("No cards are kept of you yet.\n")


def test_a_card_is_put_in_by_hand(chat, memory):
    _, shown = chat().hold("/remember 订单周五前发货", "/memory")
    [card] = memory.list(Scope(user="ana"))
    assert (card.content, card.source_agent, card.type) == ("订单周五前发货", "user", "fact")
    assert shown.count(card.memory_id) == 2
    chat().hold("/remember 我喜欢简短的回答", "/remember I prefer short answers")
    assert [card.type for card in memory.list(Scope(user="ana"))] == ["preference", "preference", "fact"]


def test_the_beginning_of_a_cards_id_is_enough_unless_it_fits_several(chat, memory, capsys):
    owner = Scope(user="ana")
    first, other = memory.remember(owner, "Likes teal."), memory.remember(owner, "Lives in Graz.")
    pairs = zip(first.memory_id, other.memory_id, strict=True)
    alike = next(place for place, (one, another) in enumerate(pairs) if one != another)
    chat().hold(f"/forget {first.memory_id[:alike]}", f"/forget {first.memory_id[: alike + 1]}", "y")
    assert "give more of it" in capsys.readouterr().err
    assert [card.content for card in memory.list(owner)] == ["Lives in Graz."]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_before_anything_was_said_each_list_says_that_it_is_empty(chat, lang):
    status, shown = chat(lang=lang).hold("/memory", "/why", "/brief", "/history", "/threads", "")
    assert status == 0
    assert len(shown.splitlines()) == 5


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_search_that_finds_nothing_and_a_step_that_recalled_nothing_say_so(chat, lang):
    _, shown = chat(final("One."), lang=lang).hold("/why", "/why teal", "first?", "/why")
    said = {
        "en": "Nothing was recalled yet: nothing was asked in this thread.\nNothing that is kept fits this.\n"
        "One.\n"
        "Nothing was recalled for the last step.\n",
        "zh": "还没有召回任何记忆：这个线程里还没有提过问题。\n没有与此相符的记忆。\nOne.\n上一步没有召回任何记忆。\n",
    }
    assert shown == said[lang]


@pytest.mark.parametrize(
    ("lang", "typed", "said"),
    [
        ("en", "/memroy", "did you mean /memory?"),
        ("zh", "/memroy", "您是想用 /memory 吗？"),
        ("en", "/xyzzy", "There is no command /xyzzy; /help names them, /quit leaves the chat."),
        ("en", "/nope", "There is no command /nope; /help names them, /quit leaves the chat."),
        ("zh", "/你好", "没有命令 /你好；/help 列出所有命令，/quit 离开对话。"),
        ("en", "/forget", "/forget needs what it is about: /forget REF, where REF is the id that /memory, "),
        ("zh", "/forget", "/forget 需要说明对象：/forget 编号，“编号”是 /memory、"),
        ("en", "/switch", "/switch THREAD, where THREAD is the name that /threads shows"),
        ("en", "/qiut", "did you mean /quit?"),
        ("en", "/exti", "did you mean /quit?"),
        ("zh", "/exi", "您是想用 /quit 吗？"),
        ("en", "/forget mem_nowhere", "Nothing is kept under mem_nowhere: take an id that /memory, "),
        ("zh", "/forget mem_nowhere", "没有编号为 mem_nowhere 的内容：请用 /memory、"),
        ("en", "/forget evt_nowhere", "Nothing is kept under evt_nowhere: take an id that /memory, "),
        ("en", "/forget teal", "Nothing is kept under teal: take an id that /memory, "),
        ("en", "/switch nowhere", "there is no thread 'nowhere'"),
        ("zh", "/resume", "没有可以继续的任务"),
    ],
)
def test_a_command_that_cannot_be_done_says_so_and_the_chat_goes_on(chat, capsys, lang, typed, said):
    status, shown = chat(final("One."), lang=lang).hold(typed, "first?")
    assert said in capsys.readouterr().err
    assert (status, shown) == (0, "One.\n")


@pytest.mark.parametrize("typed", ["/quit", "/exit", "/bye", "/q", "/EXIT", "/退出"])
def test_who_wants_to_leave_leaves_whatever_word_they_use(chat, capsys, typed):
    status, shown = chat(final("One.")).hold(typed, "first?")
    assert (status, shown, capsys.readouterr().err) == (0, "", "")


def test_a_refused_forget_names_no_command_of_the_shell(chat, capsys):
    chat().hold("/forget mem_nowhere")
    assert "memory-secretary" not in capsys.readouterr().err


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("width", [40, 80, 200])
def test_help_names_every_command_within_the_width(chat, lang, width):
    _, shown = chat(lang=lang, width=width).hold("/help")
    assert all(f"/{name}" in shown for name in COMMANDS)
    assert max(cell_len(line) for line in shown.splitlines()) <= width
    bare = re.sub(r"\s", "", shown)
    assert all(re.sub(r"\s", "", say(lang, f"help_{name}")) in bare for name in COMMANDS)


@pytest.mark.parametrize(
    "words", ["/home/ana/a.md: what is in it?", "/数据/销售.txt 里有什么？", "/ what?", "/3 of it"]
)
def test_a_path_and_a_slash_alone_are_no_command(words):
    assert not is_command(words)


@pytest.mark.parametrize("words", ["  /why which colour? ", "/nope", "/你好", "/why 哪种颜色？ 见 a/b", "/what-is"])
def test_a_word_of_any_script_after_a_slash_is_a_command(words):
    assert is_command(words)


def test_a_turn_that_failed_is_told_by_the_exit_status_of_a_pipe_only(chat, capsys):
    error = ModelUnreachable("no answer; start it with: ollama serve")
    made = chat(error, final("Two."))
    assert made.hold("first?", "second?", interactive=False) == (1, "Two.\n")
    assert "ollama serve" in capsys.readouterr().err
    assert chat(error).hold("third?")[0] == 0


def test_a_command_that_could_not_be_done_is_no_failed_turn_and_a_turn_that_was_gone_on_with_is(chat):
    made = chat(ModelUnreachable("no answer; start it with: ollama serve"), final("One."))
    assert made.hold("/switch zzz", "/resume", "/xyzzy", interactive=False)[0] == 0
    assert made.hold("first?", "/resume", interactive=False) == (1, "One.\n")


def test_enter_goes_on_with_a_turn_that_failed(chat):
    error = ModelUnreachable("no answer; start it with: ollama serve")
    status, shown = chat(error, final("One."), final("Two.")).hold("first?", "", "second?", "")
    assert (status, shown) == (0, "One.\nTwo.\n")


class Stuck(BaseChatModel):
    """A model that answers only when it is told to, and says when it was asked."""

    asked: threading.Event = Field(default_factory=threading.Event)
    told: threading.Event = Field(default_factory=threading.Event)

    @property
    def _llm_type(self):
        return "stuck"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        self.asked.set()
        assert self.told.wait(60)
        text = json.dumps(final("Here it is."))
        return ChatResult(generations=[ChatGeneration(message=AIMessage(text))])


def test_a_turn_that_is_stopped_while_its_model_is_silent_ends_at_once_and_is_gone_on_with(memory, tmp_path):
    model = Stuck()
    with open_checkpointer(":memory:") as saver:
        made = Chat(memory, tmp_path, model, saver)
        record = replace(made.session.record, goal="first?")
        turn = Turn(lambda: cli_run.parts_of(made.session.graph, record, fresh=True))
        assert model.asked.wait(60)
        turn.stop()
        turn.wait(10)
        assert not turn.busy
        with pytest.raises(GivenUp, match="go on with the task"):
            list(turn)
        assert not model.told.is_set()
        model.told.set()
        assert made.hold("") == (0, "Here it is.\n")
    asked = [event.observation for event in memory.events(Scope(user="ana", thread="t1")) if event.actor == "user"]
    assert asked == ["first?"]


class Digging:
    """A turn that Ctrl-C finds with a tool at work, which is done after it was waited for."""

    def __init__(self, make, ended):
        self.left = 1

    def __iter__(self):
        raise KeyboardInterrupt

    @property
    def busy(self):
        return self.left > 0

    def stop(self):
        """A tool cannot be broken off."""

    def wait(self, seconds=None):
        self.left -= 1


@pytest.mark.parametrize(("lang", "said"), [("en", "is still ending"), ("zh", "正在结束")])
def test_while_a_tool_is_at_work_other_threads_are_open_and_its_own_says_that_it_waits(
    chat, memory, monkeypatch, lang, said
):
    kinds, told = iter([Digging, Turn, Turn]), []
    monkeypatch.setattr(cli_chat_session, "Turn", lambda *given: next(kinds)(*given))
    monkeypatch.setattr(MovingLine, "show", lambda line, text: told.append(text))
    _, shown = chat(final("Elsewhere."), final("A coin."), lang=lang).hold(
        "first?", "/new pears", "of pears?", "/new t1", "again?"
    )
    assert "Elsewhere.\n" in shown
    assert shown.endswith("A coin.\n")
    waits = [place for place, text in enumerate(told) if said in text]
    plan = {"en": "plan", "zh": "规划"}[lang]
    answers = [place for place, text in enumerate(told) if plan in text]
    assert len(waits) == 1
    assert answers[0] < waits[0] < answers[-1]


def test_quit_leaves_and_ctrl_c_twice_leaves_with_its_own_status(chat):
    assert chat().hold("/quit", AssertionError("read on"))[0] == 0
    status, shown = chat().hold(KeyboardInterrupt(), KeyboardInterrupt(), AssertionError("read on"))
    assert status == 130
    assert shown.count("Ctrl-C again or Ctrl-D leaves.") == 1
    assert chat(final("One.")).hold(KeyboardInterrupt(), "first?", KeyboardInterrupt())[0] == 0
    assert chat().hold(KeyboardInterrupt(), AssertionError("read on"), interactive=False)[0] == 130


@pytest.fixture
def command(tmp_path, monkeypatch, scripted_model):
    """Calls `memory-secretary chat …` with lines on its standard input."""
    monkeypatch.setenv("MEMORY_SECRETARY_EMBEDDER", "none")
    monkeypatch.setattr(cli_chat, "make_ready", lambda record: None)

    def call(*words, lines, replies=()):
        scripted_model.enqueue(*replies)
        records = []

        @contextmanager
        def assembled(record, memory, folder, trace=None):
            records.append(record)
            with open_checkpointer(folder / "checkpoints.sqlite") as saver:
                yield build_graph(scripted_model, memory=memory, checkpointer=saver)

        monkeypatch.setattr(cli_run, "assembled", assembled)
        words = ["chat", *words, "--memory", str(tmp_path / "memory")]
        return CliRunner().invoke(app, words, input="".join(f"{line}\n" for line in lines)), records

    return call


def test_piped_lines_are_one_turn_each_and_only_the_answers_are_written(command):
    result, [record] = command(lines=["first?", "", "second?"], replies=[final("One."), final("二。")])
    assert (result.exit_code, result.stdout) == (0, "One.\n二。\n")
    assert (record.workspace, record.executor, record.user) == ("", "embedded", "local")


def test_options_reach_the_graph_and_a_thread_is_gone_on_with(command, tmp_path):
    words = [
        "--thread",
        "t9",
        "--executor",
        "ollama:m",
        "--window",
        "2048",
        "--workspace",
        str(tmp_path),
        "--lang",
        "zh",
    ]
    result, [record] = command(*words, lines=["one?"], replies=[final("One.")])
    assert (record.thread, record.executor, record.window) == ("t9", "ollama:m", 2048)
    assert (record.workspace, record.lang) == (str(tmp_path), "zh")
    result, _ = command("--thread", "t9", "--lang", "zh", lines=["/history"])
    assert "您 · " in result.stdout
    assert "one?" in result.stdout


def test_the_beginning_of_a_thread_s_name_is_enough_unless_several_begin_so(command):
    for thread in ("kiln-red", "kiln-blue"):
        command("--thread", thread, lines=["one?"], replies=[final("One.")])
    assert command("--thread", "kiln-r", lines=[])[1][0].thread == "kiln-red"
    assert command("--thread", "mill", lines=[])[1][0].thread == "mill"
    result, records = command("--thread", "kiln", lines=[])
    assert (result.exit_code, records, "give more of it" in result.stderr) == (2, [], True)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_who_names_a_thread_that_is_not_there_is_told_that_it_begins(chat, monkeypatch, lang):
    def end(prompt):
        raise EOFError

    monkeypatch.setattr(cli_chat, "typed", end)
    said = {"en": "Nothing was said in thread t1 yet", "zh": "线程 t1 里还没有说过话"}[lang]
    for replies, lines, shown in (([], [], True), ([final("One.")], ["first?"], False)):
        made = chat(*replies, lang=lang)
        made.hold(*lines)
        assert cli_chat._held(made.session, lambda: None, interactive=True, named=True) == 0
        assert (said in made.out.getvalue()) == shown


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("goal", ["first?", "哪些订单\n还没有发货？" * 20])
def test_who_enters_a_thread_is_told_of_its_open_task_on_one_line(chat, lang, goal):
    error = ModelUnreachable("no answer; start it with: ollama serve")
    _, shown = chat(error, lang=lang).hold(goal, "/new other", "/new t1")
    told, quoted = shown.splitlines()[-2:]
    assert {"en": "press Enter to go on", "zh": "按回车继续"}[lang] in told
    assert quoted.startswith("    " + goal.split("\n")[0])
    assert (cell_len(quoted) <= 80, quoted.endswith("…")) == (True, len(goal) > 70)


def test_a_workspace_that_does_not_exist_is_refused(command, tmp_path):
    result, records = command("--workspace", str(tmp_path / "nowhere"), lines=[])
    assert (result.exit_code, records) == (2, [])
    assert "nowhere is no folder" in result.stderr


def test_the_example_s_files_are_copied_once_a_thread_and_kept(command):
    words = ["--example", "--thread", "t1"]
    _, [first] = command(*words, lines=[])
    note = Path(first.workspace) / "mine.txt"
    note.write_text("mine", "utf-8")
    result, [again] = command(*words, lines=[])
    assert result.exit_code == 0
    assert again.workspace == first.workspace
    assert note.is_file()
    assert (Path(first.workspace) / variant(1).depot.reports[0]).is_file()
    assert first.goal == ""


@pytest.mark.integration
@pytest.mark.parametrize(("columns", "lang"), [(80, "en"), (200, "zh")])
def test_ctrl_c_in_mid_answer_keeps_the_session_and_ctrl_d_leaves(tmp_path, columns, lang):
    terminal = Terminal("chat", tmp_path, "--lang", lang, "--thread", "t1", columns=columns)
    head = terminal.until("> ")
    assert {"en": "executor: ", "zh": "执行者："}[lang] in re.sub(r"\x1b\[[\d;]*m", "", head)
    terminal.type("slow?\n")
    terminal.until("slow slow")
    terminal.ctrl_c()
    terminal.until({"en": "nothing is lost", "zh": "没有任何丢失"}[lang])
    terminal.until("> ")
    terminal.type("now quick\n")
    terminal.until("很快。")
    terminal.until("> ")
    terminal.type("\x04")
    lines = rows("> " + terminal.rest())
    command = f"memory-secretary chat --thread t1 --memory {tmp_path}"
    said = {"en": "This was thread t1; go on with it later with:", "zh": "这是线程 t1；以后继续请运行："}[lang]
    assert [line.strip() for line in lines[-3:]] == [said, command, ""]
    assert terminal.end() == 0


@pytest.mark.integration
def test_ctrl_c_twice_in_mid_answer_leaves_within_seconds_and_the_task_can_be_gone_on_with(tmp_path):
    terminal = Terminal("chat", tmp_path, "--thread", "t1")
    terminal.until("> ")
    terminal.type("slow?\n")
    terminal.until("slow slow")
    terminal.ctrl_c()
    terminal.until("> ")
    terminal.ctrl_c()
    assert terminal.end() == 130
    again = Terminal("chat", tmp_path, "--thread", "t1")
    assert "press Enter to go on" in again.until("> ")
    again.type("\n")
    again.until("slow slow")
    again.ctrl_c()
    again.until("> ")
    again.ctrl_c()
    assert again.end() == 130


@pytest.mark.integration
def test_after_ctrl_c_while_the_model_is_silent_the_next_turn_is_taken_at_once(tmp_path):
    terminal = Terminal("chat", tmp_path, "--thread", "t1")
    terminal.until("> ")
    terminal.type("stuck?\n")
    terminal.until("plan")
    terminal.ctrl_c()
    terminal.until("nothing is lost")
    terminal.until("> ")
    terminal.type("now quick\n")
    terminal.until("很快。", 60)
    terminal.until("> ")
    terminal.type("\x04")
    assert terminal.end() == 0


@pytest.mark.integration
@pytest.mark.parametrize("locale", ["xx_XX.UTF-8", "C", "C.UTF-8"])
def test_chinese_is_read_whole_under_a_locale_that_the_machine_lacks(tmp_path, locale):
    terminal = Terminal("chat", tmp_path, "--thread", "t1", LC_ALL=locale)
    terminal.until("> ")
    terminal.type("请记住：你好，世界\n")
    terminal.until(ZH.noted)
    terminal.until("> ")
    terminal.type("/history\n")
    assert "请记住：你好，世界" in terminal.until(ZH.noted)
    terminal.until("> ")
    terminal.type("\x04")
    assert terminal.end() == 0


@pytest.mark.integration
@pytest.mark.parametrize("as_json", [False, True])
def test_a_pipe_is_told_the_thread_and_on_ctrl_c_how_to_go_on(tmp_path, as_json):
    command = [sys.executable, "-c", PROGRAM, "chat", "--memory", str(tmp_path), "--embedder", "none", "--thread", "t1"]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([*command, *(["--json"] if as_json else [])], text=True, **pipes) as process:
        process.stdin.write("slow?\n")
        process.stdin.flush()
        begun = process.stdout.read(1)
        process.send_signal(signal.SIGINT)
        out, err = begun + process.stdout.read(), process.stderr.read()
        assert process.wait(60) == 130
    assert ("thread: t1\n" in err) is not as_json
    assert err.count("Nothing is lost; continue with:\nmemory-secretary chat --thread t1 --memory") == 1
    if as_json:
        assert {type(json.loads(line)) for line in out.splitlines()} == {dict}
    else:
        assert out.startswith("sl")


@pytest.mark.integration
def test_into_a_file_go_plain_answers_only(tmp_path):
    command = [sys.executable, "-c", PROGRAM, "chat", "--memory", str(tmp_path), "--embedder", "none"]
    done = subprocess.run(
        command, input="hello\n/xyzzy\nagain\n", capture_output=True, text=True, timeout=240, check=False
    )
    assert (done.returncode, done.stdout) == (0, "A quick answer. 很快。\n" * 2)
    assert "There is no command /xyzzy" in done.stderr
