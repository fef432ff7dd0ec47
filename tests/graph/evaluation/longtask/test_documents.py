from __future__ import annotations

import csv
import json
import random
from html.parser import HTMLParser

import pytest

from memory_secretary.graph.evaluation.longtask.documents import (
    FORMATS,
    Document,
    Line,
    csv_table,
    json_record,
    log,
    mail,
    markdown_table,
    web_page,
)

FIGURE = Line("Harwick had 812 crates & 3 < 4.", "crates", (("actual", "812"), ("plan", "800")))
KEEPER = Line("Kept by Ruth Reed.", "kept by", (("entry", "Ruth Reed"),))
NOTES = [Line(f"Note {number} of the day.") for number in range(12)]
PAGE = Document(
    title="Week sheet WS-104",
    date="2026-03-09",
    author="Tom Berg",
    readers=("Ruth Reed", "Owen Walsh"),
    lines=[*NOTES[:5], FIGURE, *NOTES[5:9], KEEPER, *NOTES[9:]],
    space=" ",
)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.__name__)
def test_every_format_holds_title_facts_and_each_note_once(form):
    text = form(PAGE, random.Random(1))
    assert "WS-104" in text
    assert "812" in text
    assert "Ruth Reed" in text
    assert all(text.count(note.text) == 1 for note in NOTES)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.__name__)
def test_a_format_draws_from_its_source_of_chance_alone(form):
    assert form(PAGE, random.Random(3)) == form(PAGE, random.Random(3))


def test_json_is_json_with_a_row_for_each_line_that_has_cells():
    data = json.loads(json_record(PAGE, random.Random(1)))
    assert data["entries"] == [
        {"name": "crates", "actual": "812", "plan": "800"},
        {"name": "kept by", "entry": "Ruth Reed"},
    ]
    assert data["notes"] == [note.text for note in NOTES]


def test_csv_has_the_tables_in_the_midst_of_the_remarks():
    rows = list(csv.reader(csv_table(PAGE, random.Random(1)).splitlines()))
    assert ["", "actual", "plan"] in rows
    assert 5 < rows.index(["crates", "812", "800"]) < len(rows) - 5


def test_markdown_rows_have_as_many_cells_as_their_header():
    lines = [line for line in markdown_table(PAGE, random.Random(1)).splitlines() if line.startswith("|")]
    assert [line.count("|") for line in lines] == [3, 3, 3, 4, 4, 4] or [line.count("|") for line in lines] == [
        *(4, 4, 4),
        *(3, 3, 3),
    ]


def test_html_closes_what_it_opens():
    opened: list[str] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag, attrs):
            if tag != "meta":
                opened.append(tag)

        def handle_endtag(self, tag):
            assert opened.pop() == tag

    Reader().feed(web_page(PAGE, random.Random(1)))
    assert opened == []


def test_a_log_runs_forward_and_a_thread_quotes_its_older_messages():
    times = [line.split()[0] for line in log(PAGE, random.Random(1)).splitlines()[1:]]
    assert times == sorted(times)
    messages = mail(PAGE, random.Random(1)).split("Subject: ")
    assert len(messages) == 4
    assert messages[1].startswith("Re: Re: Week sheet")
    assert "\n> > " in messages[3]
