"""A command of ours on a pseudo-terminal, as a person sees and types it."""

from __future__ import annotations

import codecs
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pty = pytest.importorskip("pty")
termios = pytest.importorskip("termios")

OWN_TERMINAL = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Makes the terminal that of the new session, as it is for what a shell starts."""

PROGRAM = """
import json, signal, sys, time
from contextlib import contextmanager
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk
from memory_secretary.graph import build_graph, cli, cli_chat, cli_run, open_checkpointer

signal.signal(signal.SIGINT, signal.default_int_handler)  # tests run in the background inherit an ignored Ctrl-C

class Typist(BaseChatModel):
    @property
    def _llm_type(self):
        return "typist"
    def _generate(self, *args, **kwargs):
        raise NotImplementedError
    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        asked = messages[-1].text
        if "stuck?" in asked and "quick" not in asked:
            time.sleep(600)
        time.sleep(3 if "later?" in asked and "quick" not in asked else 0)
        answer = "slow " * 400 if "slow?" in asked and "quick" not in asked else "A quick answer. 很快。"
        text = json.dumps({"step": {"thought": "hidden", "action": "final_answer", "input": {"answer": answer}}})
        for start in range(0, len(text), 8):
            time.sleep(0.05 if "slow " in answer else 0)
            yield ChatGenerationChunk(message=AIMessageChunk(content=text[start:start + 8]))

@contextmanager
def assembled(record, memory, folder, trace=None):
    from memory_secretary.graph import Settings
    if "deaf?" in record.goal:  # hears no Ctrl-C
        try:
            time.sleep(60)
        finally:
            time.sleep(60)
    with open_checkpointer(folder / "checkpoints.sqlite") as saver:
        yield build_graph(Typist(), memory=memory, settings=Settings(grounding=False), checkpointer=saver)

cli_run.assembled, cli_chat.make_ready = assembled, lambda record: None
cli_run.make_ready = cli_chat.make_ready
cli.main()
"""


_MOVE = re.compile(r"\x1b\[([\d;?]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)")


def rows(text: str) -> list[str]:
    """What a screen shows in the end of what was written to it, line by line; it is as wide as need be."""
    lines, row, column = [""], 0, 0
    for number, order, move, words in _MOVE.findall(text):
        if words:
            lines[row] = lines[row][:column].ljust(column) + words + lines[row][column + len(words) :]
            column += len(words)
        elif move == "\n":
            row, lines = row + 1, [*lines, ""] if row + 1 == len(lines) else lines
        elif move == "\r":
            column = 0
        elif order == "A":
            row = max(row - int(number or 1), 0)
        elif order == "K":
            lines[row] = "" if number == "2" else lines[row][:column]
    return lines


class Terminal:
    """A command of ours on a pseudo-terminal, with a scripted model.

    Args:
        name: the command.
        folder: of the memory.
        words: the rest of the command line.
        columns: width of the screen.
        variables: of the environment.
    """

    def __init__(self, name: str, folder: Path, *words: str, columns: int = 80, **variables: str) -> None:
        self.seen = ""
        self._screen, side = pty.openpty()
        self._decode = codecs.getincrementaldecoder("utf-8")().decode
        command = [sys.executable, "-c", PROGRAM, name, "--memory", str(folder), "--embedder", "none", *words]
        environment = os.environ | {"COLUMNS": str(columns), "TERM": "xterm-256color"} | variables
        self.process = subprocess.Popen(
            [sys.executable, "-c", OWN_TERMINAL, *command],
            stdin=side, stdout=side, stderr=side, env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(side)

    @property
    def echoes(self) -> bool:
        """Whether what is typed is shown."""
        return bool(termios.tcgetattr(self._screen)[3] & termios.ECHO)

    def type(self, text: str) -> None:
        os.write(self._screen, text.encode())

    def until(self, words: str, seconds: float = 240) -> str:
        """What is on the screen since the last call, up to and including ``words``."""
        end = time.monotonic() + seconds
        while words not in self.seen:
            assert time.monotonic() < end, f"{words!r} did not come: {self.seen!r}"
            if select.select([self._screen], [], [], 0.2)[0]:
                self.seen += self._read()
        before, found, self.seen = self.seen.partition(words)
        return before + found

    def _read(self) -> str:
        try:
            return self._decode(os.read(self._screen, 65536))
        except OSError:  # Linux says so when the process has closed its side
            raise AssertionError(f"the process has ended: {self.seen!r}") from None

    def ctrl_c(self) -> None:
        time.sleep(0.5)  # readline misses a signal that comes between its prompt and its wait for a key
        self.process.send_signal(signal.SIGINT)

    def rest(self) -> str:
        """What is on the screen since the last call, up to the end of the process."""
        while self.process.poll() is None or select.select([self._screen], [], [], 0.2)[0]:
            try:
                self.seen += self._decode(os.read(self._screen, 65536))
            except OSError:  # Linux says so when the process has closed its side
                break
        return self.seen

    def end(self) -> int:
        status = self.process.wait(240)
        os.close(self._screen)
        return status
