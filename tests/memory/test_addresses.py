"""Addresses: what a user wrote is understood, or refused with its own words and how it is written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_secretary.memory.addresses import checked_url, ollama_url
from memory_secretary.memory.embedders import resolve_embedder
from memory_secretary.memory.errors import SettingsError

BAD_HOSTS = (
    "127.0.0.1 8080", "http//x", "http:/x", "http:x", "//x", "localhost:abc", "localhost:", "127.0.0.1:99999",
    "127.0.0.1，8080", "127.0.0.1：8080", "http://a b", "http://",
)  # fmt: skip


@pytest.mark.parametrize("url", ["notaurl", "localhost:11434", "ftp://x", "http://", "http://x:99999", " http://x", ""])
def test_what_is_no_address_is_refused_and_never_read_as_localhost(url):
    with pytest.raises(SettingsError, match="address"):
        checked_url(url)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        (":9000", "http://127.0.0.1:9000"),
        ("gpu.local", "http://gpu.local:11434"),
        ("gpu.local:9000/", "http://gpu.local:9000"),
        ("https://gpu.local/ollama/", "https://gpu.local/ollama"),
        ("http://0.0.0.0:1", "http://127.0.0.1:1"),
        ("[::1]", "http://[::1]:11434"),
        ("[::1]:9", "http://[::1]:9"),
        ('"gpu.local"', "http://gpu.local:11434"),
        ("图书馆.local", "http://图书馆.local:11434"),
    ],
)
def test_ollama_host_is_read_as_ollama_reads_it(host, url):
    assert ollama_url(host) == url


@given(st.text())
def test_any_ollama_host_is_an_address_or_refused(host):
    try:
        assert ollama_url(host).startswith(("http://", "https://"))
    except SettingsError as error:
        assert "address" in str(error)


@pytest.mark.parametrize("host", BAD_HOSTS)
def test_a_host_that_is_none_is_named_with_its_variable_and_how_it_is_written(host):
    with pytest.raises(SettingsError) as refused:
        ollama_url(host)
    for lang, words in (("en", "write it like"), ("zh", "请写成")):
        sentence = refused.value.sentence(lang)
        assert f"OLLAMA_HOST={host!r}" in sentence
        assert words in sentence
        assert "http://127.0.0.1:11434" in sentence


def test_an_embedder_on_a_host_that_is_none_is_refused_before_it_is_used(monkeypatch):
    monkeypatch.setenv("OLLAMA_HOST", "127.0.0.1 8080")
    with pytest.raises(SettingsError, match=r"OLLAMA_HOST='127\.0\.0\.1 8080'"):
        resolve_embedder("ollama:bge-m3")
