"""Versions of the protocol: the current version, and the versions with a handshake."""

CURRENT = "2026-07-28"
"""Every request of the version names the version and the client's capabilities."""

HANDSHAKE_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
"""Versions that begin with `initialize`, the newest first."""

BEFORE_THE_HEADER = "2025-03-26"
"""The version of a request without version: the header is younger than the version."""

SUPPORTED = (CURRENT, *HANDSHAKE_VERSIONS)


def version_after_handshake(asked: str) -> str:
    """The version to which `initialize` agrees: `asked` if known, else the newest."""
    return asked if asked in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[0]
