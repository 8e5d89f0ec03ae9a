"""`membrane demo`, the first command of the README."""

import subprocess

from tests.e2e.stack import MEMBRANE


def test_the_demo_shows_records_audit_replay_and_refusal() -> None:
    shown = subprocess.run([MEMBRANE, "demo"], capture_output=True, text=True, check=True).stdout

    for text in (
        "User asked to refactor auth module",
        "prefers_language",
        "session-42: executing",
        "hash chain, verified",
        "Outcome recorded",
        "201, then 200",
        "400 INVALID_ARGUMENT",
        "sensitivity must be one of: public, low, medium, high, hyper",
    ):
        assert text in " ".join(shown.split()), text
