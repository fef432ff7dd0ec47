"""A run that starts from an earlier checkpoint sees what led there and nothing of what came after it."""

from __future__ import annotations

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from policy import PolicyModel, step

THREAD = {"configurable": {"thread_id": "t1"}}


class Talk:
    """A conversation on one thread; ``heard`` is what the model was shown in the last turn."""

    def __init__(self, new_graph):
        self.model = PolicyModel(rule=lambda prompt: step("final_answer", answer="Noted."))
        self.graph = new_graph(self.model, checkpointer=InMemorySaver())
        self.heard = ""

    def say(self, text, config=THREAD):
        return self.run({"messages": [("user", text)]}, config)

    def run(self, given, config):
        before = len(self.model.prompts)
        out = self.graph.invoke(given, config)
        self.heard = "\n".join(message.text for prompt in self.model.prompts[before:] for message in prompt)
        return out

    def checkpoints(self, following):
        """The checkpoints after which these nodes come, oldest first."""
        return [entry for entry in self.graph.get_state_history(THREAD) if entry.next == following][::-1]


@pytest.fixture
def talk(new_graph):
    """Three turns: the kiln, where it went, and a question."""
    made = Talk(new_graph)
    made.say("The kiln stands in shed three.")
    made.say("Since May the kiln stands in the attic.")
    made.say("Where does the kiln stand?")
    assert "shed three" in made.heard
    assert "attic" in made.heard
    return made


def test_a_fork_after_the_first_turn_knows_that_turn_alone(talk):
    first = talk.checkpoints(())[0]
    out = talk.say("Where does the kiln stand now?", first.config)
    assert "shed three" in talk.heard
    assert "attic" not in talk.heard
    assert len(out["messages"]) == 4


def test_what_follows_a_fork_belongs_to_it(talk):
    talk.say("The kiln was sold.", talk.checkpoints(())[0].config)
    talk.say("Where is the kiln?")
    assert "was sold" in talk.heard
    assert "shed three" in talk.heard
    assert "attic" not in talk.heard


@pytest.mark.parametrize("following", [("__start__",), ("retrieve",)])
def test_a_fork_before_the_first_turn_knows_nothing_of_its_thread(talk, following):
    talk.say("Is there a kiln?", talk.checkpoints(following)[0].config)
    assert "Is there a kiln?" in talk.heard
    assert "attic" not in talk.heard


def test_an_edited_first_message_starts_anew(talk):
    first = talk.checkpoints(("retrieve",))[0]
    edited = first.values["messages"][0].model_copy(update={"content": "The wheel stands where?"})
    config = talk.graph.update_state(first.config, {"messages": [edited]}, as_node="__start__")
    out = talk.run(None, config)
    assert out["task_state"]["goal"] == "The wheel stands where?"
    assert "kiln" not in talk.heard


def test_the_executors_own_recall_stays_on_its_branch(new_graph):
    def rule(prompt):
        if "- recall(" in prompt:
            return step("final_answer", answer="Done.")
        return step("recall", query="lantern") if "Look up" in prompt else step("final_answer", answer="Noted.")

    talk = Talk(new_graph)
    talk.model.rule = rule
    talk.say("The lantern hangs in the hall.")
    talk.say("The lantern went to the cellar.")
    talk.say("Look up what is known of it.", talk.checkpoints(())[0].config)
    assert "in the hall" in talk.heard
    assert "cellar" not in talk.heard


def test_other_threads_are_seen_from_every_fork(talk):
    talk.say("The kiln needs bricks.", {"configurable": {"thread_id": "t2"}})
    talk.say("What does the kiln need?", talk.checkpoints(("retrieve",))[0].config)
    assert "needs bricks" in talk.heard
