"""Every way of calling the graph gives the same run; what is streamed is the answer, not the step's JSON."""

from __future__ import annotations

import json

import pytest
from invoices import ANSWER, CONFIG, GOAL, World, clerk, make_graph
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langgraph.graph import START, MessagesState, StateGraph
from pydantic import Field

from memory_secretary.graph import open_checkpointer
from memory_secretary.graph.builder import NODES
from memory_secretary.memory.errors import ModelUnreachable
from memory_secretary.memory.scope import Scope

ASKED = {"messages": [("user", GOAL)]}
KEYS = {"messages", "status", "stop_reason", "brief", "task_state", "figures"}


@pytest.fixture
def graph(tmp_path, memory):
    return make_graph(World(tmp_path), memory, clerk())


def assert_same_kind(out):
    assert set(out) >= KEYS
    assert isinstance(out["messages"][-1], AIMessage)
    assert (out["messages"][-1].text, out["status"], out["stop_reason"]) == (ANSWER, "done", "")
    assert out["task_state"]["goal"] == GOAL
    assert out["figures"]["tool_calls"] == 7


def test_invoke(graph):
    out = graph.invoke(ASKED, CONFIG)
    assert_same_kind(out)
    assert set(out) == KEYS


async def test_ainvoke(graph):
    assert_same_kind(await graph.ainvoke(ASKED, CONFIG))


async def test_ainvoke_with_the_checkpointer_of_scripts(tmp_path, memory):
    with open_checkpointer(tmp_path / "checkpoints.sqlite") as saver:
        graph = make_graph(World(tmp_path), memory, clerk(), saver)
        assert_same_kind(await graph.ainvoke(ASKED, CONFIG))
        assert (await graph.aget_state(CONFIG)).values["status"] == "done"


def test_batch_over_several_threads_at_once_keeps_them_apart(graph, memory):
    configs = [{"configurable": {"thread_id": f"t{number}"}, "recursion_limit": 100} for number in range(4)]
    for out in graph.batch([ASKED] * 4, configs, context={"user_id": "bob"}):
        assert_same_kind(out)
    for number in range(4):
        actions = [event.action for event in memory.events(Scope(user="bob", thread=f"t{number}"))]
        assert actions.count("request") == actions.count("answer") == 1
        assert len(actions) == 17


def test_a_batch_that_names_no_recursion_limit_gets_langchains_and_still_ends_with_an_answer(graph):
    [out] = graph.batch([ASKED], [CONFIG])
    assert (out["status"], out["stop_reason"], out["figures"]["steps"]) == ("stopped", "step_limit", (25 - 1) // 4)
    assert "read_invoice(invoice_id=INV-3)" in out["messages"][-1].text


def test_updates_come_node_by_node(graph):
    updates = list(graph.stream(ASKED, CONFIG, stream_mode="updates"))
    assert [set(update) for update in updates[:5]] == [
        {name} for name in ("retrieve", "summarize", "plan", "act", "retrieve")
    ]
    assert list(updates[-1]) == ["precipitate"]


def test_values_end_with_the_result(graph):
    *_, last = graph.stream(ASKED, CONFIG, stream_mode="values")
    assert_same_kind(last)


def test_custom_chunks_are_plain_and_tell_of_every_node(graph):
    chunks = list(graph.stream(ASKED, CONFIG, stream_mode="custom"))
    assert {chunk["node"] for chunk in chunks} == set(NODES)
    assert json.loads(json.dumps(chunks)) == chunks
    assert [chunk["answer"] for chunk in chunks if "answer" in chunk] == [ANSWER]
    told = [chunk for chunk in chunks if "answer" not in chunk]
    assert all({"node", "step", "seconds"} <= set(chunk) for chunk in told)
    plans = [chunk for chunk in told if chunk["node"] == "plan"]
    assert [chunk["step"] for chunk in plans] == list(range(8))
    assert all(chunk["prompt_tokens"] < chunk["window"] == 2048 for chunk in plans)
    assert all((chunk["prompt_tokens"] > 0) == (chunk["replies"] > 0) for chunk in plans)


def test_messages_are_the_answer_and_nothing_of_the_steps(graph):
    parts = list(graph.stream(ASKED, CONFIG, stream_mode=["messages", "values"]))
    chunks = [data[0] for mode, data in parts if mode == "messages"]
    assert [(type(chunk), chunk.text) for chunk in chunks] == [(AIMessageChunk, ANSWER)]
    assert chunks[0].id == parts[-1][1]["messages"][-1].id


async def test_async_streams_say_the_same(graph):
    streamed = [chunk.text async for chunk, _ in graph.astream(ASKED, CONFIG, stream_mode="messages")]
    assert streamed == [ANSWER]


# --- as it is written -----------------------------------------------------------------------------------------------

SAID = 'Two parts: "A" 7 kg. 第二部分没有了。\nThat is all \U0001f917 of it'
PIECES = ['Two parts: "A" 7 kg. ', "第二部分没有了。\n", "That is all \U0001f917 of it"]
ASK = {"messages": [("user", "Part A weighs 7 kg. What is there?")]}
T1 = {"configurable": {"thread_id": "t1"}}


class Typist(BaseChatModel):
    """Streams its replies a few characters at a time, and notes whether it was asked to stream."""

    replies: list[str]
    size: int = 3
    streams: list[bool] = Field(default_factory=list)
    prompts: list[str] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "typist"

    def reply(self, messages):
        self.prompts.append(messages[-1].text)
        return self.replies.pop(0)

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        self.streams.append(False)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(self.reply(messages)))])

    def _stream(self, messages, stop=None, run_manager=None, **kwargs):
        self.streams.append(True)
        text = self.reply(messages)
        for start in range(0, len(text), self.size):
            piece = AIMessageChunk(content=text[start : start + self.size])
            chunk = ChatGenerationChunk(message=piece)
            if run_manager:
                run_manager.on_llm_new_token(piece.content, chunk=chunk)
            yield chunk


def written(answer, **more):
    """A final step as a model writes it, characters outside of ASCII escaped."""
    return json.dumps({"step": {"thought": "secret", "action": "final_answer", "input": {"answer": answer}}} | more)


def streamed(graph, asked=ASK):
    """The texts of the messages, those of the custom events, and the final state."""
    parts = list(graph.stream(asked, T1, stream_mode=["messages", "custom", "values"]))
    chunks = [data[0] for mode, data in parts if mode == "messages"]
    deltas = [data["answer"] for mode, data in parts if mode == "custom" and "answer" in data]
    state = [data for mode, data in parts if mode == "values"][-1]
    assert {chunk.id for chunk in chunks} == {state["messages"][-1].id}
    assert "".join(deltas) == "".join(chunk.text for chunk in chunks) == state["messages"][-1].text
    return [chunk.text for chunk in chunks if chunk.text], deltas, state


def test_the_answer_comes_sentence_by_sentence_while_its_numbers_are_checked(new_graph):
    texts, deltas, state = streamed(new_graph(Typist(replies=[written(SAID)])))
    assert texts == deltas == PIECES
    assert state["status"] == "done"


def test_without_a_check_it_comes_as_it_is_written(new_graph):
    texts, deltas, _ = streamed(new_graph(Typist(replies=[written(SAID)]), grounding=False))
    assert texts == deltas
    assert len(texts) > len(SAID) / 4


@pytest.mark.parametrize(
    "reply", [f"<think>{{maybe {written('no')}}}</think>{written(SAID)}", f"```json\n{written(SAID)}\n```"]
)
def test_reasoning_and_fences_are_not_part_of_it(new_graph, reply):
    assert streamed(new_graph(Typist(replies=[reply])))[0] == PIECES


async def test_an_async_stream_gets_it_piece_by_piece_too(new_graph):
    graph = new_graph(Typist(replies=[written(SAID)]))
    texts = [chunk.text async for chunk, _ in graph.astream(ASK, T1, stream_mode="messages")]
    assert texts == PIECES


def test_a_subgraph_streams_its_answer_too(new_graph):
    outer = StateGraph(MessagesState).add_node("inner", new_graph(Typist(replies=[written(SAID)])))
    graph = outer.add_edge(START, "inner").compile()
    chunks = [part[1][0] for part in graph.stream(ASK, T1, stream_mode="messages", subgraphs=True)]
    assert "".join(chunk.text for chunk in chunks if isinstance(chunk, AIMessageChunk)) == SAID


def test_a_step_that_is_no_answer_streams_nothing(new_graph):
    def weigh(part: str) -> str:
        """Weigh a part."""
        return "7 kg"

    call = json.dumps({"step": {"thought": "t", "action": "weigh", "input": {"part": "A"}}})
    model = Typist(replies=[call, written("Part A weighs 7 kg.")])
    assert streamed(new_graph(model, [weigh]))[0] == ["Part A weighs 7 kg."]
    assert model.streams == [True, True]


def test_nothing_is_streamed_while_items_keep_the_answer_back(tmp_path, memory):
    rule = clerk().rule

    class Rule(Typist):
        def reply(self, messages):
            said = rule(messages[-1].text)
            return said if isinstance(said, str) else json.dumps(said)

    model = Rule(replies=[])
    out = make_graph(World(tmp_path), memory, model).invoke(ASKED, CONFIG)
    assert out["messages"][-1].text == ANSWER
    assert False in model.streams


def test_a_wrong_number_before_anything_was_said_has_the_whole_answer_asked_again(new_graph):
    model = Typist(replies=[written("It weighs 412 kg. Really."), written("It weighs 7 kg. Really.")])
    texts, _, state = streamed(new_graph(model))
    assert texts == ["It weighs 7 kg. ", "Really."]
    assert state["status"] == "done"


@pytest.mark.parametrize("second", ["It is the heavy one.", "Part A weighs 7 kg. It is the heavy one."])
def test_after_a_sentence_was_said_only_what_follows_is_asked_again(new_graph, second):
    model = Typist(replies=[written("Part A weighs 7 kg. Part B weighs 412 kg."), written(second)])
    texts, _, state = streamed(new_graph(model))
    assert texts == ["Part A weighs 7 kg. ", "It is the heavy one."]
    assert (state["status"], state["messages"][-1].text) == ("done", "Part A weighs 7 kg. It is the heavy one.")
    assert "The user has your answer as far as: Part A weighs 7 kg." in model.prompts[1]


def test_an_answer_that_was_cut_off_is_gone_on_with(new_graph):
    model = Typist(replies=[written("第一句话到此。第二句话在中")[:-25], written("第二句话到此。")])
    assert streamed(new_graph(model))[0] == ["第一句话到此。", "第二句话到此。"]


def test_an_answer_that_is_never_finished_is_what_was_said(new_graph):
    model = Typist(replies=[written("One thing is sure. And then")[:-6], "?", "{"])
    texts, _, state = streamed(new_graph(model))
    assert texts == ["One thing is sure. "]
    assert state["status"] == "done"


def test_an_honest_partial_answer_comes_as_one_chunk(new_graph):
    texts, deltas, state = streamed(new_graph(Typist(replies=["{"] * 90), max_steps=3))
    assert state["status"] == "stopped"
    assert texts == deltas == [state["messages"][-1].text]


def test_a_server_that_fails_in_mid_answer_fails_the_run_and_a_new_try_streams_the_whole(new_graph):
    class Breaks(Typist):
        def _stream(self, *args, **kwargs):
            for number, chunk in enumerate(super()._stream(*args, **kwargs)):
                if number == 40 and self.replies:
                    raise ConnectionError
                yield chunk

    graph = new_graph(Breaks(replies=[written(SAID), written(SAID)]))
    with pytest.raises(ModelUnreachable):
        streamed(graph)
    assert streamed(graph)[0] == PIECES
