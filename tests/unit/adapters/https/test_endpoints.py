"""Addresses of other services: HTTPS, or the same machine if allowed."""

import pytest

from membrane.adapters.https import Endpoint, endpoint_at


@pytest.mark.parametrize(
    ("url", "endpoint"),
    [
        ("https://a.example/v1/chat", Endpoint("a.example", 443, "/v1/chat", is_secure=True)),
        ("https://a.example:8443", Endpoint("a.example", 8443, "/", is_secure=True)),
        ("HTTPS://A.example/?v=1", Endpoint("a.example", 443, "/?v=1", is_secure=True)),
        ("https://[2001:db8::1]/x", Endpoint("2001:db8::1", 443, "/x", is_secure=True)),
    ],
)
def test_an_https_address_is_an_endpoint(url: str, endpoint: Endpoint) -> None:
    assert endpoint_at(url) == endpoint


@pytest.mark.parametrize(
    "host", ["localhost", "localhost.", "127.0.0.1", "127.1.2.3", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_http_is_for_the_same_machine_and_only_if_allowed(host: str) -> None:
    url = f"http://{host}:11434/v1/chat/completions"

    assert endpoint_at(url, allows_loopback=True).port == 11434
    with pytest.raises(ValueError, match="https"):
        endpoint_at(url)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "a.example",
        "https://",
        "https:///v1",
        "ftp://a.example",
        "file:///etc/passwd",
        "http://a.example/v1",
        "http://10.0.0.1/v1",
        "http://169.254.169.254/latest",
        "http://localhost.a.example/",
        "http://127.0.0.1.a.example/",
        "http://0.0.0.0/",
        "https://user:secret@a.example/",
        "https://a.example/#secret",
        "https://a.example:port/secret",
        "https://a.example:99999/secret",
        "https://[secret/",
        "https://a.example/secret\r\nX: y",
        "https://a.example/se cret",
        "https://ä.example/secret",
    ],
)
def test_any_other_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(ValueError, match="must be a URL") as caught:
        endpoint_at(url, allows_loopback=True)

    assert "secret" not in str(caught.value)
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
