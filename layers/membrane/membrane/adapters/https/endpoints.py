"""Addresses of other services: HTTPS, or HTTP on the same machine if allowed."""

from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

_PORTS = {"https": 443, "http": 80}


class Endpoint(NamedTuple):
    """The parts of an address."""

    host: str
    port: int
    target: str
    """Path and query."""
    is_secure: bool


def endpoint_at(url: str, *, allows_loopback: bool = False) -> Endpoint:
    """The endpoint of an address; raises ValueError for an address that may not be asked.

    With `allows_loopback`, an address of the same machine may be HTTP. The error never repeats the
    address, which may hold a password.
    """
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("must be a URL of visible ASCII characters")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ValueError("must be a URL with a host, and a port from 0 to 65535") from None
    is_local = parts.scheme == "http" and allows_loopback and is_loopback(host or "")
    if not host or not (parts.scheme == "https" or is_local):
        raise ValueError("must be a URL that begins with https:// and has a host")
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise ValueError("must be a URL without user, password and fragment")
    query = f"?{parts.query}" if parts.query else ""
    usual = _PORTS[parts.scheme]
    return Endpoint(host, port or usual, f"{parts.path or '/'}{query}", parts.scheme == "https")


def is_loopback(host: str) -> bool:
    """Whether the host is this machine by its loopback interface; a name is `localhost` alone."""
    if host in {"localhost", "localhost."}:
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    # before Python 3.13, an IPv4 address within IPv6 was no loopback address
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
