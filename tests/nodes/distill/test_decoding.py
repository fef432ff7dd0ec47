"""The encodings of real files are told apart, and what is no text is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.nodes.distill.decoding import decoded
from memory_secretary.nodes.distill.document import Unreadable

CHINESE = "员工每年有十二天年假，须提前五天申请。由人事部审批。"
TRADITIONAL = "員工每年有十二天年假，須提前五天申請。"
FRENCH = "Le café est fermé dès l’été : voilà ce qu’on a décidé."
GERMAN = "Die Größe der Tür beträgt 90 cm, schöne Grüße."


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *((CHINESE, name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "gb18030", "gbk")),
        (TRADITIONAL, "big5"), (TRADITIONAL, "gb18030"), (FRENCH, "cp1252"), (GERMAN, "latin-1"), ("plain", "ascii"),
    ],
)  # fmt: skip
def test_a_text_is_read_in_the_encoding_that_it_was_written_in(text, name):
    assert decoded(text.encode(name)) == text


def test_line_ends_of_every_system_become_one():
    assert decoded(b"a\r\nb\rc\n") == "a\nb\nc\n"


@pytest.mark.parametrize("data", [b"\x00\x01\x02", b"PK\x03\x04\x00", bytes(range(128, 160)), b"\xff\xd8\x10"])
def test_what_is_no_text_is_refused_with_the_cure(data):
    with pytest.raises(Unreadable, match="save it as"):
        decoded(data)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_text_or_refused(data):
    try:
        assert isinstance(decoded(data), str)
    except Unreadable as error:
        assert error.zh


@given(st.text(alphabet=st.characters(exclude_characters="\r", exclude_categories=["Cs"]), max_size=200))
def test_utf8_is_read_as_it_is_unless_it_is_binary(text):
    if "\x00" not in text and not text.startswith("\ufeff"):
        assert decoded(text.encode()) == text
