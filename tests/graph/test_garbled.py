"""Five hundred garbled replies in both roles: the run always ends, and no tool runs on what was not written."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from policy import labels, select_all, step
from pydantic import PrivateAttr

REPLIES, LOTS = 500, 10
STOP_REASONS = {"", "step_limit", "no_progress", "no_usable_reply"}
GOALS = (
    "Look at the shelves A-1, A-2, A-3 and A-4, move 7 crates from A-2 to A-3, then tell me the stock of each.",
    "查看货架 A-1、A-2、A-3 和 A-4，把 7 箱从 A-2 移到 A-3，然后告诉我每个货架的库存。",
)
SHELVES = {"A-1": 12, "A-2": 40, "A-3": 5, "A-4": 0}


# --- what models do to a reply that was meant well ------------------------------------------------------------------


def cut(chance, reply):
    return reply[: chance.randrange(1, len(reply) - 1)]


def fenced(chance, reply):
    return f"Sure, here it is:\n```json\n{reply}\n```\nAnything else?"


def doubled(chance, reply):
    return reply + chance.choice(["", "\n", " and "]) + reply


def in_single_quotes(chance, reply):
    return reply.replace('"', "'")


def with_trailing_comma(chance, reply):
    return re.sub(r"}$", ",}", reply)


def in_chinese_punctuation(chance, reply):
    return reply.replace(":", "：").replace(",", "，") if chance.random() < 0.5 else re.sub('"', "“", reply)


def as_string(chance, reply):
    data = json.loads(reply)
    inner = {key: json.dumps(value) if isinstance(value, dict) else value for key, value in data.items()}
    return chance.choice([json.dumps(reply), json.dumps(inner)])


def with_input_as_string(chance, reply):
    return changed(reply, lambda call: {**call, "input": json.dumps(call["input"])})


def with_unknown_tool(chance, reply):
    return changed(reply, lambda call: {**call, "action": chance.choice(["launch", "move", "MOVE_ALL", "", "i99"])})


def with_doubled_name(chance, reply):
    return changed(reply, lambda call: {**call, "action": call["action"] * 2})


def with_wrong_types(chance, reply):
    wrong = [None, [], {}, "seven", "７", 7.5, True, [1, 2], {"$ne": None}, "A-2\u0000", "\ud83e"]
    return changed(reply, lambda call: {**call, "input": {name: chance.choice(wrong) for name in call["input"]}})


def without_an_argument(chance, reply):
    return changed(reply, lambda call: {**call, "input": dict(list(call["input"].items())[1:])})


def with_an_argument_too_many(chance, reply):
    return changed(reply, lambda call: {**call, "input": {**call["input"], "force": True}})


def with_no_object_as_input(chance, reply):
    return changed(
        reply, lambda call: {**call, "input": chance.choice([None, [1, 2], 5, "all of them", '{"crates": '])}
    )


def after_reasoning(chance, reply):
    return chance.choice(["<think>perhaps A-4?</think>", "perhaps A-4?</think>", "<think></think>\n"]) + reply


def inside_open_reasoning(chance, reply):
    return f"{chance.choice(['<think>', 'Sure. <think>', '<thinking>'])}I could say {reply}"


def tagged(chance, reply):
    call = json.loads(reply).get("step", {})
    said = json.dumps({"name": call.get("action", "x"), "arguments": call.get("input", {})})
    return f"<tool_call>\n{said}\n" + chance.choice(["</tool_call>", ""])


def labelled(chance, reply):
    call = json.loads(reply).get("step", {})
    said = f"Thought: go on\nAction: {call.get('action', 'x')}\nAction Input: {json.dumps(call.get('input', {}))}"
    return f"{said}\nObservation: done\nAction: move_crates\nAction Input: {json.dumps(IMAGINED)}"


def native(chance, reply):
    call = json.loads(reply).get("step", {})
    args = call.get("input", {})
    made = {
        "name": call.get("action", "x"),
        "args": args if isinstance(args, dict) else {},
        "id": "",
        "type": "tool_call",
    }
    return AIMessage("", tool_calls=[made])


def native_cut(chance, reply):
    made = {
        "name": "move_crates",
        "args": '{"source": "A-1", "tar',
        "id": None,
        "error": "cut",
        "type": "invalid_tool_call",
    }
    return AIMessage("", invalid_tool_calls=[made])


def nothing(chance, reply):
    return chance.choice(
        ["", " \n", "null", "[]", "{}", '""', "I will move the crates now.", "好的，我来移动。", "{{{{", "🚒"]
    )


def untouched(chance, reply):
    return reply


def changed(reply, change):
    """The reply with its call changed; one that makes no call stays."""
    data = json.loads(reply)
    return json.dumps({**data, "step": change(data["step"])} if "step" in data else data)


IMAGINED = {"source": "A-4", "target": "A-1", "crates": 99}
"""What a model writes behind its own imagined observation."""
GARBLES = (
    cut, fenced, doubled, in_single_quotes, with_trailing_comma, in_chinese_punctuation, as_string,
    with_input_as_string, with_unknown_tool, with_doubled_name, with_wrong_types, without_an_argument,
    with_an_argument_too_many, with_no_object_as_input, after_reasoning, inside_open_reasoning, tagged, labelled,
    native, native_cut, nothing, untouched, untouched,
)  # fmt: skip
RUN_NOTHING = {
    cut, with_unknown_tool, with_doubled_name, without_an_argument, with_an_argument_too_many,
    with_no_object_as_input, inside_open_reasoning, native_cut, nothing,
}  # fmt: skip
"""After these there is no whole call of a tool of ours."""


# --- the model, the world, and the runs -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Said:
    """One reply: how it was garbled, what was written, and the prompt."""

    garble: object
    written: str
    prompt: str


class GarblingModel(BaseChatModel):
    """Means well in both roles, and garbles every reply by its seed."""

    seed: int
    said: list[Said]
    _chance: random.Random = PrivateAttr()

    def model_post_init(self, context):
        self._chance = random.Random(self.seed)

    @property
    def _llm_type(self):
        return "garbling"

    def _generate(self, messages, stop=None, run_manager=None, **kwargs):
        prompt = str(messages[-1].content)
        garble = self._chance.choice(GARBLES)
        reply = garble(self._chance, json.dumps(self._meant(messages[0].text, prompt)))
        message = reply if isinstance(reply, AIMessage) else AIMessage(reply)
        calls = json.dumps([*message.tool_calls, *message.invalid_tool_calls])
        self.said.append(Said(garble, f"{message.text}\n{calls}", prompt))
        return ChatResult(generations=[ChatGeneration(message=message)])

    def _meant(self, system, prompt):
        if "You carry out a task" not in system:
            return self._chance.choice([select_all(prompt, SHELVES), {"look_for": ["stock"]}, {"choice": "1"}])
        if labels(prompt) and self._chance.random() < 0.6:
            return {"thought": "next", "choice": self._chance.choice([*labels(prompt), "something_else"])}
        pick = self._chance.choice
        return pick([
            step("get_shelf", shelf=pick(list(SHELVES))),
            step("move_crates", source="A-2", target="A-3", crates=7),
            step("move_crates", source=pick(list(SHELVES)), target=pick(list(SHELVES)), crates=pick([1, 7, 40])),
            step("final_answer", answer="Shelf A-1 holds 12 and A-2 holds 40."),
        ])  # fmt: skip


class Store:
    """Shelves; every move is kept with the reply that it followed."""

    def __init__(self, model):
        self.model = model
        self.moves = []

    def tools(self):
        def get_shelf(shelf: str) -> str:
            """Get the stock of one shelf."""
            return f"Shelf {shelf}\nstock: {SHELVES[shelf]} crates\nchecked by the night shift"

        def move_crates(source: str, target: str, crates: int) -> str:
            """Move crates from one shelf to another."""
            self.moves.append(((source, target, crates), self.model.said[-1]))
            return f"moved {crates} from {source} to {target}"

        return [get_shelf, move_crates]


def stands(arguments, said):
    """Whether a move was written in the reply, or is the open item that the reply chose from its prompt."""
    if all(str(value) in said.written for value in arguments):
        return True
    chosen = re.findall(r"\bi\d+\b", said.written)
    lines = [line for line in said.prompt.splitlines() if line.split(":")[0] in chosen]
    return any(all(str(value) in line for value in arguments) for line in lines)


@pytest.mark.parametrize("lot", range(LOTS))
def test_garbled_replies_raise_nothing_run_nothing_guessed_and_end_with_a_reason(new_graph, lot):
    replies, number, moved = 0, 0, 0
    while replies < REPLIES // LOTS:
        model = GarblingModel(seed=1000 * lot + number, said=[])
        store = Store(model)
        graph = new_graph(model, store.tools(), max_steps=10)
        thread = {"configurable": {"thread_id": f"t{number}"}}
        out = graph.invoke({"messages": [("user", GOALS[number % 2])]}, thread)
        assert out["stop_reason"] in STOP_REASONS
        assert (out["status"], bool(out["stop_reason"])) in {("done", False), ("stopped", True)}
        answer = out["messages"][-1].text
        assert answer.strip()
        assert "think>" not in answer
        for arguments, said in store.moves:
            assert stands(arguments, said), said
            assert said.garble not in RUN_NOTHING, said
            assert arguments != tuple(IMAGINED.values()), said
        assert len({arguments for arguments, _ in store.moves}) == len(store.moves), "nothing is moved twice"
        replies, number, moved = replies + len(model.said), number + 1, moved + len(store.moves)
    assert moved, "the replies that could be understood were acted on"
