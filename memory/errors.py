"""The errors of the memory, each with a sentence that names the cure."""

from __future__ import annotations

from memory_secretary.memory.bilingual import Lang, spoken
from memory_secretary.memory.program import as_typed


class MemorySecretaryError(Exception):
    """Base of every error this package raises on purpose.

    ``str(error)`` is the sentence in the language that was spoken where the error was raised: the user's within a
    run, elsewhere that of the environment (``MEMORY_SECRETARY_LANG``, else the system's).

    Args:
        message: one sentence in English that names the cure.
        zh: the same sentence in Chinese, for what a user meets on the first day.
    """

    zh = ""
    lang: Lang = "en"

    def __init__(self, message: str = "", *, zh: str = "") -> None:
        super().__init__(message)
        self.zh, self.lang = zh, spoken()

    def __str__(self) -> str:
        return self.sentence(self.lang)

    def sentence(self, lang: Lang) -> str:
        """The sentence in ``lang``, else in English; its commands can be typed as they stand."""
        return as_typed(self.zh if lang == "zh" and self.zh else super().__str__())


class ScopeError(MemorySecretaryError, ValueError):
    """A user, team, agent or thread is missing or unusable."""


class AccessDenied(MemorySecretaryError, PermissionError):
    """A role tried what it has no right to; the attempt is logged in the ledger."""


class NotFound(MemorySecretaryError, LookupError):
    """No such event, card or thread in this scope."""


class VersionConflict(MemorySecretaryError):
    """The card was changed by someone else since it was read: read again, then write."""


class InvalidRecord(MemorySecretaryError, ValueError):
    """A record is refused at the border; the sentence names the field."""


class StorageError(MemorySecretaryError):
    """The memory folder cannot be used (read-only, full, damaged, locked)."""


class IndexUnavailable(MemorySecretaryError):
    """The vector index cannot be used now; recall goes on with the lexical leg."""


class EmbedderMismatch(MemorySecretaryError):
    """The index was made with another embedder; the sentence names both and the command that re-embeds."""

    @classmethod
    def between(
        cls, made: tuple[str | None, int | None], now: tuple[str, int | None], *, where: str = ""
    ) -> EmbedderMismatch:
        """The error for an index that holds other vectors than the embedder makes.

        Args:
            made: name and dimension of what it was made with; None where that is not known.
            now: those of the present embedder.
            where: where the index lies; empty for that of this memory.
        """
        (old, old_zh), (new, new_zh) = _sized(*made), _sized(*now)
        place, place_zh = (f"at {where}", f"索引 {where} ") if where else ("of this memory", "这个记忆库的索引")
        return cls(
            f"the index {place} was made with the embedder {old}, now it is "
            f"{new}: go back to the former, or embed everything anew with `memory-secretary memory reindex` or "
            "open(…, reembed=True)",
            zh=f"{place_zh}是用嵌入模型 {old_zh}建的，现在是 {new_zh.strip()}：请换回前者，"
            "或用 `memory-secretary memory reindex` 或 open(…, reembed=True) 重新嵌入全部内容",
        )


def _sized(name: str | None, dimension: int | None) -> tuple[str, str]:
    """An embedder's name with its size, where that is known, in both languages."""
    if dimension is None:
        return str(name), f"{name} "
    return f"{name} of dimension {dimension}", f"{name}（{dimension} 维）"


class EmbedderError(MemorySecretaryError):
    """The embedder failed or gave a vector that cannot be stored."""


class ModelError(MemorySecretaryError):
    """A chat or embedding server failed; the sentence names the cure."""


class ModelUnreachable(ModelError):
    """No answer from the server."""


class ModelMissing(ModelError):
    """The server does not have the model."""


class ModelRefused(ModelError):
    """The server refused the request (key, limits, malformed)."""


class ContextTruncated(ModelError):
    """The server read fewer prompt tokens than were sent: its window is smaller than ours."""


class SettingsError(MemorySecretaryError, ValueError):
    """A setting is unknown or out of range."""
