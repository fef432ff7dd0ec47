"""What every test gets: no network, a home of its own, a frozen clock, counted ids and a scripted chat model."""

from __future__ import annotations

import os

# Read by the libraries when they are imported, so set before anything else is.
os.environ["LANGGRAPH_STRICT_MSGPACK"] = "true"
os.environ["LANGSMITH_TRACING"] = "false"
os.environ["ANONYMIZED_TELEMETRY"] = "False"

import json
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import pytest_socket
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field, PrivateAttr

from memory_secretary.graph.cli_language import users_language
from memory_secretary.memory.bilingual import speaking
from memory_secretary.nodes.models import probe
from memory_secretary.nodes.models.weights import cache_folder

PREFIX = "MEMORY_SECRETARY_"
CACHE = str(cache_folder())
"""The real cache, whose weights are shared by the tests that are marked ``model``."""


SECONDS = 0.08
"""What a test took on two cores of 2026, on the average of all."""


def pytest_sessionstart(session: pytest.Session) -> None:
    """Let the first Ctrl-C end the session, though the test at work may take it for one of its own."""

    def end(number: int, frame: FrameType | None) -> None:
        session.shouldstop = "Ctrl-C"
        signal.default_int_handler(number, frame)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, end)


def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Keep a file's tests in one process, which then sets its servers up once; so, too, all that share the model."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group("model" if item.get_closest_marker("model") else item.path.name))


def pytest_report_collectionfinish(items: Sequence[pytest.Item]) -> str:
    """How many tests there are, and about how long they will take."""
    return announced(len(items)) if items else ""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_node_collection_finished(node: Any, ids: Sequence[str]) -> None:
    """The same, where processes beside each other have looked for the tests."""
    if node.gateway.id == "gw0":
        node.config.get_terminal_writer().line(announced(len(ids)))


def announced(n: int) -> str:
    """What is said of ``n`` tests before the first."""
    minutes = max(1, round(n * SECONDS / 60))
    if users_language() == "zh":
        return f"{n:,} 项测试：在两个空闲核心上约 {minutes} 分钟；机器忙时更久"
    return f"{n:,} tests: about {minutes} min on two idle cores, longer on a busy machine"


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Unit tests open no socket, integration tests only reach the loopback."""
    if item.get_closest_marker("model"):
        return
    if item.get_closest_marker("integration"):
        pytest_socket.socket_allow_hosts(["127.0.0.1", "::1"], allow_unix_socket=True)
    else:
        pytest_socket.disable_socket(allow_unix_socket=True)


@pytest.fixture(autouse=True)
def own_home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder for this test alone, and none of the caller's ``MEMORY_SECRETARY_*`` variables."""
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")  # the command line speaks the system's language
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(probe, "_found", {})  # ports are used again, by servers of another kind
    monkeypatch.setenv(f"{PREFIX}CACHE", str(home / "cache"))
    if request.node.get_closest_marker("model"):
        weights = Path(CACHE) / "weights"
        weights.mkdir(parents=True, exist_ok=True)
        (home / "cache").mkdir()
        (home / "cache" / "weights").symlink_to(weights)  # all else that is cached would outlive the stand-ins
    return home


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """Whatever language the test before spoke."""
    with speaking("en"):
        yield


class FrozenClock:
    """A clock that stands still until it is moved; starts on 1 March 2026, 00:30 in Shanghai."""

    def __init__(self) -> None:
        self.now = datetime(2026, 2, 28, 16, 30, tzinfo=UTC)

    def __call__(self) -> datetime:
        """The present moment, in UTC."""
        return self.now

    def advance(self, **time: float) -> None:
        """Move on by a ``timedelta`` given in its own words, such as ``hours=2``."""
        self.now += timedelta(**time)


@pytest.fixture
def frozen_clock() -> FrozenClock:
    """A :data:`memory_secretary.memory.clock.Clock` that the test moves itself."""
    return FrozenClock()


@pytest.fixture
def counting_ids() -> Callable[[], str]:
    """A :data:`memory_secretary.memory.clock.IdSource` that counts up from 1."""
    numbers = iter(range(1, 1 << 31))
    return lambda: f"{next(numbers):032x}"


class ScriptedModel(BaseChatModel):
    """A chat model that says what was put in its queue, in order, and remembers what it was asked.

    Attributes:
        history: the messages of every call.
        options: the keyword arguments of every call (response format, stop words, bound tools …).
    """

    history: list[list[BaseMessage]] = Field(default_factory=list)
    options: list[dict[str, Any]] = Field(default_factory=list)
    _replies: deque[AIMessage | BaseException] = PrivateAttr(default_factory=deque)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def enqueue(self, *replies: str | dict[str, Any] | AIMessage | BaseException) -> ScriptedModel:
        """Add replies: text, data (said as JSON), a whole message, or an error to raise."""
        for reply in replies:
            if isinstance(reply, dict):
                reply = json.dumps(reply, ensure_ascii=False)
            self._replies.append(AIMessage(reply) if isinstance(reply, str) else reply)
        return self

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        """Accept tools and hand them on as a call option, as real clients do."""
        return self.bind(tools=list(tools), **kwargs)

    def _generate(self, messages: list[BaseMessage], stop: Any = None, run_manager: Any = None, **kwargs: Any) -> Any:
        self.history.append(list(messages))
        self.options.append({"stop": stop, **kwargs} if stop else kwargs)
        assert self._replies, (
            f"the scripted model was asked once more than replies were queued: {messages[-1].text[-400:]!r}"
        )
        reply = self._replies.popleft()
        if isinstance(reply, BaseException):
            raise reply
        return ChatResult(generations=[ChatGeneration(message=reply)])


@pytest.fixture
def new_scripted_model() -> Callable[[], ScriptedModel]:
    """Makes scripted models, for tests that need one for each role."""
    return ScriptedModel


@pytest.fixture
def scripted_model(new_scripted_model: Callable[[], ScriptedModel]) -> ScriptedModel:
    """One scripted model with an empty queue."""
    return new_scripted_model()
