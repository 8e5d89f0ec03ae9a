"""The proxy that the environment names for an address: none for this machine; errors name it."""

import re
from urllib.parse import urlsplit

from membrane_client.errors import APIError, MembraneError

_LOOPBACK = re.compile(r"localhost|::1|127(\.[0-9]{1,3}){3}")


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
    return bool(host and _LOOPBACK.fullmatch(host))
