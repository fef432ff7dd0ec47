import json

import pytest

from memory_secretary.memory.errors import ModelError, ModelRefused
from memory_secretary.nodes.models.dialect import Dialect
from memory_secretary.nodes.models.handle import Structured
from memory_secretary.nodes.models.probe import Said, find_dialect

TEAL, BLUE = json.dumps({"colour": "teal"}), json.dumps({"colour": "blue"})


class Server:
    """Answers the probe by a rule and remembers the dialects that it was asked in."""

    def __init__(self, rule):
        self.rule = rule
        self.asked = []

    def __call__(self, dialect):
        self.asked.append(dialect)
        assert len(self.asked) < 10, "a probe that does not end"
        said = self.rule(dialect)
        return said if isinstance(said, Said) else Said(said)


def refusal(text, kind=ModelRefused):
    return Said(refused=kind(text))


def test_one_question_is_enough_for_a_server_that_is_held_to_the_schema():
    server = Server(lambda dialect: TEAL)
    assert find_dialect(server) == Dialect()
    assert len(server.asked) == 1


def test_a_schema_that_is_ignored_quietly_is_found_out():
    server = Server(lambda dialect: BLUE)
    assert find_dialect(server) == Dialect(structured=Structured.OBJECT)
    assert len(server.asked) == 2


def test_plain_text_is_not_asked_for_when_it_was_just_given():
    server = Server(lambda dialect: "It is blue.")
    assert find_dialect(server).structured is Structured.TEXT
    assert len(server.asked) == 2


def test_an_unknown_refusal_leads_to_the_next_best_way_and_plain_text_is_tried():
    server = Server(lambda dialect: "Blue." if dialect.structured is Structured.TEXT else refusal("no"))
    assert find_dialect(server).structured is Structured.TEXT
    assert len(server.asked) == 3


def test_several_refusals_are_met_one_after_another():
    def rule(dialect):
        if dialect.temperature:
            return refusal("temperature is not supported")
        if dialect.system:
            return refusal("System role not supported")
        return TEAL

    assert find_dialect(Server(rule)) == Dialect(temperature=False, system=False)


def test_a_server_that_refuses_everything_is_named_and_not_asked_for_ever():
    server = Server(lambda dialect: refusal("the account is locked"))
    with pytest.raises(ModelRefused, match="locked"):
        find_dialect(server)
    assert len(server.asked) == 3


def test_a_server_that_fails_is_asked_once():
    server = Server(lambda dialect: refusal("out of memory", ModelError))
    with pytest.raises(ModelError, match="out of memory"):
        find_dialect(server)
    assert len(server.asked) == 1


def test_a_reply_that_reasoning_used_up_is_asked_for_without_reasoning():
    server = Server(lambda dialect: Said(cut=True) if dialect.thinking else TEAL)
    assert find_dialect(server) == Dialect(thinking=False)
    assert len(server.asked) == 2


def test_a_model_that_cannot_be_told_not_to_reason_is_left_alone():
    def rule(dialect):
        return Said(cut=True) if dialect.thinking else refusal("extra fields are not permitted")

    assert find_dialect(Server(rule)) == Dialect(structured=Structured.TEXT)
