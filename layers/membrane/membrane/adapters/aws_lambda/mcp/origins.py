"""The Origin and Host of a request.

A page of a foreign site must not reach a server by a name that the site has pointed at the server
(DNS rebinding).
"""

from collections.abc import Collection, Mapping
from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_foreign(headers: Mapping[str, str], domain: str, allowed: Collection[str] = ()) -> bool:
    """Whether a browser sent the request for a page of a foreign site.

    `domain` is the name under which the server answers, and `allowed` are further origins. A server
    on loopback answers under each name of loopback, and under no other name.
    """
    own = _host(f"//{domain}")
    names = LOOPBACK if own in LOOPBACK else (own,)
    if own in LOOPBACK and _host(f"//{headers.get('host', domain)}") not in LOOPBACK:
        return True
    origin = headers.get("origin")
    return origin is not None and origin not in allowed and _host(origin) not in names


def _host(address: str) -> str:
    """The host of an address; empty for an address without a readable host."""
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""
