"""The live view of a run: one entry per finished node, readable in a terminal of any width and in a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text

from memory_secretary.graph.cli_keyboard import unechoed
from memory_secretary.graph.line_breaks import LineBreaks, broken_lines, print_broken
from memory_secretary.graph.moving_line import MovingLine
from memory_secretary.graph.palette import BAD, GOOD, NAME, QUIET, WARNING
from memory_secretary.graph.words import Lang, colon, node_name, say, section, term
from memory_secretary.memory.errors import MemorySecretaryError

Chunk = Mapping[str, Any]
"""What a node tells when it has finished: ``node``, ``step``, ``seconds`` and the node's own keys."""

_FILE_WIDTH = 1_000_000
"""Columns of what is no terminal: a line of a file is as long as what it says, so that programs find it whole."""
_ONE_LINE = 400
_WRITTEN_BREAK = re.compile(r"(?<=[.!?。！？；，\s)）\"”])(?:\\[nr])+|(?<!\\)(?:\\[nr])+(?=[^a-z\\]|$)")
"""A line break as JSON writes it; the same signs in a path (``C:\\new``) are followed by the rest of a name."""
_A_WHILE = 5.0
"""Seconds: who waits less for a decision asks nothing about its length."""
_NEXT = {"retrieve": "summarize", "summarize": "plan", "plan": "act", "act": "retrieve"}


def make_console(*, stderr: bool = False) -> Console:
    """A console that writes plain lines, and breaks none, when its output is not a terminal."""
    console = Console(stderr=stderr, highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    return console


def print_notices(notices: Iterable[MemorySecretaryError], lang: Lang) -> None:
    """What could not be done as asked, on the error stream."""
    console = make_console(stderr=True)
    for notice in notices:
        print_broken(console, notice.sentence(lang), WARNING)


def print_refusal(sentence: str) -> None:
    """Why something was not done, on the error stream."""
    print_broken(make_console(stderr=True), sentence, BAD)


def printable(text: str) -> str:
    """The text without control and other characters that a terminal would obey or cannot show."""
    return "".join(char for char in text if char.isprintable())


def printable_lines(text: str) -> str:
    """As :func:`printable`, but with the text's lines."""
    return "".join(char for char in text if char.isprintable() or char == "\n")


def one_line(text: str) -> str:
    """The text on one line, printable, cut where no screen shows more."""
    line = printable(" ".join(text[: 4 * _ONE_LINE].split()))
    whole = len(line) <= _ONE_LINE and len(text) <= 4 * _ONE_LINE
    return line if whole else f"{line[: _ONE_LINE - 1]}…"


def readable(text: str) -> str:
    """As :func:`one_line`, with a blank in place of line breaks that a model wrote as signs, as JSON does."""
    return one_line(_WRITTEN_BREAK.sub(" ", text))


def call_text(action: str, arguments: Mapping[str, Any]) -> str:
    """A tool call as it is read: ``read_file(path='a.txt')``."""
    return one_line(f"{action}({', '.join(f'{name}={value!r}' for name, value in arguments.items())})")


def _join(parts: list[str]) -> str:
    return " · ".join(part for part in parts if part)


def _retrieve(chunk: Chunk, lang: Lang) -> Text:
    return Text(say(lang, "recalled", n=chunk["recalled"]))


def _summarize(chunk: Chunk, lang: Lang) -> Text:
    sections: Mapping[str, int] = chunk["brief"]
    calls: int = chunk.get("secretary_calls", 0)
    head = say(lang, "brief", n=sum(sections.values()))
    held = _join([f"{section(lang, name)} {tokens}" for name, tokens in sections.items() if tokens])
    return Text(_join([f"{head}{colon(lang)}{held}" if held else head, say(lang, "calls", n=calls) if calls else ""]))


def _plan(chunk: Chunk, lang: Lang) -> Text:
    used, window, cached = chunk["prompt_tokens"], chunk["window"], chunk.get("cached_tokens", 0)
    tokens = say(lang, "prompt", n=used, window=window) if used else say(lang, "carried")
    style = BAD if used > window else WARNING if used > 0.9 * window else GOOD
    text = Text().append(tokens, style).append(say(lang, "cached", n=cached) if cached else "")
    if chunk.get("problem"):
        return text.append(" → ").append(one_line(chunk["problem"]), BAD)
    return text.append(" → ").append(call_text(chunk["action"], chunk["arguments"]), "bold")


def _act(chunk: Chunk, lang: Lang) -> Text:
    if not chunk["ok"] and not chunk.get("ran", True):
        return Text(say(lang, "held_back"), WARNING)
    verdict = Text(say(lang, "ok"), GOOD) if chunk["ok"] else Text(say(lang, "failed"), BAD)
    return verdict.append(f" · {one_line(chunk['result'])}" if chunk["result"] else "", "default")


def _precipitate(chunk: Chunk, lang: Lang) -> Text:
    status, reason = chunk["status"], chunk.get("stop_reason", "")
    return Text(say(lang, status), GOOD if status == "done" else WARNING).append(
        f"{colon(lang)}{term(lang, 'stop', reason)}" if reason else ""
    )


_DETAILS: dict[str, Callable[[Chunk, Lang], Text]] = {
    "retrieve": _retrieve,
    "summarize": _summarize,
    "plan": _plan,
    "act": _act,
    "precipitate": _precipitate,
}


def detail(chunk: Chunk, lang: Lang) -> Text:
    """What the node did, as one paragraph; empty for a node that this view does not know (a replaced one)."""
    describe = _DETAILS.get(chunk["node"])
    return describe(chunk, lang) if describe else Text()


def remarks(chunk: Chunk, lang: Lang) -> list[str]:
    """The lines that stand below the node's own: the executor's thought, the secretary's notes, a reminder."""
    found = [("thought", chunk.get("thought", "")), ("reminder", chunk.get("reminder", ""))]
    found += [("note", note) for note in chunk.get("notes", ())]
    return [f"{say(lang, key)}{colon(lang)}{one_line(text)}" for key, text in found if text]


def head_of(node: str, step: int | str, seconds: float, lang: Lang) -> str:
    """What stands before a node's paragraph: step, node, seconds, in columns as wide as the language's names."""
    name, wide = node_name(lang, node), max(cell_len(node_name(lang, known)) for known in _DETAILS)
    return f"{step:>3} {set_cell_size(name, max(wide, cell_len(name)))} {seconds:>6.1f} s  "


def hang(console: Console, head: str, body: Text) -> None:
    """Print ``body`` beside ``head``, later lines indented below its first."""
    columns = cell_len(head)
    room = max(console.width - columns, 20)
    lines = [part for line in broken_lines(body, room) for part in line.wrap(console, room) or [Text()]]
    for number, line in enumerate(lines or [Text()]):
        line.rstrip()
        start = Text(head if number == 0 else " " * columns, NAME if number == 0 else "")
        console.print(start.append_text(line), no_wrap=True, soft_wrap=True)


def figures_line(figures: Mapping[str, Any], lang: Lang) -> str:
    """The closing line: steps, calls, tokens, and seconds, in all and per node."""
    names = ("steps", "tool_calls", "prompt_tokens", "read_tokens", "secretary_calls", "secretary_tokens")
    counts = [say(lang, name, n=figures[name]) for name in names if name in figures]
    spent: Mapping[str, float] = figures.get("seconds", {})
    nodes = [f"{node_name(lang, node)} {seconds:.1f} s" for node, seconds in spent.items()]
    each = ("，" if lang == "zh" else ", ").join(nodes)
    return _join([*counts, say(lang, "seconds", total=f"{sum(spent.values()):,.1f}", each=each) if each else ""])


def working(node: str, step: int, lang: Lang, doing: str = "") -> str:
    """What the moving line says while a node works; empty for one that it does not know."""
    known = node in _NEXT
    return (
        say(lang, "working", n=step, node=node_name(lang, node), doing=doing or say(lang, f"at_{node}"))
        if known
        else ""
    )


class LiveView:
    """Prints each finished node; on a terminal a moving line says what is being worked on, and for how long already.

    Args:
        console: where to print.
        lang: language of the view's own words.
        first: what is worked on before the first node has finished; None for the beginning of a task.
    """

    def __init__(self, console: Console, lang: Lang, first: str | None = None) -> None:
        self._console = console
        self._lang = lang
        self._first = first or say(lang, "beginning")
        self._line = MovingLine(console)
        self._quiet = ExitStack()
        self._paced = False

    def __enter__(self) -> Self:
        """Show the moving line (terminals only); what is typed from now on waits for the next prompt."""
        self._quiet.enter_context(unechoed())
        self._line.show(self._first)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the moving line away."""
        self._line.remove()
        self._quiet.close()

    def show(self, chunk: Chunk) -> None:
        """Print one finished node; a piece of the answer is left to the end of the run."""
        if "answer" in chunk:
            return
        head = head_of(str(chunk["node"]), int(chunk["step"]), chunk["seconds"], self._lang)
        hang(self._console, head, detail(chunk, self._lang))
        for remark in [*remarks(chunk, self._lang), *self._pace(chunk)]:
            hang(self._console, " " * cell_len(head), Text(remark, QUIET))
        self.move_on(chunk)

    def _pace(self, chunk: Chunk) -> Iterator[str]:
        """After the first decision that took a while, once: what to expect of the others."""
        if self._paced or chunk["node"] != "plan" or not chunk["prompt_tokens"]:
            return
        self._paced = True
        if chunk["seconds"] >= _A_WHILE:
            yield say(self._lang, "pace", seconds=round(chunk["seconds"]))

    def move_on(self, chunk: Chunk, last: str = "") -> None:
        """Say what is worked on after this node, and what has become of the ``last`` call where none is carried out."""
        step, following = int(chunk["step"]), _NEXT.get(str(chunk["node"]))
        if following is None:
            return
        doing = working(following, step + (following == "retrieve"), self._lang)
        if following == "act" and chunk.get("action"):  # one call at a time: two in one line are taken for one
            doing, last = working(following, step, self._lang, call_text(chunk["action"], chunk["arguments"])), ""
        self._line.show(_join([doing, last]))

    def give_way(self) -> None:
        """Take the moving line away for good: the answer is written now."""
        self._line.remove()


class ChatView:
    """Writes the answer as it comes; the steps show in the moving line, or one below the other.

    Args:
        console: where to print.
        lang: language of the view's own words.
        steps: print every node, as :class:`LiveView` does.
        first: as :class:`LiveView` takes it.
    """

    def __init__(self, console: Console, lang: Lang, *, steps: bool, first: str | None = None) -> None:
        self._console = console
        self._lang = lang
        self._live = LiveView(console, lang, first)
        self._steps = steps
        self._call = self._last = ""  # the newest call, and what has become of it
        self._breaks = LineBreaks(console.width)
        self._open = False  # whether the answer's last line is

    def __enter__(self) -> Self:
        """Show the moving line (terminals only)."""
        self._live.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Take the moving line away and end the answer's."""
        self._live.__exit__(kind, error, trace)
        self._end_line()

    def show(self, chunk: Chunk) -> None:
        """Show a piece of the answer, or one finished node."""
        if "answer" in chunk:
            self._write(printable_lines(str(chunk["answer"])))
        elif self._steps:
            self._end_line()
            self._live.show(chunk)
        else:
            self._live.move_on(chunk, self._last_call(chunk))

    def _last_call(self, chunk: Chunk) -> str:
        """The newest call whose result is there, and whether it failed."""
        if chunk["node"] == "plan" and chunk.get("action"):
            self._call = call_text(chunk["action"], chunk["arguments"])
        elif chunk["node"] == "act":
            key = "ok" if chunk["ok"] else "failed" if chunk.get("ran", True) else "held_back"
            self._last = say(self._lang, "last_call", verdict=say(self._lang, key), call=self._call)
        return self._last

    def _write(self, text: str) -> None:
        self._live.give_way()
        self._console.out(self._breaks.feed(text), end="", highlight=False)
        self._console.file.flush()
        self._open = self._open or bool(text)

    def _end_line(self) -> None:
        if self._open:
            self._console.out(self._breaks.end(), highlight=False)
            self._open = False
