"""Calls that nobody waits for any more."""

import threading
from concurrent.futures import Future

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import Field

from memory_secretary.memory.bilingual import speaking, spoken
from memory_secretary.nodes.models.handle import ModelHandle
from memory_secretary.nodes.models.patience import GivenUp, awaited, heard, until
from memory_secretary.nodes.models.structured import ask_json, ask_text

SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}


class Writer(BaseChatModel):
    """Writes one piece, then waits to be read on, and says when its stream was closed."""

    written: threading.Event = Field(default_factory=threading.Event)
    read_on: threading.Event = Field(default_factory=threading.Event)
    closed: threading.Event = Field(default_factory=threading.Event)

    @property
    def _llm_type(self):
        return "writer"

    def _generate(self, *args, **kwargs):
        raise NotImplementedError

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        try:
            yield ChatGenerationChunk(message=AIMessageChunk('{"n": '))
            self.written.set()
            assert self.read_on.wait(30)
            yield ChatGenerationChunk(message=AIMessageChunk("1}"))
            yield ChatGenerationChunk(message=AIMessageChunk(" never read"))
        finally:
            self.closed.set()


def handle(model):
    return ModelHandle(model=model, name="writer", window=512, count=len, server="the writer")


def test_without_anybody_who_may_give_up_the_work_is_done_here_and_pieces_go_where_they_are_wanted():
    assert awaited(threading.get_ident) == threading.get_ident()
    assert heard(None) is None
    assert heard(print) is print


def test_what_is_waited_for_is_given_or_raised_and_knows_the_language_spoken():
    with until(Future()), speaking("zh"):
        assert awaited(spoken) == "zh"
        with pytest.raises(ZeroDivisionError):
            awaited(lambda: 1 // 0)


def test_who_waits_is_free_as_soon_as_it_is_given_up():
    give_up, never = Future(), threading.Event()
    threading.Timer(0.05, give_up.set_result, [None]).start()
    with until(give_up), pytest.raises(GivenUp) as raised:
        awaited(lambda: never.wait(30))
    assert "go on with the task" in raised.value.sentence("en")
    assert "继续该任务" in raised.value.sentence("zh")
    never.set()


@pytest.mark.parametrize("ask", [lambda model, **limits: ask_json(model, [HumanMessage("n?")], SCHEMA, **limits),
                                 lambda model, **limits: ask_text(model, [HumanMessage("n?")], **limits)])  # fmt: skip
def test_a_reply_that_nobody_waits_for_is_broken_off_at_its_next_piece(ask):
    model, give_up = Writer(), Future()

    def leave():
        assert model.written.wait(30)
        give_up.set_result(None)

    threading.Thread(target=leave).start()
    with until(give_up), pytest.raises(GivenUp):
        ask(handle(model), max_tokens=50)
    assert not model.closed.is_set()
    model.read_on.set()
    assert model.closed.wait(30)


def test_a_reply_that_is_waited_for_to_its_end_is_whole():
    model = Writer()
    model.read_on.set()
    with until(Future()):
        reply = ask_text(handle(model), [HumanMessage("n?")], max_tokens=50)
    assert reply.text == '{"n": 1} never read'
