"""What servers list, through a transport that needs no socket."""

from __future__ import annotations

import httpx
import pytest

from memory_secretary.nodes.models.catalogue import Listed, ollama_catalogue, openai_catalogue, token_bytes

QWEN = {
    "general.architecture": "qwen2", "qwen2.block_count": 28, "qwen2.attention.head_count": 28,
    "qwen2.attention.head_count_kv": 4, "qwen2.embedding_length": 3584,
}  # fmt: skip
TAGS = {
    "models": [
        {"name": "qwen2.5:7b", "size": 4_700, "details": {"parameter_size": "7.6B", "quantization_level": "Q4_K_M"}},
        {"name": "bge-m3:latest", "size": 1_200, "details": {}},
    ]
}
SHOWN = {
    "qwen2.5:7b": {"capabilities": ["completion", "tools"], "model_info": QWEN},
    "bge-m3:latest": {"capabilities": ["embedding"], "model_info": {}},
}


def client(pages):
    """A client whose server has these pages: JSON data, a whole response, or an error to raise."""

    def answer(request):
        page = pages.get(request.url.path, httpx.Response(404, text="404 page not found"))
        page = page(request) if callable(page) else page
        if isinstance(page, Exception):
            raise page
        return page if isinstance(page, httpx.Response) else httpx.Response(200, json=page)

    return httpx.Client(transport=httpx.MockTransport(answer))


def shown(request):
    import json

    return SHOWN[json.loads(request.content)["model"]]


def test_ollama_s_models_come_with_size_kind_and_what_they_are_for():
    pages = {"/api/tags": TAGS, "/api/ps": {"models": [{"name": "qwen2.5:7b"}]}, "/api/show": shown}
    found = ollama_catalogue("http://h:1", client(pages))
    assert found.problem is None
    assert found.models == (
        Listed("bge-m3:latest", 1_200, "", embeds=True, token_bytes=None, loaded=False),
        Listed("qwen2.5:7b", 4_700, "7.6B Q4_K_M", embeds=False, token_bytes=57_344, loaded=True),
    )
    assert found.models[1].memory(1000) == 4_700 + 57_344_000
    assert found.models[0].memory(1000) is None


def test_an_ollama_without_models_is_empty_and_no_problem():
    found = ollama_catalogue("http://h:1", client({"/api/tags": {"models": None}, "/api/ps": {"models": []}}))
    assert (found.models, found.problem) == ((), None)


def test_a_server_that_is_off_is_told_with_the_cure_in_both_languages():
    found = ollama_catalogue("http://h:1", client({"/api/tags": httpx.ConnectError("refused")}))
    assert "ollama serve" in str(found.problem)
    assert "ollama serve" in found.problem.zh


@pytest.mark.parametrize("page", [httpx.Response(404, text="no"), httpx.Response(200, text="<html>"), ["a list"]])
def test_a_port_that_another_program_has_is_told(page):
    for found in (
        ollama_catalogue("http://h:1", client({"/api/tags": page})),
        openai_catalogue("http://h:1/v1", "", client({"/v1/models": page})),
    ):
        assert "not the protocol" in str(found.problem)
        assert found.problem.zh
        assert found.models == ()


def test_an_openai_server_tells_names_and_is_asked_with_the_key():
    keys = []

    def page(request):
        keys.append(request.headers.get("Authorization"))
        return {"data": [{"id": "b"}, {"id": "a"}]}

    http = client({"/v1/models": page})
    assert [model.name for model in openai_catalogue("http://h:1/v1", "sk-1", http).models] == ["a", "b"]
    openai_catalogue("http://h:1/v1", "", http)
    assert keys == ["Bearer sk-1", None]


def test_a_refused_key_is_told():
    found = openai_catalogue("http://h:1/v1", "sk-1", client({"/v1/models": httpx.Response(401, json={})}))
    assert "key" in str(found.problem)


def test_the_memory_of_a_token_follows_from_the_file_s_own_description():
    assert token_bytes(QWEN) == 2 * 28 * 4 * 128 * 2
    assert token_bytes(QWEN | {"qwen2.attention.key_length": 64}) == 2 * 28 * 4 * 64 * 2
    assert token_bytes(QWEN | {"qwen2.attention.head_count_kv": [4, 0, 4]}) is None
    assert token_bytes({}) is None
