from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.tools import BaseTool

from memory_secretary.memory.bilingual import Lang, speaking
from memory_secretary.tools.effects import Effect, effect_of
from memory_secretary.tools.workspace import MAX_FILES, MAX_LINE, MAX_LISTED, MAX_MATCHES, MAX_NAMED, workspace_tools


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "a.txt").write_text("Tea at four\nmilk\n", encoding="utf-8")
    (tmp_path / "notes" / "茶.txt").write_bytes("下午四点喝茶".encode("gbk"))
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\x00tea")
    return tmp_path


@pytest.fixture
def tools(root: Path) -> dict[str, BaseTool]:
    return {tool.name: tool for tool in workspace_tools(root)}


def test_listing_is_relative_recursive_and_sorted(tools: dict[str, BaseTool]) -> None:
    assert tools["list_files"].invoke({}) == "notes/a.txt\nnotes/茶.txt\npicture.png"
    assert tools["list_files"].invoke({"folder": "notes"}) == "notes/a.txt\nnotes/茶.txt"


def test_an_empty_folder_is_said_to_be_empty(root: Path, tools: dict[str, BaseTool]) -> None:
    (root / "new").mkdir()
    assert "empty" in tools["list_files"].invoke({"folder": "new"})


def test_a_long_listing_is_cut_and_counted(root: Path, tools: dict[str, BaseTool]) -> None:
    for number in range(MAX_LISTED + 4):
        (root / "notes" / f"{number:04}.log").touch()
    lines = tools["list_files"].invoke({"folder": "notes"}).splitlines()
    assert len(lines) == MAX_LISTED + 1
    assert "6 more files" in lines[-1]


def test_reading_gives_the_whole_text(tools: dict[str, BaseTool]) -> None:
    assert tools["read_file"].invoke({"path": "notes/a.txt"}) == "Tea at four\nmilk\n"
    assert tools["read_file"].invoke({"path": "notes/茶.txt"}) == "下午四点喝茶"


def test_search_finds_lines_in_any_case_and_encoding_and_skips_binary_files(tools: dict[str, BaseTool]) -> None:
    assert tools["search_files"].invoke({"text": "TEA"}) == "notes/a.txt:1: Tea at four"
    assert tools["search_files"].invoke({"text": "喝茶", "folder": "notes"}) == "notes/茶.txt:1: 下午四点喝茶"


def test_a_search_that_finds_nothing_names_what_there_is_to_read_where_that_is_little(
    root: Path, tools: dict[str, BaseTool]
) -> None:
    lines = tools["search_files"].invoke({"text": "coffee"}).splitlines()
    assert lines[0].startswith("No line contains") and lines[1:] == ["notes/a.txt", "notes/茶.txt", "picture.png"]
    for number in range(MAX_NAMED):
        (root / f"{number}.txt").touch()
    assert "list_files" in tools["search_files"].invoke({"text": "coffee"})
    (root / "new").mkdir()
    assert tools["search_files"].invoke({"text": "coffee", "folder": "new"}) == 'No line contains "coffee".'


def test_a_search_whose_words_stand_in_other_files_names_them(root: Path, tools: dict[str, BaseTool]) -> None:
    (root / "new").mkdir()
    (root / "new" / "b.txt").write_text("nothing of the kind")
    for given in ({"text": "milk and tea"}, {"text": "milk tea", "folder": "new"}):
        assert tools["search_files"].invoke(given).splitlines()[1:] == ["notes/a.txt"]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_where_a_folder_is_missing_all_files_are_looked_at_and_the_first_line_says_so(
    tools: dict[str, BaseTool], lang: Lang
) -> None:
    with speaking(lang):
        listed = tools["list_files"].invoke({"folder": "六月"}).splitlines()
        found = tools["search_files"].invoke({"text": "喝茶", "folder": "六月"}).splitlines()
    assert listed[1:] == ["notes/a.txt", "notes/茶.txt", "picture.png"]
    assert found[1:] == ["notes/茶.txt:1: 下午四点喝茶"]
    assert listed[0] == found[0]
    assert "六月" in listed[0] and ("There is no folder" if lang == "en" else "没有文件夹") in listed[0]


def test_search_results_are_bounded_in_lines_and_width(root: Path, tools: dict[str, BaseTool]) -> None:
    (root / "long.txt").write_text(("x" * 5_000 + "needle" + "y" * 5_000 + "\n") * (MAX_MATCHES + 3), encoding="utf-8")
    lines = tools["search_files"].invoke({"text": "needle"}).splitlines()
    assert len(lines) == MAX_MATCHES + 1
    assert all("needle" in line and len(line) < MAX_LINE + 40 for line in lines[:-1])
    assert "3 more lines" in lines[-1]


@pytest.mark.parametrize("folder", ["/", "C:\\Users\\ana", "~/notes", "../other"])
@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_folder_elsewhere_is_not_looked_into_but_the_workspace_is(
    tools: dict[str, BaseTool], folder: str, lang: Lang
) -> None:
    with speaking(lang):
        first, *found = tools["search_files"].invoke({"text": "tea", "folder": folder}).splitlines()
    assert folder in first and found == ["notes/a.txt:1: Tea at four"]
    assert ("all files" if lang == "en" else "全部文件") in first


def test_writing_makes_folders_and_says_what_it_did(root: Path, tools: dict[str, BaseTool]) -> None:
    assert "Wrote new/总结.md" in tools["write_file"].invoke({"path": "new/总结.md", "content": "合计 5"})
    assert (root / "new" / "总结.md").read_text(encoding="utf-8") == "合计 5"
    assert "Replaced" in tools["write_file"].invoke({"path": "new/总结.md", "content": "合计 6\r\n"})
    assert (root / "new" / "总结.md").read_bytes() == "合计 6\r\n".encode()
    assert [path.name for path in (root / "new").iterdir()] == ["总结.md"]


@pytest.mark.parametrize("path", ["../out.txt", "/tmp/out.txt", "notes", "notes/a.txt/b.txt"])
def test_writing_outside_or_over_a_folder_is_refused(root: Path, tools: dict[str, BaseTool], path: str) -> None:
    before = sorted(root.rglob("*"))
    assert '"' in tools["write_file"].invoke({"path": path, "content": "x"})
    assert sorted(root.rglob("*")) == before
    assert not (root.parent / "out.txt").exists()


def test_writing_through_a_link_that_leads_out_is_refused(root: Path, tools: dict[str, BaseTool]) -> None:
    outside = root.parent / f"{root.name}-outside.txt"
    outside.write_text("mine", encoding="utf-8")
    (root / "link.txt").symlink_to(outside)
    assert "leads out" in tools["write_file"].invoke({"path": "link.txt", "content": "x"})
    assert outside.read_text(encoding="utf-8") == "mine"


def test_text_that_cannot_be_written_leaves_the_old_file(root: Path, tools: dict[str, BaseTool]) -> None:
    assert "cannot be written" in tools["write_file"].invoke({"path": "notes/a.txt", "content": "\ud800"})
    assert (root / "notes" / "a.txt").read_text(encoding="utf-8").startswith("Tea")


def test_a_wrong_call_comes_back_as_an_error_message(tools: dict[str, BaseTool]) -> None:
    call = {"name": "read_file", "args": {"path": "notes/b.txt"}, "id": "1", "type": "tool_call"}
    message = tools["read_file"].invoke(call)
    assert message.status == "error"
    assert "Close: " in message.content
    assert "notes/a.txt" in message.content


def test_only_writing_changes_anything(tools: dict[str, BaseTool]) -> None:
    effects = {name: effect_of(tool) for name, tool in tools.items()}
    assert effects.pop("write_file") is Effect.IDEMPOTENT_WRITE
    assert set(effects.values()) == {Effect.READ_ONLY}


def test_a_text_that_stands_in_many_files_brings_their_names_and_no_lines(
    root: Path, tools: dict[str, BaseTool]
) -> None:
    for number in range(MAX_FILES + 1):
        (root / f"{number}.md").write_text("diesel 5\nand diesel 6\n", encoding="utf-8")
    found = str(tools["search_files"].invoke({"text": "Diesel"}))
    assert "4 files" in found
    assert "0.md (2 lines)" in found
    assert "diesel" not in found
