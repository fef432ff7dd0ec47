"""The one place that turns the errors of model servers and of Chroma into ours, each with its cure.

The client libraries are recognised by the names of their classes, so that none of them is imported here: httpx and
``ollama`` (which raises the builtin ``ConnectionError`` too), ``openai``, ``langchain_openai`` and the common family of
``langchain_core.exceptions``, and ``chromadb``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from memory_secretary.memory.errors import (
    ContextTruncated,
    IndexUnavailable,
    MemorySecretaryError,
    ModelError,
    ModelMissing,
    ModelRefused,
    ModelUnreachable,
)
from memory_secretary.memory.masking import mask
from memory_secretary.memory.tokens import clean

_LIBRARIES = frozenset({"httpx", "httpcore", "ollama", "openai", "langchain_core", "langchain_openai", "requests"})
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

_OVERFLOW_WORDS = re.compile(
    r"context[_ ](?:length|window|size)|exceeds?.{0,40}(?:context|n_ctx)|n_ctx|maximum context|too many tokens"
    r"|input (?:length|is too long)",
    re.IGNORECASE,
)
_LOADING_WORDS = re.compile(r"loading model|model is loading|server busy", re.IGNORECASE)
_MISSING_WORDS = re.compile(
    r"model ['\"]?[^'\"]{1,100}['\"]? (?:was )?not found|no such model|unknown model", re.IGNORECASE
)
_LONGEST_QUOTE = 300


def map_model_error(error: BaseException, *, server: str, model: str) -> ModelError | None:
    """What an error of a chat or embedding call means.

    Args:
        error: what the client library raised.
        server: how to name the server to a user, with its address, e.g. ``Ollama at http://127.0.0.1:11434``.
        model: the model's name on that server.

    Returns:
        Our error, whose sentence names the cure; None when ``error`` does not come from a server (re-raise it then).
    """
    names = _names(error)
    if isinstance(error, MemorySecretaryError) or names & _REPLY_FAULTS:
        return None
    status = _status(error)
    if names & _TIMEOUTS:
        msg = f"{server} did not answer in time; wait until it has loaded {model}, or raise the timeout"
        return ModelUnreachable(msg)
    if names & _CONNECTIONS and status is None:
        return ModelUnreachable(f"{server} cannot be reached; {_start(server)}")
    if not names & _known_names() and status is None:
        return _unset_key(error, server)
    return _answered(error, names, status, server, model)


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
        return IndexUnavailable(msg)
    msg = (
        f"the vector index at {where} cannot be used ({text}); "
        "remake it from the ledger with `memory-secretary memory reindex`"
    )
    return IndexUnavailable(msg)


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


def _answered(error: BaseException, names: set[str], status: int | None, server: str, model: str) -> ModelError:
    """The server did answer, and said no."""
    text = _quote(error)
    if names & _OVERFLOWS or _OVERFLOW_WORDS.search(text):
        msg = f"the prompt is longer than {model}'s window on {server} ({text}); lower our window or raise the server's"
        return ContextTruncated(msg)
    if names & _MISSING or status == 404 or _MISSING_WORDS.search(text):
        return ModelMissing(f"{server} does not have the model {model}; {_fetch(server, model)}")
    if names & _KEYS or status in (401, 403):
        return ModelRefused(f"{server} refused the key ({text}); set the right one, e.g. in OPENAI_API_KEY")
    if names & _BUSY or status == 429:
        return ModelRefused(f"{server} has had too many requests ({text}); wait a little or raise your limit there")
    if _LOADING_WORDS.search(text):
        return ModelUnreachable(f"{server} is still loading {model}; try again in a few seconds")
    if status is not None and 400 <= status < 500:
        return ModelRefused(
            f"{server} refused the request to {model} ({text}); see which of its limits the request breaks"
        )
    return ModelError(f"{server} failed while running {model} ({text}); look into the server's log, then try again")


def _unset_key(error: BaseException, server: str) -> ModelError | None:
    if "OpenAIError" in _names(error) and "api_key" in str(error):
        return ModelRefused(f"{server} needs a key; set OPENAI_API_KEY (any word will do for a local server)")
    return None


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


def _quote(error: BaseException) -> str:
    """The server's own words, short, without secrets and control characters."""
    text = " ".join(mask(clean(str(error))).split()) or type(error).__name__
    return text if len(text) <= _LONGEST_QUOTE else text[:_LONGEST_QUOTE] + "…"


def _start(server: str) -> str:
    if server.lower().startswith("ollama"):
        return "start it with `ollama serve`, or set OLLAMA_HOST to where it runs"
    return "check that it runs and that its address (OPENAI_BASE_URL) is right"


def _fetch(server: str, model: str) -> str:
    if server.lower().startswith("ollama"):
        return f"fetch it with `ollama pull {model}`"
    return "ask the server for the names it knows (GET /v1/models) and use one of them"
