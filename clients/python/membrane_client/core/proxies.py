"""The proxy that the environment names for an address: none for this machine; errors name it."""

from ipaddress import ip_address
from urllib.parse import urlsplit

from membrane_client.errors import APIError, MembraneError


def with_proxy(error: MembraneError, url: str) -> MembraneError:
    """The error; the message names the proxy unless the service itself refused the request."""
    is_of_service = isinstance(error, APIError) and bool(error.code)
    if not is_of_service and (proxy := environment_proxy(url)):
        error.args = (f"{error} (the environment names the proxy {proxy})",)
    return error


def environment_proxy(url: str) -> str | None:
    """The proxy for the address, without a password; None without a proxy."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - failures alone ask

    parts, proxies = urlsplit(url), getproxies()
    proxy = proxies.get(parts.scheme) or proxies.get("all")
    if not proxy or is_loopback(parts.hostname) or proxy_bypass(parts.netloc):
        return None
    scheme, mark, rest = proxy.rpartition("://")
    return f"{scheme}{mark}{rest.rpartition('@')[2]}"


def is_loopback(host: str | None) -> bool:
    """Whether the host is this machine by its loopback interface."""
    if host in {"localhost", "localhost."}:
        return True
    try:
        address = ip_address(host or "")
    except ValueError:
        return False
    # before Python 3.13, an IPv4 address within IPv6 was no loopback address
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
