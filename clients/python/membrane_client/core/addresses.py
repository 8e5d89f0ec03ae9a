"""Addresses: the URL of a service, and the path and the query of a request."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from membrane_client.core.encoding import query_text, whole_text
from membrane_client.core.parameters import Texts
from membrane_client.core.proxies import is_loopback
from membrane_client.errors import InvalidCall


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
    segments = value if isinstance(value, tuple) else (value,)
    return "/".join(_segment(name, str(each)) for each in segments)


def _segment(name: str, text: str) -> str:
    if text in {"", ".", ".."}:
        raise InvalidCall(f"{name} is {text!r}, which no path can hold")
    return quote(whole_text(text), safe=":")


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
