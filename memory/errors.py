"""The errors of the memory, each with a sentence that names the cure."""

from __future__ import annotations

from memory_secretary.memory.bilingual import Lang, spoken
from memory_secretary.memory.program import as_typed


class MemorySecretaryError(Exception):
    """Base of every error this package raises on purpose.

    ``str(error)`` is the sentence in the language that was spoken where the error was raised: the user's within a
    run, elsewhere that of ``MEMORY_SECRETARY_LANG``, else English.

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
