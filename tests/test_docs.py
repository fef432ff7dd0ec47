"""README and docs: every code block is checked, generated parts agree with the code, both languages say the same.

How each kind of block is checked:

- ``python`` runs as it stands, Ollama and hosted servers being stand-ins on the loopback.
- ``sh`` line by line: `export` and leading assignments must name variables that exist, with values that can be read;
  calls of our command line are parsed with its own parser, and those in `RUN` also run, against stand-ins; `make`
  targets must exist; a program in `NOT_RUN` is not run, for the reason given there.
- ``mermaid`` is generated, and compared with the code.
- ``text`` is the end of a run that was made; its answer is judged by the example's own check.
"""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import re
import shlex
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from policy import step
from stand_in_ollama import StandInOllama
from stand_in_openai import DASHSCOPE, DEEPSEEK, LLAMA_CPP, LM_STUDIO, SILICONFLOW, VLLM, StandInOpenAI
from typer.testing import CliRunner

from memory_secretary.graph.cli import app
from memory_secretary.graph.doctor.environment import OTHERS, SETTINGS
from memory_secretary.graph.evaluation.example_task import check, variant
from memory_secretary.graph.settings import from_environment
from memory_secretary.memory.scope import Scope
from memory_secretary.memory.tiered import TieredMemory
from memory_secretary.nodes.methods.method import from_text, to_text
from memory_secretary.tools.example_workspace import copy_example

ROOT = Path(__file__).parent.parent
READMES = (ROOT / "README.md", ROOT / "README.zh-CN.md")
PAGES = (*READMES, *sorted((ROOT / "docs").glob("*.md")))
PAIRS = [(page.with_name(page.name.replace(".zh-CN.md", ".md")), page) for page in PAGES if ".zh-CN." in page.name]

KINDS = {"card", "python", "sh", "mermaid", "text"}
RUN = {"doctor", "models", "memory"}
"""Commands that run here; `run` and `chat` need a model's wits and have tests of their own (`tests/graph`)."""
RUNNABLE = re.compile(rf"(?:memory-secretary|bootstrap\.py) (?:{'|'.join(sorted(RUN))})\b")
NOT_RUN = {
    "ollama": "a server that cannot be had in the tests; `stand_in_ollama` speaks its protocol",
    "llama-server": "a server that needs weights and a compiler; the embedded one is llama.cpp too (`test_model`)",
    "vllm": "a server that needs a graphics card; `stand_in_openai` speaks its dialect",
    "lms": "a program of LM Studio's; `stand_in_openai` speaks its dialect",
    ".": "changes the calling shell only",
}
FOREIGN = {"OPENAI_BASE_URL", "OPENAI_API_KEY", "OLLAMA_FLASH_ATTENTION", "OLLAMA_KV_CACHE_TYPE"}
"""Variables of servers and their clients that the pages set."""
SPEECHES = {
    "http://127.0.0.1:8080/v1": LLAMA_CPP,
    "http://127.0.0.1:8000/v1": VLLM,
    "http://127.0.0.1:1234/v1": LM_STUDIO,
    "https://dashscope.aliyuncs.com/compatible-mode/v1": DASHSCOPE,
    "https://api.deepseek.com": DEEPSEEK,
    "https://api.siliconflow.cn/v1": SILICONFLOW,
}
"""Which stand-in takes the place of a server at this address."""

SUITE = "# suite.py"
"""The first line of a suite of tasks, which only gives names; `tests/graph/test_cli_eval.py` runs its tasks."""
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_ASSIGNED = re.compile(r"([A-Z_]+)=(.*)")
_LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


def blocks(kind: str) -> list[Any]:
    """The blocks of a kind, each under its page's name."""
    found = [(page.name, *block) for page in PAGES for block in _BLOCK.findall(page.read_text("utf-8"))]
    return [pytest.param(text, id=f"{page}-{n}") for n, (page, name, text) in enumerate(found) if name == kind]


def lines(block: str) -> list[list[str]]:
    """A shell block's lines as words, without comments."""
    return [words for line in block.splitlines() if (words := shlex.split(line, comments=True))]


def assigned(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """The variables that a line sets, and the words that it runs."""
    left = words[1:] if words[0] == "export" else words
    values = {match[1]: match[2] for match in itertools.takewhile(bool, map(_ASSIGNED.fullmatch, left)) if match}
    return values, left[len(values) :]


def own_words(words: list[str]) -> list[str]:
    """The words that a line hands to our command line, empty when it calls something else."""
    if words[:1] == ["memory-secretary"]:
        return words[1:]
    ours = words[:2] == ["python3", "bootstrap.py"] and words[2] != "test"
    return words[2:] if ours else []


def parse(words: list[str]) -> None:
    """Let the command line's own parser read the words; it raises what it would tell a user."""
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands"):
        name, *words = words
        command = command.commands[name]
    command.make_context("memory-secretary", list(words))


def answers(body: dict[str, Any]) -> dict[str, Any]:
    """What the stand-ins' models say: the doctor's long story, else a final answer at once."""
    asked = body["messages"][-1]["content"]
    return {"story": "boats " * 30} if "long story about these boats" in asked else step("final_answer", answer="Fine.")


@contextmanager
def stand_ins(text: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The text with each server's address replaced by that of its stand-in; Ollama's is in ``OLLAMA_HOST``."""
    named = re.findall(r"openai:([\w./-]+)|model=\"([\w.-]+)\"", text)
    model = next((one or other for one, other in named if (one or other) != "qwen2.5:7b"), "some-model")
    with ExitStack() as opened:
        ollama = opened.enter_context(StandInOllama(replies=answers))
        monkeypatch.setenv("OLLAMA_HOST", ollama.url)
        for address, speech in SPEECHES.items():
            if address in text:
                server = opened.enter_context(StandInOpenAI(speech, answers, model=model))
                text = text.replace(address, server.url)
        yield text


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, and a memory with one card, ``mem_1``, which commands find."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("MEMORY_SECRETARY_MEMORY", str(tmp_path / "memory"))
    monkeypatch.setenv("MEMORY_SECRETARY_EMBEDDER", "none")
    ids = map(str, itertools.count(1))
    with TieredMemory.open(tmp_path / "memory", embedder=None, new_id=lambda: next(ids)) as memory:
        assert memory.remember(Scope(user="local"), "Refunds take 3 days. 退款要 3 天。").memory_id == "mem_1"
    return tmp_path


# --- code blocks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_each_block_is_of_a_kind_that_is_checked(page: Path) -> None:
    assert {kind for kind, _ in _BLOCK.findall(page.read_text("utf-8"))} <= KINDS


@pytest.mark.integration
@pytest.mark.parametrize("text", blocks("python"))
def test_python_runs_as_it_stands(text: str, at_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    with stand_ins(text, monkeypatch) as source:
        exec(compile(source, "block", "exec"), {"__name__": "block"})
    assert capsys.readouterr().out.strip() or text.startswith(SUITE)


@pytest.mark.parametrize("text", blocks("sh"))
def test_each_line_of_a_shell_block_could_be_typed(text: str) -> None:
    for words in lines(text):
        values, call = assigned(words)
        ours = {name: value for name, value in values.items() if name in SETTINGS}
        assert values.keys() <= SETTINGS | OTHERS | FOREIGN
        from_environment(ours)
        if own_words(call):
            parse(own_words(call))
        elif call:
            assert call[0] in NOT_RUN or call == ["python3", "bootstrap.py", "test"], call


@pytest.mark.integration
@pytest.mark.parametrize("text", [block for block in blocks("sh") if RUNNABLE.search(block.values[0])])
def test_commands_that_can_run_here_run(text: str, at_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_SECRETARY_SECRETARY_WINDOW", "4096")  # what the stand-ins have
    with stand_ins(text, monkeypatch) as script:
        for words in lines(script):
            values, call = assigned(words)
            for name, value in values.items():
                monkeypatch.setenv(name, value)
            command = own_words(call)
            if command and command[0] in RUN:
                done = CliRunner().invoke(app, command)
                assert done.exit_code in ((0, 1) if command[0] == "doctor" else (0,)), done.output


def test_no_reason_is_given_for_a_program_that_no_page_calls() -> None:
    called = {call[0] for block in blocks("sh") for words in lines(block.values[0]) if (call := assigned(words)[1])}
    assert called >= NOT_RUN.keys()


_SHOWN = {"en": ("Answer: ", "The answer is right."), "zh": ("答案：", "答案正确。")}


@pytest.mark.parametrize("text", blocks("text"))
def test_the_run_that_is_shown_was_right(text: str, tmp_path: Path) -> None:
    lang = "zh" if _SHOWN["zh"][1] in text else "en"
    label, verdict = _SHOWN[lang]
    [answer] = re.findall(rf"^{label}(.*)$", text, re.MULTILINE)
    copy_example(tmp_path / "workspace")
    assert check(variant(1, lang), answer, tmp_path / "workspace").right
    assert text.strip().endswith(verdict)


@pytest.mark.parametrize("text", blocks("card"))
def test_a_method_that_is_shown_is_one_as_the_code_reads_it(text: str) -> None:
    method = from_text(text)
    assert method is not None
    assert to_text(method) == text.strip()


# --- what the pages claim --------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_generated_parts_agree_with_the_code(page: Path, generator: ModuleType) -> None:
    text = page.read_text("utf-8")
    assert generator.filled(text, generator.language_of(page)) == text, "run `make docs`"


def test_every_generated_part_stands_somewhere_in_both_languages(generator: ModuleType) -> None:
    for lang in ("en", "zh"):
        text = "".join(page.read_text("utf-8") for page in PAGES if generator.language_of(page) == lang)
        assert set(re.findall(r"<!-- generated: (\w+) -->", text)) == generator.PARTS.keys()


def test_the_results_have_a_figure_to_quote(generator: ModuleType) -> None:
    assert re.match(r"\*\*secretary \d+ of \d+", generator.figures("en"))


@pytest.mark.parametrize("page", READMES, ids=lambda page: page.name)
def test_the_readme_names_each_command(page: Path) -> None:
    text = page.read_text("utf-8")
    commands: Any = typer.main.get_command(app)
    memory = commands.commands["memory"].commands
    assert [name for name in commands.commands if f"`memory-secretary {name}" not in text] == []
    assert [name for name in memory if not re.search(rf"`(?:memory-secretary memory )?{name}\b", text)] == []


@pytest.mark.integration
@pytest.mark.parametrize("address", SPEECHES)
def test_servers_are_held_to_what_their_page_says(address: str, at_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORY_SECRETARY_SECRETARY_WINDOW", "4096")
    with stand_ins(f"{address} openai:some-model", monkeypatch) as text:
        monkeypatch.setenv("OPENAI_BASE_URL", text.split()[0])
        monkeypatch.setenv("OPENAI_API_KEY", "any")
        done = CliRunner().invoke(app, ["doctor", "--executor", "openai:some-model", "--json"])
    [found] = [each["facts"]["mode"] for each in json.loads(done.stdout)["findings"] if each["name"] == "schema"]
    for page in ("servers.md", "servers.zh-CN.md"):
        rows = [row.split("|") for row in (ROOT / "docs" / page).read_text("utf-8").splitlines()]
        [said] = [row[3] for row in rows if len(row) > 3 and row[2].strip() == f"`{address}`"]
        assert found in said


# --- both languages, links -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("english", "chinese"), PAIRS, ids=lambda page: page.name)
def test_both_languages_have_the_same_sections_blocks_and_tables(english: Path, chinese: Path) -> None:
    one, other = english.read_text("utf-8"), chinese.read_text("utf-8")
    for shape in (r"^(#+) ", r"^```(\w+)$", r"^(\|)", r"^(\d\.|-) ", r"^<!-- (.*) -->$"):
        assert re.findall(shape, one, re.MULTILINE) == re.findall(shape, other, re.MULTILINE)


def test_every_how_to_is_there_in_both_languages() -> None:
    assert {page.name for page, _ in PAIRS} == {
        "README.md", "cards.md", "diagnosis.md", "distill.md", "eval.md", "import.md", "maintenance.md", "ollama.md",
        "servers.md", "small-gpus.md", "trace.md", "troubleshooting.md",
    }  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in _LINK.findall(page.read_text("utf-8")):
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), path
        assert not anchor or anchor in anchors(target), anchor


def anchors(page: Path) -> set[str]:
    """The names that GitHub gives to a page's headings."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_no_page_names_a_folder_of_the_machine_it_was_written_on() -> None:
    for page in PAGES:
        assert not re.search(r"/(?:root|tmp|work)/", page.read_text("utf-8")), os.fspath(page)
