"""Each kind of file becomes blocks under headings; what cannot be read says why and what helps."""

from __future__ import annotations

import builtins
import io
import json
import os
import zipfile
from contextlib import suppress

import pypdf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers import PAGE, TRAVEL, WORD, pdf, word

from memory_secretary.nodes.distill import reading
from memory_secretary.nodes.distill.document import Block, Unreadable
from memory_secretary.nodes.distill.page import read_page
from memory_secretary.nodes.distill.reading import READERS, document_of, source_of
from memory_secretary.nodes.distill.texts import read_json, read_markdown, read_table, read_text


def read(path):
    return document_of(source_of(path))


def written(folder, name, data):
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def texts(document):
    return [block.text for block in document.blocks]


# --- kinds ----------------------------------------------------------------------------------------------------------


def test_markdown_has_headings_paragraphs_and_rows_with_their_columns():
    document = read_markdown(TRAVEL)
    assert document.title == "Travel policy"
    hotel, *rows = [block for block in document.blocks if block.heading == ("Hotels",)]
    assert hotel.text == "A hotel in Lisbon costs at most 120 EUR a night. Breakfast is paid by the firm."
    assert rows == [
        Block("Paris | 200 EUR", ("Hotels",), ("City", "Limit")),
        Block("Rome | 150 EUR", ("Hotels",), ("City", "Limit")),
    ]


def test_markdown_keeps_nested_headings_code_lists_and_front_matter():
    text = (
        "---\ndate: 2026-05-01\n---\n# A\n## B\n### C\n- one\n- two\n\n```\n# no heading\nx = 1\n```\n## D\n> quoted\n"
    )
    document = read_markdown(text)
    assert [(block.text, block.heading) for block in document.blocks] == [
        ("date: 2026-05-01", ()), ("- one", ("B", "C")), ("- two", ("B", "C")), ("# no heading", ("B", "C")),
        ("x = 1", ("B", "C")), ("quoted", ("D",)),
    ]  # fmt: skip


def test_markdown_headings_may_be_underlined():
    document = read_markdown("Title\n=====\n\nPart\n----\n\nSays this.\n")
    assert (document.title, document.blocks) == ("Title", (Block("Says this.", ("Part",)),))


def test_plain_text_joins_wrapped_lines_and_leaves_lists_alone():
    text = "Rules\n\nThe kiln is fired for nine hours at a heat that\nmelts the glaze.\n\n- clean it\n- close it\n"
    text += "\nName: Ana\nCity: Lima\n"
    document = read_text(text)
    assert document.title == "Rules"
    assert texts(document) == [
        "The kiln is fired for nine hours at a heat that melts the glaze.", "- clean it", "- close it", "Name: Ana",
        "City: Lima",
    ]  # fmt: skip


def test_wrapped_chinese_is_joined_without_a_blank():
    line = "员工每年有十二天年假须提前五天申请并且由人事部门审批" * 1
    assert texts(read_text(f"{line}\n然后才能休假。")) == [f"{line}然后才能休假。"]


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_is_split_at_its_own_separator(separator):
    text = f'name{separator}note\nAna{separator}"says | ""hi"""\n\nBen{separator}x\n'
    assert read_table(text).blocks == (
        Block('Ana | says ¦ "hi"', (), ("name", "note")), Block("Ben | x", (), ("name", "note")),
    )  # fmt: skip


def test_a_table_of_one_column_loses_no_line():
    assert texts(read_table("Name\nAna\nBen\n")) == ["Name", "Ana", "Ben"]


def test_json_gives_rows_for_objects_that_are_alike_else_a_line_for_each_under_its_path():
    blocks = read_json('{"a": {"name": "Ana", "age": 3, "tags": ["x"]}, "b": [1]}').blocks
    assert blocks == (Block("name: Ana, age: 3", ("a",)), Block("x", ("a.tags",)), Block("1", ("b",)))
    people = '{"name": "Ana", "age": 3}', '{"name": "Ben", "age": null}'
    for text, above in ((f'{{"all": [{",".join(people)}]}}', ("all",)), ("\n".join(people), ())):
        assert read_json(text).blocks == (
            Block("Ana | 3", above, ("name", "age")), Block("Ben | ", above, ("name", "age")),
        )  # fmt: skip
    assert texts(read_json('[{"a": 1}, {"b": 2}]')) == ["a: 1", "b: 2"]
    assert texts(read_json('"plain"')) == ["plain"]
    with pytest.raises(Unreadable, match="no JSON"):
        read_json('{"a": ')


def test_a_page_is_read_without_menus_and_broken_tags_lose_nothing():
    document = read_page(PAGE)
    assert document.title == "Workshop rules"
    assert texts(document) == [
        "The kiln is fired at 1,240 °C for nine hours.", "Only Marta and Joel may open it.", "Monday | 9 to 17",
        "Saturday | 10 to 14",
    ]  # fmt: skip
    assert document.blocks[2].columns == ("Day", "Hours")
    assert texts(read_page("<table><tr><td>a<td>b<tr><td><p>c</p><p>d</p></td><td>e")) == ["c d | e"]
    assert texts(read_page("before<div>in<p>side</div>after")) == ["before", "in", "side", "after"]


@given(st.text(alphabet="<>/abtrdh1p= \"'!-&;中", max_size=120))
def test_any_page_is_read(text):
    assert all(block.text for block in read_page(text).blocks)


@given(st.text(max_size=200))
def test_any_text_is_read_and_no_word_of_it_is_lost(text):
    for reader in (read_text, read_markdown):
        document = reader(text)
        kept = " ".join([document.title, *(" ".join([*block.heading, block.text]) for block in document.blocks)])
        words = [part for part in text.split() if part.isalnum()]
        assert [part for part in words if part not in kept] == []


def test_word_files_have_headings_tables_and_a_title(tmp_path):
    path = written(tmp_path, "a.docx", word(*WORD, rows=[("Day", "Hours"), ("Monday", "9 to 17")]))
    document = read(path)
    assert document.title == "Library handbook"
    assert document.blocks[-1] == Block("Monday | 9 to 17", ("Loans",), ("Day", "Hours"))
    assert texts(document)[0] == "Books are lent for 21 days."


def test_pdf_files_give_their_lines_without_page_numbers_and_running_titles(tmp_path):
    pages = [("ACME manual", f"Valve {n} opens at {n} bar.", f"page {n}") for n in (1, 2, 3)]
    document = read(written(tmp_path, "a.pdf", pdf(*pages)))
    assert texts(document) == [f"Valve {n} opens at {n} bar." for n in (1, 2, 3)]


# --- what cannot be read --------------------------------------------------------------------------------------------


def locked():
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf(("secret",))))
    writer.encrypt("pass")
    made = io.BytesIO()
    writer.write(made)
    return made.getvalue()


def bomb():
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", b" " * 301_000_000)
    return made.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.exe", b"MZ", "known kind"), ("a.txt", b"", "empty"), ("a.md", b"\n \n", "empty"), ("a.csv", b"", "empty"),
        ("a.txt", b"\x00\x01", "binary"), ("a.json", b"{", "no JSON"), ("a.pdf", pdf(()), "text recognition"),
        ("a.pdf", b"%PDF-1.4 broken", "cannot be read as PDF"), ("a.pdf", locked(), "password"),
        ("a.docx", b"\xd0\xcf\x11\xe0rest", "password"), ("a.docx", b"no zip", "cannot be read as Word"),
        ("a.docx", word(*WORD)[:900], "cannot be read as Word"), ("a.docx", bomb(), "unpacked it is too large"),
        ("a.html", b"<p></p>", "empty"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(tmp_path, name, data, reason):
    with pytest.raises(Unreadable, match=reason) as refused:
        read(written(tmp_path, name, data))
    assert refused.value.zh


def test_what_is_too_large_is_refused_before_it_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr(reading, "MOST_BYTES", 1_000_000)
    with pytest.raises(Unreadable, match="2 MB, more than 1 MB"):
        source_of(written(tmp_path, "a.txt", b"x" * 2_000_000))
    monkeypatch.setattr(reading, "MOST_CHARACTERS", 10)
    with pytest.raises(Unreadable, match="characters"):
        read(written(tmp_path, "a.txt", "more than ten characters"))


def test_pipes_links_to_nothing_and_folders_are_no_documents(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    (tmp_path / "link.txt").symlink_to(tmp_path / "gone.txt")
    (tmp_path / "loop.txt").symlink_to(tmp_path / "loop.txt")
    (tmp_path / "folder.txt").mkdir()
    for name in ("pipe.txt", "link.txt", "loop.txt", "folder.txt"):
        with pytest.raises(Unreadable):
            source_of(tmp_path / name)


@pytest.mark.parametrize(("name", "library"), [("a.pdf", "pypdf"), ("a.docx", "python-docx")])
def test_a_missing_library_is_named_with_the_command_that_brings_it(tmp_path, monkeypatch, name, library):
    known = builtins.__import__

    def without(module, *more):
        if module.split(".")[0] in ("pypdf", "docx"):
            raise ImportError(module)
        return known(module, *more)

    path = written(tmp_path, name, word(*WORD) if name.endswith("docx") else pdf(("x",)))
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(Unreadable, match=rf"{library}: pip install 'memory-secretary\[documents\]'"):
        read(path)


@given(st.binary(max_size=300), st.sampled_from(sorted(READERS)))
def test_any_bytes_are_read_or_refused(data, suffix):
    with suppress(Unreadable):
        READERS[suffix](data)


def test_a_file_without_a_title_has_its_name(tmp_path):
    assert read(written(tmp_path, "people.json", json.dumps({"a": 1}))).title == "people"
