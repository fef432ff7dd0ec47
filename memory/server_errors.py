"""The one place that turns the errors of model servers and of Chroma into ours, each with its cure.

The client libraries are recognised by the names of their classes, so that none of them is imported here: httpx and
``ollama`` (which raises the builtin ``ConnectionError`` too), ``openai``, ``langchain_openai`` and the common family of
``langchain_core.exceptions``, and ``chromadb``.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from traceback import walk_tb

from memory_secretary.memory import server_sentences as sentences
from memory_secretary.memory.errors import (
    IndexUnavailable,
    MemorySecretaryError,
    ModelError,
    ModelMissing,
    ModelRefused,
    ModelUnreachable,
)
from memory_secretary.memory.masking import mask
from memory_secretary.memory.server_sentences import Sentence
from memory_secretary.memory.tokens import clean

_LIBRARIES = frozenset({"httpx", "httpcore", "ollama", "openai", "requests", "langchain_core"}) | frozenset(
    {"langchain_ollama", "langchain_openai"}
)
_TIMEOUTS = frozenset({"TimeoutException", "TimeoutError", "APITimeoutError", "ModelTimeoutError", "Timeout"})
_CONNECTIONS = frozenset(
    {"TransportError", "ConnectionError", "APIConnectionError", "ModelConnectionError", "NetworkError"}
)
_MISSING = frozenset({"NotFoundError", "ModelNotFoundError"})
_KEYS = frozenset(
    {"AuthenticationError", "PermissionDeniedError", "ModelAuthenticationError", "ModelPermissionDeniedError"}
)
_BUSY = frozenset({"RateLimitError", "ModelRateLimitError"})
_OVERFLOWS = frozenset({"ContextOverflowError"})
_SERVER_FAMILIES = frozenset({"APIError", "ModelError", "ResponseError", "HTTPStatusError"})
_REPLY_FAULTS = frozenset({"LengthFinishReasonError"})
"""Faults of a reply that did arrive; the border that reads replies handles those."""
_PARSERS = frozenset({"builtins", "json", "pydantic_core"})
"""Where the errors come from that a client trips over when the answer is not what the protocol promises."""

_OVERFLOW_WORDS = re.compile(
    r"context[_ ](?:length|window|size)|exceeds?.{0,40}(?:context|n_ctx)|n_ctx|maximum context|too many tokens"
    r"|input (?:length|is too long)",
    re.IGNORECASE,
)
_LOADING_WORDS = re.compile(r"loading model|model is loading|server busy", re.IGNORECASE)
_MISSING_WORDS = re.compile(
    r"model ['\"`]?[^'\"`]{0,100}['\"`]? ?(?:was )?(?:not found|(?:does )?not exist)|model_not_found|no such model"
    r"|unknown model|invalid model",
    re.IGNORECASE,
)
_SPENT_WORDS = re.compile(
    r"insufficient.{0,10}(?:quota|balance|credit|funds)|balance is insufficient|your current quota|arrear|billing"
    r"|good standing|free ?tier|余额|欠费",
    re.IGNORECASE,
)
_PAGE_WORDS = re.compile(r"<!doctype|<html|<body", re.IGNORECASE)
_FULL_WORDS = re.compile(r"disk is full|disk full|no space left|code: 13\b|SQLITE_FULL|quota exceeded", re.IGNORECASE)
_LONGEST_QUOTE = 300


def map_model_error(error: BaseException, *, server: str, model: str, option: str = "--executor") -> ModelError | None:
    """What an error of a chat or embedding call means.

    Args:
        error: what the client library raised.
        server: how to name the server to a user, with its address, e.g. ``Ollama at http://127.0.0.1:11434``.
        model: the model's name on that server.
        option: names, on the command line, what the model is used for.

    Returns:
        Our error, whose sentence names the cure; None when ``error`` does not come from a server (re-raise it then).
    """
    names = _names(error)
    if isinstance(error, MemorySecretaryError) or names & _REPLY_FAULTS:
        return None
    status = _status(error)
    if names & _TIMEOUTS:
        return sentences.LATE.error(server, model)
    if names & _CONNECTIONS and status is None:
        return sentences.DOWN.error(server, model, option=option)
    if names & _known_names() or status is not None:
        return _answer(error, names, status, model).error(server, model, _quote(error))
    if "OpenAIError" in names and "api_key" in str(error):
        return sentences.NO_KEY.error(server, model)
    return sentences.NO_PROTOCOL.error(server, model, _quote(error)) if _tripped(error) else None


def cut_prompt(server: str, model: str, *, read: int, least: int, window: int) -> ModelError:
    """The error for a server that dropped the front of a prompt without a word.

    Args:
        server: how to name the server to a user.
        model: the model's name on that server.
        read: tokens that the server says it read.
        least: tokens that the prompt has at the least.
        window: tokens of the window that was asked for.
    """
    return sentences.CUT.error(server, model, read=read, least=least, window=window)


def broken_reply(server: str, model: str) -> ModelError:
    """The error for a server that ended in the middle of a reply."""
    return sentences.BROKE_OFF.error(server, model)


def missing_model(server: str, model: str) -> ModelError:
    """The error for a server that does not have the model."""
    return sentences.NO_MODEL.error(server, model)


def not_the_protocol(server: str, model: str, said: str) -> ModelError:
    """The error for a server that answers something else than a model server does, which ``said`` quotes."""
    return sentences.NO_PROTOCOL.error(server, model, _short(said))


def map_index_error(error: BaseException, *, where: str) -> IndexUnavailable | None:
    """What an error of Chroma means.

    Args:
        error: what chromadb raised; for a server that is down this is a plain ``ValueError``.
        where: the folder or address of the index, for the user.

    Returns:
        Our error with its cure; None when ``error`` does not come from Chroma.
    """
    chroma = any(_library(cls) == "chromadb" for cls in type(error).__mro__)
    panic = type(error).__name__ == "PanicException"
    if not (chroma or panic or isinstance(error, ValueError | OSError) or _names(error) & _CONNECTIONS):
        return None
    if isinstance(error, MemorySecretaryError):
        return None
    text = _quote(error)
    if "connect to a Chroma server" in text or _names(error) & (_CONNECTIONS | _TIMEOUTS):
        msg = (
            f"the Chroma server at {where} cannot be reached; start it with "
            "`chroma run --path FOLDER --host 127.0.0.1`, or leave chroma_url out"
        )
        zh = f"连接不上 Chroma 服务 {where}；请用 `chroma run --path FOLDER --host 127.0.0.1` 启动它，或去掉 chroma_url"
        return IndexUnavailable(msg, zh=zh)
    broken, broken_zh = (
        f"the vector index at {where} cannot be used ({text}); ",
        f"向量索引 {where} 无法使用（{text}）；",
    )
    if getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or _FULL_WORDS.search(text):
        cure, cure_zh = (
            "the disk is full: free some space, the ledger lacks nothing",
            "磁盘已满：请腾出空间，账本并无缺失",
        )
    else:
        cure = "remake it from the ledger with `memory-secretary memory reindex`"
        cure_zh = "请用 `memory-secretary memory reindex` 从账本重建"
    return IndexUnavailable(f"{broken}; {cure}", zh=f"{broken_zh}；{cure_zh}")


def blames_request(error: BaseException, mapped: ModelError) -> bool:
    """Whether another request may succeed: the server choked on this one and is neither gone, nor closed to us."""
    if isinstance(mapped, ModelUnreachable | ModelMissing):
        return False
    return not isinstance(mapped, ModelRefused) or _status(error) in (400, 413, 422)


@contextmanager
def model_errors(server: str, model: str) -> Iterator[None]:
    """Raise our errors in place of those of the client libraries; others pass through unchanged."""
    try:
        yield
    except BaseException as error:
        mapped = map_model_error(error, server=server, model=model)
        if mapped is None:
            raise
        raise mapped from error


@contextmanager
def index_errors(where: str) -> Iterator[None]:
    """Raise :class:`IndexUnavailable` in place of Chroma's errors; others pass through unchanged."""
    try:
        yield
    except BaseException as error:
        mapped = map_index_error(error, where=where)
        if mapped is None:
            raise
        raise mapped from error


def _answer(error: BaseException, names: set[str], status: int | None, model: str) -> Sentence:
    """What a server means that did answer, and said no."""
    words = words_of(error)
    if names & _OVERFLOWS or _OVERFLOW_WORDS.search(words):
        return sentences.TOO_LONG
    if _PAGE_WORDS.search(words):
        return sentences.ELSEWHERE
    if _MISSING_WORDS.search(words) or (names & _MISSING and (status is None or model in words)):
        return sentences.NO_MODEL
    if status in (404, 405):
        return sentences.ELSEWHERE
    if status == 402 or (status in (400, 403, 429) and _SPENT_WORDS.search(words)):
        return sentences.SPENT
    if names & _KEYS or status in (401, 403):
        return sentences.WRONG_KEY
    if names & _BUSY or status == 429:
        return sentences.BUSY_NOW
    if _LOADING_WORDS.search(words):
        return sentences.LOADING
    return sentences.REFUSED if status is not None and 400 <= status < 500 else sentences.FAILED


def _tripped(error: BaseException) -> bool:
    """Whether a client library tripped over an answer that it could not read."""
    if type(error).__module__.partition(".")[0] not in _PARSERS or not isinstance(
        error, ValueError | TypeError | AttributeError | LookupError
    ):
        return False
    modules = [str(frame.f_globals.get("__name__")).partition(".")[0] for frame, _ in walk_tb(error.__traceback__)]
    last = next((module for module in reversed(modules) if module not in _READERS), "")
    empty_stream = last == "langchain_core" and isinstance(error, ValueError)  # says only that nothing was streamed
    return last in _LIBRARIES and not empty_stream


_READERS = frozenset({"json", "pydantic", "pydantic_core"})
"""What clients read answers with: the frame that called them says whose fault it is."""


def _known_names() -> frozenset[str]:
    return _MISSING | _KEYS | _BUSY | _OVERFLOWS | _SERVER_FAMILIES


def _names(error: BaseException) -> set[str]:
    """Class names along the inheritance of ``error`` that belong to a known client library or to Python itself."""
    builtin = {"ConnectionError", "TimeoutError"}
    return {
        cls.__name__
        for cls in type(error).__mro__
        if _library(cls) in _LIBRARIES or (cls.__module__ == "builtins" and cls.__name__ in builtin)
    }


def _library(cls: type) -> str:
    return cls.__module__.partition(".")[0]


def _status(error: BaseException) -> int | None:
    """The HTTP status, where the library gives one; Ollama's -1 (an error in mid-stream) counts as none known."""
    if not _names(error):
        return None
    status = getattr(error, "status_code", None)
    if status is None:
        status = getattr(getattr(error, "response", None), "status_code", None)
    return status if isinstance(status, int) and status > 0 else None


def words_of(error: BaseException) -> str:
    """All that a server said of an error: its message and, where the client keeps it, the body of the answer."""
    body = getattr(error, "body", None)
    return f"{error} {body}" if body else str(error)


def quoted(error: BaseException) -> str:
    """An error by its kind and its words, short and without secrets."""
    return f"{type(error).__name__}: {_quote(error)}"


def _quote(error: BaseException) -> str:
    """The server's own words, short, without secrets and control characters."""
    body = getattr(error, "body", None)
    bare = isinstance(body, str) or (isinstance(body, dict) and re.fullmatch(r"Error code: \d+", str(error)))
    return _short(f"{error} - {body}" if bare else str(error)) or type(error).__name__


def _short(text: str) -> str:
    words = " ".join(mask(clean(text)).split())
    return words if len(words) <= _LONGEST_QUOTE else words[:_LONGEST_QUOTE] + "…"
