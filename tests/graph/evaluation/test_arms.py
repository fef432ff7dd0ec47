from __future__ import annotations

import pytest
from langchain_core.tools import tool
from policy import PolicyModel, step

from memory_secretary.graph import Settings
from memory_secretary.graph.evaluation.arms import OURS, ROLLING, SLIDING, run_arm, switched, switched_arms
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.models.resolve import resolve_model
from memory_secretary.nodes.options import MECHANISMS
from memory_secretary.nodes.prompt import reply_room

WINDOW, STEPS = 1536, 6


@tool
def read_page(number: int) -> str:
    """Read one page of a long book."""
    return f"Page {number}. " + "It rained on the depot all morning. " * 60


@pytest.fixture
def reader():
    """A model that turns to the next page at every step and never answers."""
    pages = iter(range(1, 100))
    model = PolicyModel(rule=lambda prompt: step("read_page", number=next(pages)))
    return resolve_model(model, window=WINDOW)


@pytest.fixture
def run(reader, tmp_path):
    settings = Settings(user_id="ana", executor_window=WINDOW, secretary_window=WINDOW, max_steps=STEPS)
    return lambda arm: run_arm(
        arm,
        [("book", "Read the book.")],
        executor=reader,
        tools=[read_page],
        settings=settings,
        open_memory=lambda: TieredMemory.open(tmp_path / "memory", embedder=None),
    )


@pytest.mark.parametrize("arm", [SLIDING, ROLLING, OURS])
def test_the_prompt_of_every_step_is_told_and_leaves_room_for_the_reply(run, arm):
    result = run(arm)
    assert len(result.prompts) == result.steps == STEPS
    assert max(result.prompts) == result.largest_prompt <= WINDOW - reply_room(WINDOW)


def test_what_slides_out_of_the_window_only_grows_and_is_counted_in_full(run, reader):
    result = run(SLIDING)
    page = reader.count(read_page.invoke({"number": 1}))
    assert result.unseen[0] == 0
    assert result.unseen == sorted(result.unseen)
    assert result.unseen[-1] > (STEPS - 1) * page - max(result.prompts)


def test_the_secretary_loses_nothing_that_slides_out(run):
    assert run(OURS).unseen == []


def test_each_mechanism_is_switched_from_its_default():
    arms = switched_arms()
    assert f"{OURS} without brief" in arms and f"{OURS} without duties" in arms
    assert len(arms) == len(MECHANISMS)
    assert (switched("brief"), switched("duties")) == ({"brief": False}, {"duties": False})
