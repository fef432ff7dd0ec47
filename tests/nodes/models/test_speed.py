"""Reading and writing are told apart by when the first piece of the reply comes."""

from __future__ import annotations

import pytest

from memory_secretary.nodes.models import speed
from memory_secretary.nodes.models.structured import Reply


@pytest.fixture
def measured(monkeypatch):
    """Measures a reply whose pieces come at the given moments; the question is asked at moment 0."""

    def measure(*moments, prompt=600, cached=0, written=49):
        clock = iter([0.0, *moments])
        asked = []

        def ask_json(handle, messages, schema, *, max_tokens, on_text):
            asked.append(messages[0].text)
            for _ in moments:
                on_text("x")
            return Reply("", None, "cut", prompt, cached, written, True, moments[-1])

        monkeypatch.setattr(speed, "ask_json", ask_json)
        found = speed.measure_speed(None, salt="a1b2", timer=lambda: next(clock))
        assert asked[0].startswith("a1b2"), "no prompt cache may answer"
        return found

    return measure


def test_reading_ends_with_the_first_piece_and_writing_follows(measured):
    found = measured(2.0, 3.0, 4.0)
    assert (found.read, found.written, found.seconds) == (300.0, 24.0, 4.0)


def test_what_lay_in_the_prompt_cache_was_not_read(measured):
    assert measured(2.0, 4.0, cached=400).read == 100.0


def test_a_reply_in_one_piece_tells_only_how_long_it_took(measured):
    assert measured(5.0) == speed.Speed(None, None, 5.0)
    assert measured(5.0, 5.0) == speed.Speed(None, None, 5.0)


def test_pieces_are_counted_where_the_server_does_not(measured):
    found = measured(2.0, 3.0, 4.0, prompt=None, cached=None, written=None)
    assert (found.read, found.written) == (None, 1.0)
