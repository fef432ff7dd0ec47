"""Giving the final answer to the user while the executor writes it, and never a word that has to be taken back."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, LLMResult
from langchain_core.runnables import RunnableConfig
from langchain_core.runnables.config import get_callback_manager_for_config

from memory_secretary.nodes.models.streaming import AnswerReader

_SENTENCE = re.compile(r"(?:[.!?](?=\s)|[。！？；\n])\s*(?=\S)")
"""The end of a sentence or a line, when the next one has begun."""

Sound = Callable[[str], bool]
"""Whether the answer's text so far may stay as it is, whatever follows."""


class Speech:
    """One answer on its way to the user: as ``custom`` events and as chunks of the ``messages`` stream.

    Everything that was said is the beginning of the answer that is finished with in the end.

    Args:
        config: the node's own; its callbacks carry LangGraph's ``messages`` stream.
        write: sends one event of the ``custom`` stream.
        step: the run's step counter.
        new_id: gives the message's id.

    Attributes:
        said: what the user has been given so far.
    """

    def __init__(
        self, config: RunnableConfig, write: Callable[[dict[str, Any]], None], *, step: int, new_id: Callable[[], str]
    ) -> None:
        self.said = ""
        self._config = config
        self._write = write
        self._step = step
        self._new_id = new_id
        self._id = ""
        self._run: CallbackManagerForLLMRun | None = None

    @property
    def message_id(self) -> str:
        """The id of the answer's message, which its chunks bear too."""
        self._id = self._id or f"msg_{self._new_id()}"
        return self._id

    def listener(self, sound: Sound | None) -> Callable[[str], None]:
        """What is to be given the pieces of one reply; it says what is new of an answer in it.

        Args:
            sound: what it must hold for; it is asked at the end of each sentence, and sentences are said as a whole.
                None says every piece at once.
        """
        reader, heard = AnswerReader(), ""

        def hear(piece: str) -> None:
            nonlocal heard
            new = reader.feed(piece)
            if new:
                heard += new
                ready = heard if sound is None else _sentences(heard)
                if ready.strip() and len(ready) > len(self.said) and (sound is None or sound(ready)):
                    self._say(ready[len(self.said) :])

        return hear

    def finish(self, answer: str) -> None:
        """Say the rest of the answer, which begins with what was said."""
        if len(answer) > len(self.said):
            self._say(answer[len(self.said) :])
        if self._run is not None:
            message = AIMessage(answer, id=self.message_id)
            self._run.on_llm_end(LLMResult(generations=[[ChatGeneration(message=message)]]))
            self._run = None

    def _say(self, new: str) -> None:
        self.said += new
        self._write({"node": "plan", "step": self._step, "answer": new})
        if self._run is None:
            self._run = _shown_run(self._config)
        chunk = AIMessageChunk(content=new, id=self.message_id)
        self._run.on_llm_new_token(new, chunk=ChatGenerationChunk(message=chunk))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """An answer that broke off is ended as one."""
        if error is not None and self._run is not None:
            self._run.on_llm_error(error)


def continued(said: str, more: str) -> str:
    """An answer whose beginning was said already, and that the model was asked to go on with.

    A model that begins again in the same words is taken by its word.
    """
    if more.startswith(said):
        return more
    following = more.strip()
    if following.startswith(said.strip()):
        return said + following[len(said.strip()) :].lstrip()
    glue = "" if said[-1].isspace() or not said[-1].isascii() else " "
    return f"{said}{glue}{following}"


def _sentences(text: str) -> str:
    """The text as far as its sentences are complete."""
    end = max((match.end() for match in _SENTENCE.finditer(text)), default=0)
    return text[:end]


def _shown_run(config: RunnableConfig) -> CallbackManagerForLLMRun:
    """A run of its own for LangGraph's ``messages`` stream: that of the model is hidden, since it writes the step."""
    manager = get_callback_manager_for_config(config)
    [run] = manager.on_chat_model_start({"name": "answer"}, [[]], name="answer")
    return run
