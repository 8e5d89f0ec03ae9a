"""Versions of the protocol: the stateless version, and versions that begin with `initialize`."""

from typing import Any

STATELESS = "2026-07-28"

WITH_HANDSHAKE = ("2025-11-25", "2025-06-18", "2025-03-26")
"""The newest first. A client initializes, and the server keeps no session."""

SUPPORTED = (STATELESS, *WITH_HANDSHAKE)


def agreed_version(asked: Any) -> str:
    """The version that the answer to `initialize` names: the requested version if supported."""
    return asked if asked in WITH_HANDSHAKE else WITH_HANDSHAKE[0]
