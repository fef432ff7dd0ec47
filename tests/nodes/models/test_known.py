import json
import logging
from datetime import timedelta

import pytest

from memory_secretary.nodes.models.dialect import Dialect
from memory_secretary.nodes.models.handle import Structured
from memory_secretary.nodes.models.known import KEPT, KnownDialects

SERVER = "the server at https://ana:secret@example.org/v1"
FOUND = Dialect(structured=Structured.OBJECT, system=False, limit="max_completion_tokens", thinking=False)


@pytest.fixture
def file(tmp_path):
    return tmp_path / "cache" / "servers.json"


@pytest.fixture
def known(file, frozen_clock):
    return KnownDialects(file, clock=frozen_clock)


def test_what_was_found_is_there_for_the_next_process(known, file, frozen_clock):
    assert known.get(SERVER, "m") is None
    known.put(SERVER, "m", FOUND)
    known.put(SERVER, "n", Dialect())
    other = KnownDialects(file, clock=frozen_clock)
    assert (other.get(SERVER, "m"), other.get(SERVER, "n"), other.get("elsewhere", "m")) == (FOUND, Dialect(), None)


def test_a_finding_ends_after_a_week(known, frozen_clock):
    known.put(SERVER, "m", FOUND)
    frozen_clock.advance(seconds=KEPT.total_seconds() - 1)
    assert known.get(SERVER, "m") == FOUND
    frozen_clock.advance(seconds=1)
    assert known.get(SERVER, "m") is None


def test_a_clock_that_was_put_back_makes_nothing_last_longer(known, frozen_clock):
    known.put(SERVER, "m", FOUND)
    frozen_clock.now -= timedelta(days=1)
    assert known.get(SERVER, "m") is None


def test_what_is_dropped_is_found_out_anew_and_the_rest_stays(known):
    known.put(SERVER, "m", FOUND)
    known.put(SERVER, "n", FOUND)
    known.drop(SERVER, "m")
    assert (known.get(SERVER, "m"), known.get(SERVER, "n")) == (None, FOUND)


def test_the_file_shows_no_address(known, file):
    known.put(SERVER, "m", FOUND)
    assert "secret" not in file.read_text()


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", "null", "\xff", '{"version": 1}', '{"version": 1, "servers": [1]}', '{"servers": {}}'],
)
def test_a_damaged_file_is_ignored_with_a_line_in_the_log_and_written_anew(known, file, caplog, content):
    file.parent.mkdir()
    file.write_bytes(content.encode("latin-1"))
    with caplog.at_level(logging.WARNING):
        assert known.get(SERVER, "m") is None
        known.put(SERVER, "m", FOUND)
    assert known.get(SERVER, "m") == FOUND
    assert content == '{"version": 1, "servers": [1]}' or str(file) in caplog.text


@pytest.mark.parametrize("change", [{"found": "yesterday"}, {"dialect": {"structured": "xml"}}, {"dialect": None}])
def test_a_damaged_entry_is_ignored_with_a_line_in_the_log(known, file, caplog, change):
    known.put(SERVER, "m", FOUND)
    data = json.loads(file.read_text())
    for entry in data["servers"].values():
        entry.update(change)
    file.write_text(json.dumps(data))
    with caplog.at_level(logging.WARNING):
        assert known.get(SERVER, "m") is None
    assert str(file) in caplog.text


def test_a_file_of_another_version_counts_for_nothing(known, file):
    known.put(SERVER, "m", FOUND)
    file.write_text(file.read_text().replace('"version": 1', '"version": 99'))
    assert known.get(SERVER, "m") is None


def test_a_folder_that_cannot_be_written_costs_a_line_in_the_log_and_nothing_else(tmp_path, frozen_clock, caplog):
    (tmp_path / "cache").write_text("a file where a folder should be")
    known = KnownDialects(tmp_path / "cache" / "servers.json", clock=frozen_clock)
    with caplog.at_level(logging.WARNING):
        known.put(SERVER, "m", FOUND)
        assert known.get(SERVER, "m") is None
    assert "asked again" in caplog.text
