"""Credentials of usual forms leave a text, and the rest of the text stays."""

import pytest

from membrane_cli.hooks import without_credentials


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
        ("postgres://u:p@ss@host/x a@b", "postgres://[removed]@host/x a@b"),
        ('["redis://:p@h","a@b"]', '["redis://[removed]@h","a@b"]'),
        ("hf_" + "a" * 34 + " works", "[removed] works"),
        ("rk_live_" + "a" * 24, "[removed]"),
        ("whsec_" + "a" * 32, "[removed]"),
        (f"SG.{'a' * 22}.{'b' * 43}", "[removed]"),
        ("dckr_pat_" + "a" * 27, "[removed]"),
        (f"ATATT3xFfGF0{'a' * 40}=1A2B3C4D", "[removed]"),
        ("https://hooks.slack.com/services/T0/B0/abcdefgh", "https://[removed]"),
        ("AccountName=x;AccountKey=ab/c==;", "AccountName=x;AccountKey=[removed]"),
        ("private_key: x", "private_key: [removed]"),
        ("npm_" + "a" * 36, "[removed]"),
        ("pypi-AgEIcHlwaS5vcmcCJ", "[removed]"),
        ("**Password:** x y", "**Password:** [removed] y"),
        ("**Password**: x", "**Password**: [removed]"),
        ("`password`: `x y` z", "`password`: [removed] z"),
        ("| user | bob |\n| password | x |\n", "| user | bob |\n| password | [removed] |\n"),
        ("| **DB token** | `x` |", "| **DB token** | [removed] |"),
        ("run --api-key x --n 1", "run --api-key [removed] --n 1"),
        ("run --token x", "run --token [removed]"),
        ("run --db-password 'x y' z", "run --db-password [removed] z"),
        (r'{\"password\": \"x y\", \"n\": 1}', r'{\"password\": [removed], \"n\": 1}'),
        (r'{"password": "x\"y", "n": 1}', '{"password": [removed], "n": 1}'),
        ('password: "x y', "password: [removed]"),
        ("password => x", "password => [removed]"),
        ("password := x", "password := [removed]"),
        ("password == x", "password == [removed]"),
        ("DB_PASS=x next", "DB_PASS=[removed] next"),
        ("?user=a&pass=x", "?user=a&pass=[removed]"),
        ("pwd=x", "pwd=[removed]"),
        ("passphrase: x", "passphrase: [removed]"),
    ],
)  # fmt: skip
def test_a_credential_is_removed(text: str, clean: str) -> None:
    assert without_credentials(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        *("a slow tokenizer", "reset the password page", "https://a.example/b@c", "task-force"),
        *("a = b", "the password is stored hashed", "pass the salt", "all tests pass: 12"),
        *("PASS=12 FAIL=0", "bypass: north", "test_pass_rate = 1", "token::Kind", "token != other"),
        *("--token is required", "give --token to the client", "--token --verbose"),
        "--token-limit 5",
        *("| user | role |", "| user | password | role |", "| token | a piece of a word |"),
        *("| token | meaning |\n|---|---|\n", "hf_hub_download", "npm_config_registry"),
        *("pypi-publish-workflow", "https://a.example and b@c"),
    ],
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
        "--token" * 7_000,
        "--token " * 6_000,
        "token-" * 8_000,
        "_pass" * 10_000,
        'password: "' + "\\" * 50_000,
        'password="' * 5_000,
        "| password | " * 4_000,
        "| password | x |\n" * 3_000,
        "|" + " " * 50_000,
        "x://" + "a@" * 25_000,
    ):
        assert without_credentials(text)  # a search that explodes meets the suite's limit
