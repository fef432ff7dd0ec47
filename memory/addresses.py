"""Addresses of model servers: what a user wrote is understood or refused, never guessed."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from memory_secretary.memory.errors import SettingsError

_OLLAMA_PORT = 11434
_HOST = re.compile(r"[\w.:%-]+")
"""A name in any script or a number; a full-width colon or comma is no part of one."""


def checked_url(url: str, name: str = "", example: str = f"http://127.0.0.1:{_OLLAMA_PORT}") -> str:
    """``url`` if it is one: clients fall back to localhost without a word when it is not.

    Args:
        url: what was given.
        name: the variable that it was given in, for the error.
        example: what it should look like.

    Raises:
        SettingsError: no ``http://`` or ``https://`` in front, no host, or a port that is none.
    """
    if not _is_address(url):
        where = f"{name}={url!r}" if name else repr(url)
        msg = f"{where} is not the address of a server: write it like {example}"
        raise SettingsError(msg, zh=f"{where} 不是服务的地址：请写成 {example} 这样")
    return url.rstrip("/")


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return bool(
            parts.scheme in ("http", "https")
            and _HOST.fullmatch(parts.hostname or "")
            and (parts.port is None or parts.port > 0)
            and not any(sign.isspace() for sign in url)
        )
    except ValueError:
        return False


def ollama_url(host: str) -> str:
    """What ``OLLAMA_HOST`` means to a client: scheme and port may be left out, 0.0.0.0 is this machine.

    Raises:
        SettingsError: it cannot be understood; the sentence has what was given, and how it is written.
    """
    bare = host.strip().strip("\"'")
    url = bare.replace("://0.0.0.0", "://127.0.0.1") if "://" in bare else _with_scheme_and_port(bare)
    return checked_url(url) if _is_address(url) else checked_url(host, "OLLAMA_HOST")


def _with_scheme_and_port(bare: str) -> str:
    """The address that is meant; empty where a scheme was begun, or a colon has no port behind it."""
    address, slash, path = bare.partition("/")
    name, colon, port = (address, "", "") if address.endswith("]") else address.rpartition(":")
    if path.startswith("/") or (colon and not port):
        return ""
    if not colon:
        name, port = address, str(_OLLAMA_PORT)
    local = name in ("", "0.0.0.0", "[::]")
    return f"http://{'127.0.0.1' if local else name}:{port}{slash}{path}"
