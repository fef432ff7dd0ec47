"""The promises of the shared fixtures."""

from __future__ import annotations

import asyncio
import os
import socket
from pathlib import Path

import pytest
import pytest_socket


def test_a_unit_test_cannot_open_a_socket():
    with pytest.raises(pytest_socket.SocketBlockedError):
        socket.socket(socket.AF_INET, socket.SOCK_STREAM)


async def test_a_unit_test_may_use_asyncio():
    assert await asyncio.to_thread(lambda: 1) == 1


@pytest.mark.integration
def test_an_integration_test_reaches_the_loopback_only():
    with socket.socket() as server, socket.socket() as client:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())
    with socket.socket() as client, pytest.raises(pytest_socket.SocketConnectBlockedError):
        client.connect(("192.0.2.1", 80))


def test_home_and_settings_are_the_test_s_own(own_home):
    mine = {name: value for name, value in os.environ.items() if name.startswith("MEMORY_SECRETARY_")}
    assert mine == {"MEMORY_SECRETARY_CACHE": str(own_home / "cache")}
    assert Path.home() == own_home


def test_the_scripted_model_answers_in_order_and_remembers(scripted_model, new_scripted_model):
    scripted_model.enqueue("one", {"step": "二"}, TimeoutError("slow"))
    assert scripted_model.invoke("first").content == "one"
    assert scripted_model.bind(response_format={"type": "json_object"}).invoke("second").content == '{"step": "二"}'
    with pytest.raises(TimeoutError):
        scripted_model.invoke("third")
    assert [call[-1].content for call in scripted_model.history] == ["first", "second", "third"]
    assert scripted_model.options[1]["response_format"] == {"type": "json_object"}
    assert new_scripted_model().history == []
    with pytest.raises(AssertionError, match="once more"):
        scripted_model.invoke("fourth")


def test_the_clock_moves_only_when_told(frozen_clock, counting_ids):
    before = frozen_clock()
    assert frozen_clock() == before
    frozen_clock.advance(hours=2)
    assert (frozen_clock() - before).total_seconds() == 7200
    assert [counting_ids()[-2:] for _ in range(2)] == ["01", "02"]
