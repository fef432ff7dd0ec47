"""How the secretary reads an observation: what is noted from a record, and who says so."""

from __future__ import annotations

import pytest
from task_samples import READ_FILE, event, task

from memory_secretary.nodes.options import Options
from memory_secretary.nodes.reading import Reader
from memory_secretary.nodes.wording import EN

GOAL = "Read the reports and give the total of the rainfall and the total of the sunshine."
RECORD = "The rainfall was 61 mm.\nThe sunshine was 140 hours."


class Asked:
    """Stands for the secretary's model: it names the sunshine and counts how often it is asked."""

    def __init__(self):
        self.times = 0

    def fields(self, goal):
        self.times += 1
        return ["sunshine"]


@pytest.mark.parametrize(("proposed", "names", "times"), [((), ["sunshine"], 1), (("rainfall",), ["rainfall"], 0)])
def test_where_a_method_says_what_is_noted_no_model_is_asked(proposed, names, times):
    secretary = Asked()
    options = Options(discovery=False)
    reader = Reader([READ_FILE], len, secretary, options, EN, 400, proposed)
    after, _ = reader.read(event(arguments={"path": "notes/1.md"}, observation=RECORD), task(goal=GOAL))
    assert [value["name"] for value in after["values"]] == names
    assert secretary.times == times


def test_what_a_method_says_must_stand_in_the_record_too():
    reader = Reader([READ_FILE], len, Asked(), Options(discovery=False), EN, 400, ("salary",))
    after, _ = reader.read(event(arguments={"path": "notes/1.md"}, observation=RECORD), task(goal=GOAL))
    assert not any(value["name"] == "salary" for value in after["values"])
