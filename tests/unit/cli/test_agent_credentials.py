"""Credentials of usual forms leave a text, and the rest of the text stays."""

import pytest

from membrane_cli.hooks.credentials import without_credentials


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("key AKIAIOSFODNN7EXAMPLE.", "key [removed]."),
        ("ghp_" + "a" * 36, "[removed]"),
        ("sk-ant-api03-" + "b" * 40 + " works", "[removed] works"),
        ("xoxb-1234567890-abc", "[removed]"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "[removed]"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMII\n-----END RSA PRIVATE KEY-----\nb", "[removed]\nb"),
        ("-----BEGIN PRIVATE KEY-----\nMII cut", "[removed]"),
        ("Authorization: Bearer abcdefgh.12345", "Authorization: Bearer [removed]"),
        ("DB_PASSWORD=hunter2 next", "DB_PASSWORD=[removed] next"),
        ('{"apiKey": "x y", "n": 1}', '{"apiKey": [removed], "n": 1}'),
        ("client-secret: 'abc'", "client-secret: [removed]"),
        ("postgres://app:pw@db/x", "postgres://[removed]@db/x"),
    ],
)  # fmt: skip
def test_a_credential_is_removed(text: str, clean: str) -> None:
    assert without_credentials(text) == clean


@pytest.mark.parametrize(
    "text",
    ["a slow tokenizer", "reset the password page", "https://a.example/b@c", "task-force", "a = b"],
)  # fmt: skip
def test_other_text_stays(text: str) -> None:
    assert without_credentials(text) == text


def test_a_text_made_to_slow_the_search_is_searched_quickly() -> None:
    for text in (
        "password" * 6_000,
        "a" * 50_000,
        "token" + " " * 50_000,
        "x://" * 12_000,
        "-----BEGIN " * 4_000,
    ):
        assert without_credentials(text)  # a search that explodes meets the suite's limit
