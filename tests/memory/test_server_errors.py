from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import httpx
import ollama
import openai
import pytest
from chromadb.errors import InternalError, NotFoundError
from langchain_core import exceptions as core
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_openai import ChatOpenAI

from memory_secretary.memory.dense import without_vectors
from memory_secretary.memory.errors import (
    ContextTruncated,
    IndexUnavailable,
    ModelError,
    ModelMissing,
    ModelRefused,
    ModelUnreachable,
    NotFound,
)
from memory_secretary.memory.server_errors import (
    blames_request,
    broken_reply,
    cut_prompt,
    index_errors,
    map_index_error,
    map_model_error,
    missing_model,
    model_errors,
    not_the_protocol,
)
from memory_secretary.memory.server_sentences import DOWN

OLLAMA = "Ollama at http://127.0.0.1:11434"
OPENAI = "the server at http://127.0.0.1:8080/v1"
REQUEST = httpx.Request("POST", "http://127.0.0.1/v1")


def answered(kind: type[openai.APIStatusError], status: int, text: str, body: object = None) -> openai.APIStatusError:
    return kind(text, response=httpx.Response(status, request=REQUEST), body=body)


CASES = [
    (httpx.ConnectError("refused"), OLLAMA, ModelUnreachable, "ollama serve"),
    (httpx.RemoteProtocolError("peer closed connection"), OLLAMA, ModelUnreachable, "ollama serve"),
    (ConnectionError("Failed to connect to Ollama"), OLLAMA, ModelUnreachable, "ollama serve"),
    (httpx.ReadTimeout("timed out"), OLLAMA, ModelUnreachable, "timeout"),
    (ollama.ResponseError("model 'qwen' not found", 404), OLLAMA, ModelMissing, "ollama pull m1"),
    (ollama.ResponseError("input length exceeds the context length", 400), OLLAMA, ContextTruncated, "window"),
    (ollama.ResponseError("NaN in embedding", 500), OLLAMA, ModelError, "log"),
    (ollama.ResponseError("llama runner stopped"), OLLAMA, ModelError, "log"),
    (ollama.ResponseError("invalid format", 400), OLLAMA, ModelRefused, "invalid format"),
    (openai.APIConnectionError(request=REQUEST), OPENAI, ModelUnreachable, "OPENAI_BASE_URL"),
    (openai.APITimeoutError(request=REQUEST), OPENAI, ModelUnreachable, "timeout"),
    (answered(openai.AuthenticationError, 401, "bad key"), OPENAI, ModelRefused, "OPENAI_API_KEY"),
    (answered(openai.NotFoundError, 404, "no such model"), OPENAI, ModelMissing, "/v1/models"),
    (answered(openai.RateLimitError, 429, "slow down"), OPENAI, ModelRefused, "wait"),
    (answered(openai.BadRequestError, 400, "context_length_exceeded"), OPENAI, ContextTruncated, "window"),
    (answered(openai.BadRequestError, 400, "bad schema"), OPENAI, ModelRefused, "bad schema"),
    (answered(openai.InternalServerError, 500, "boom"), OPENAI, ModelError, "log"),
    (answered(openai.InternalServerError, 503, "Loading model"), OPENAI, ModelUnreachable, "loading"),
    (openai.OpenAIError("The api_key client option must be set"), OPENAI, ModelRefused, "OPENAI_API_KEY"),
    (core.ModelConnectionError("down"), OPENAI, ModelUnreachable, "OPENAI_BASE_URL"),
    (core.ModelTimeoutError("late"), OPENAI, ModelUnreachable, "timeout"),
    (core.ModelNotFoundError("none"), OPENAI, ModelMissing, "/v1/models"),
    (core.ModelRateLimitError("slow down"), OPENAI, ModelRefused, "wait"),
    (core.ModelAuthenticationError("bad key"), OPENAI, ModelRefused, "OPENAI_API_KEY"),
    (core.ContextOverflowError("too long"), OPENAI, ContextTruncated, "window"),
    (core.ModelAPIError("boom"), OPENAI, ModelError, "log"),
]  # fmt: skip


@pytest.mark.parametrize(("error", "server", "kind", "cure"), CASES)
def test_each_server_error_becomes_ours_with_its_cure(
    error: Exception, server: str, kind: type[ModelError], cure: str
) -> None:
    mapped = map_model_error(error, server=server, model="m1")
    assert type(mapped) is kind
    assert cure in str(mapped)
    assert server in str(mapped)


@pytest.mark.parametrize(("error", "server", "kind", "cure"), CASES)
def test_the_same_fault_has_its_sentence_in_chinese_with_the_same_names_in_it(
    error: Exception, server: str, kind: type[ModelError], cure: str
) -> None:
    mapped = map_model_error(error, server=server, model="m1")
    assert mapped is not None
    assert re.search("[\u4e00-\u9fff]", mapped.zh)
    assert server.rpartition(" ")[2] in mapped.zh
    assert mapped.sentence("zh") == mapped.zh
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY", "ollama pull m1", "ollama serve"):
        assert (name in mapped.zh) == (name in str(mapped))


BARE = "Error code: 404"
ANSWERS = [
    (answered(openai.NotFoundError, 404, BARE, "404 page not found"), ModelUnreachable, "/v1"),
    (answered(openai.NotFoundError, 404, BARE, "<!DOCTYPE html><html></html>"), ModelUnreachable, "/v1"),
    (answered(openai.NotFoundError, 404, BARE, {"detail": "Not Found"}), ModelUnreachable, "/v1"),
    (answered(openai.NotFoundError, 404, BARE, {"message": "File Not Found"}), ModelUnreachable, "/v1"),
    (answered(openai.APIStatusError, 405, "Error code: 405", {"detail": "Not Allowed"}), ModelUnreachable, "/v1"),
    (answered(openai.NotFoundError, 404, "The model `m1` does not exist."), ModelMissing, "/v1/models"),
    (answered(openai.BadRequestError, 400, "Model Not Exist"), ModelMissing, "/v1/models"),
    (answered(openai.BadRequestError, 400, "Model does not exist. Please check it carefully."), ModelMissing, "names"),
    (answered(openai.AuthenticationError, 401, "Error code: 401", "Invalid token"), ModelRefused, "Invalid token"),
    (answered(openai.APIStatusError, 402, "Insufficient Balance"), ModelRefused, "top it up"),
    (answered(openai.RateLimitError, 429, "You exceeded your current quota, please check"), ModelRefused, "top it up"),
    (answered(openai.RateLimitError, 429, "Requests rate limit exceeded"), ModelRefused, "wait a little"),
    (answered(openai.BadRequestError, 400, "Access denied, your account is not in good standing"), ModelRefused, "top"),
    (answered(openai.PermissionDeniedError, 403, "account balance is insufficient"), ModelRefused, "top it up"),
]  # fmt: skip
"""What servers answer, word for word or nearly: Ollama, a web server, vLLM, llama.cpp, DashScope, DeepSeek,
SiliconFlow, OpenAI."""


@pytest.mark.parametrize(("error", "kind", "cure"), ANSWERS)
def test_what_each_server_says_is_understood(error: Exception, kind: type[ModelError], cure: str) -> None:
    mapped = map_model_error(error, server=OPENAI, model="m1")
    assert type(mapped) is kind
    assert cure in str(mapped)


def test_an_ollama_client_at_another_server_is_told_where_it_belongs() -> None:
    mapped = map_model_error(ollama.ResponseError("File Not Found", 404), server=OLLAMA, model="m1")
    assert type(mapped) is ModelUnreachable
    assert "OLLAMA_HOST" in str(mapped)
    assert "openai:m1" in str(mapped)


def answering(text: str) -> httpx.Client:
    page = httpx.Response(200, text=text, headers={"Content-Type": "text/html"})
    return httpx.Client(transport=httpx.MockTransport(lambda request: page))


@pytest.mark.parametrize(
    "text", ["<html></html>", "[1]", "{}", '{"choices": []}', '{"choices": null}', '{"error": "no"}']
)
def test_an_answer_that_is_not_the_protocol_is_named(text: str) -> None:
    model = ChatOpenAI(model="m", api_key="none", base_url="http://127.0.0.1:1/v1", http_client=answering(text))  # type: ignore[arg-type]
    with pytest.raises(ModelUnreachable, match=r"not the protocol.*/v1") as caught, model_errors(OPENAI, "m"):
        model.invoke("hi")
    assert "协议" in caught.value.zh


def test_a_users_own_model_that_trips_over_its_own_feet_is_not_a_server() -> None:
    class Odd(FakeMessagesListChatModel):
        def _generate(self, *args: object, **kwargs: object) -> Any:
            return {}["message"]

    with pytest.raises(KeyError), model_errors("Odd", "odd"):
        Odd(responses=[]).invoke("hi")


def test_a_server_that_is_named_in_no_known_way_keeps_its_name_in_chinese() -> None:
    mapped = map_model_error(httpx.ConnectError("refused"), server="MyModel", model="m")
    assert mapped is not None
    assert "MyModel" in mapped.zh


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (cut_prompt(OLLAMA, "m1", read=512, least=900, window=4096), ("512", "900", "4096", "executor_window", "m1")),
        (broken_reply(OLLAMA, "m1"), ("m1", OLLAMA[10:])),
        (missing_model(OLLAMA, "m1"), ("`ollama pull m1`", OLLAMA[10:])),
        (not_the_protocol(OPENAI, "m1", "<html>"), ("<html>", "OPENAI_BASE_URL")),
    ],
)
def test_faults_that_no_library_raises_have_both_sentences_too(made: ModelError, words: tuple[str, ...]) -> None:
    assert all(word in str(made) and word in made.zh for word in words)


@pytest.mark.parametrize(
    "error",
    [
        ValueError("bad shelf"),
        KeyError("x"),
        RuntimeError("no"),
        core.OutputParserException("not JSON"),
        NotFound("no such card"),
        ModelMissing("mapped already"),
        KeyboardInterrupt(),
        PermissionError(13, "not allowed"),
    ],
)
def test_what_no_server_raised_stays_what_it_is(error: BaseException) -> None:
    assert map_model_error(error, server=OLLAMA, model="m1") is None
    with pytest.raises(type(error)) as caught, model_errors(OLLAMA, "m1"):
        raise error
    assert caught.value is error


def test_the_original_error_is_kept_as_the_cause() -> None:
    original = httpx.ConnectError("refused")
    with pytest.raises(ModelUnreachable) as caught, model_errors(OLLAMA, "m1"):
        raise original
    assert caught.value.__cause__ is original


def test_the_servers_words_are_short_and_hold_no_key() -> None:
    key = "sk-" + "EXAMPLE" * 5
    mapped = map_model_error(
        answered(openai.BadRequestError, 400, f"{key} \x1b " + "x" * 9_000), server=OPENAI, model="m"
    )
    assert key not in str(mapped)
    assert "\x1b" not in str(mapped)
    assert len(str(mapped)) < 600


def test_only_faults_of_one_request_invite_another() -> None:
    def blamed(error: Exception) -> bool:
        mapped = map_model_error(error, server=OLLAMA, model="m1")
        assert mapped is not None
        return blames_request(error, mapped)

    assert blamed(ollama.ResponseError("unsupported value: NaN", 500))
    assert blamed(ollama.ResponseError("bad text", 400))
    assert not blamed(ollama.ResponseError("not found", 404))
    assert not blamed(httpx.ConnectError("refused"))
    assert not blamed(answered(openai.AuthenticationError, 401, "bad key"))


@pytest.mark.parametrize(
    ("error", "cure"),
    [
        (ValueError("Could not connect to a Chroma server. Are you sure it is running?"), "chroma run"),
        (httpx.ConnectError("refused"), "chroma run"),
        (InternalError("Error finding id"), "memory reindex"),
        (NotFoundError("Collection [x] does not exist"), "memory reindex"),
        (OSError(28, "No space left on device"), "free some space"),
    ],
)
def test_chroma_errors_become_index_unavailable(error: Exception, cure: str) -> None:
    with pytest.raises(IndexUnavailable, match=cure) as caught, index_errors("/data/index"):
        raise error
    assert "/data/index" in str(caught.value) or "Chroma" in str(caught.value)


def test_other_errors_pass_the_index_border() -> None:
    assert map_index_error(KeyError("x"), where="memory") is None
    assert map_index_error(NotFound("no such card"), where="memory") is None


def test_the_module_imports_no_client_library() -> None:
    code = (
        "import sys, memory_secretary.memory.server_errors as s\n"
        "print([m for m in ('httpx','ollama','openai','chromadb','langchain_core') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


FULL = [
    ValueError("error returned from database: (code: 13) database or disk is full"),
    OSError(28, "No space left on device"),
]


@pytest.mark.parametrize("error", FULL)
def test_an_index_on_a_full_disk_is_not_made_anew(error: Exception) -> None:
    mapped = map_index_error(error, where="/m/index")
    assert mapped is not None
    assert "free some space" in str(mapped)
    assert "reindex" not in str(mapped)
    assert "磁盘已满" in mapped.sentence("zh")


@pytest.mark.parametrize("error", [ValueError("Could not connect to a Chroma server"), ValueError("file is broken")])
def test_what_is_said_of_the_index_is_said_in_chinese_too(error: Exception) -> None:
    mapped = map_index_error(error, where="/m/index")
    assert mapped is not None
    sentence = without_vectors(mapped).sentence("zh")
    bare = re.sub(r"（.*?）|`.*?`|/m/index|Chroma|chroma_url", "", sentence)
    assert not re.search("[A-Za-z]", bare)


@pytest.mark.parametrize("server", [OLLAMA, OPENAI, "LM Studio"])
def test_no_blank_stands_before_chinese_punctuation(server):
    sentence = DOWN.error(server, "m").sentence("zh")
    assert not re.search(r"\s[，。；：（）]", sentence), sentence
    assert "连接不上" in sentence


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_who_has_no_server_is_told_what_to_type(lang):
    error = httpx.ConnectError("refused")
    chat = map_model_error(error, server=OLLAMA, model="m")
    embedder = map_model_error(error, server=OLLAMA, model="m", option="--embedder")
    assert chat is not None
    assert embedder is not None
    assert chat.sentence(lang).endswith("`--executor embedded`")
    assert embedder.sentence(lang).endswith("`--embedder embedded`")
