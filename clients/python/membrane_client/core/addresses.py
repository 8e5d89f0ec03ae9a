"""Addresses: the URL of a service, the path and the query of a request, and the proxy for a URL."""

from collections.abc import Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from membrane_client.core.encoding import query_text, whole_text
from membrane_client.core.protocol import Texts
from membrane_client.errors import APIError, InvalidCall, MembraneError


def is_address(url: object) -> bool:
    """Whether the text is an absolute URL of HTTP without blanks."""
    if not isinstance(url, str) or not url.isprintable() or " " in url:
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def secure_address(url: str) -> str:
    """The address without a final slash; raises InvalidCall unless by HTTPS, or on this machine."""
    if is_address(url):
        parts = urlsplit(url)
        is_secure = parts.scheme == "https" or is_loopback(parts.hostname)
        if is_secure and not parts.query and not parts.fragment:
            return url.rstrip("/")
    raise InvalidCall(
        f"stream_url is {url!r}: expected an address that begins with https:// and has no query"
    )


def path_part(name: str, value: object) -> str:
    """An id as a segment, or a tuple of texts as a segment each."""
    segments = [str(each) for each in (value if isinstance(value, tuple) else (value,))]
    for text in segments:
        if text in {"", ".", ".."}:
            raise InvalidCall(f"{name} is {text!r}, which no path can hold")
    return "/".join(quote(whole_text(each), safe=":") for each in segments)


def with_query(path: str, fields: Mapping[str, Any]) -> str:
    pairs = [
        (name, query_text(each))
        for name, value in fields.items()
        for each in (value if isinstance(value, list | tuple | set | frozenset) else [value])
        if each is not None
    ]
    return f"{path}{'&' if '?' in path else '?'}{urlencode(pairs)}" if pairs else path


def document_path(namespace: Texts, key: str) -> tuple[str, ...]:
    """The segments of the path to a document: the labels of the namespace, and the key."""
    if not namespace:
        raise InvalidCall("namespace is empty: expected 1 to 16 labels")
    labels = [_encode("namespace", each) for each in namespace]
    return (*labels, _encode("key", key))


def require_labels(named: Mapping[str, Any]) -> None:
    """Raises InvalidCall for a text in the place of labels: each character would be a label."""
    for name in ("namespace", "namespace_prefix", "prefix", "suffix"):
        if isinstance(labels := named.get(name), str):
            raise InvalidCall(f"{name} is {labels!r}: expected a sequence of labels")


def _encode(name: str, text: object) -> str:
    """The label or the key, percent-encoded by itself.

    API Gateway decodes a path once, so the path is encoded once more on the way: "/" travels as
    "%252F". Raises InvalidCall for a name that no document has.
    """
    if not isinstance(text, str) or text in {"", ".", ".."}:
        raise InvalidCall(f"{name} has {text!r}: expected a text other than '', '.' and '..'")
    return quote(whole_text(text), safe="")


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
    if host in {"localhost", "localhost."}:
        return True
    try:
        address = ip_address(host or "")
    except ValueError:
        return False
    # before Python 3.13, an IPv4 address within IPv6 was no loopback address
    return (getattr(address, "ipv4_mapped", None) or address).is_loopback
