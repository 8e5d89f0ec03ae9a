"""`membrane demo`, the first command of the README."""

import subprocess

import pytest

from tests.e2e.stack import MEMBRANE


@pytest.fixture(scope="module")
def shown() -> str:
    """What it prints, with its lines broken nowhere."""
    done = subprocess.run([MEMBRANE, "demo"], capture_output=True, text=True, check=True)
    return " ".join(done.stdout.split())


@pytest.mark.parametrize(
    "text",
    [
        "User asked to refactor auth module",
        "prefers_language",
        "session-42: executing",
        "hash chain, verified",
        "Outcome recorded",
        "201, then 200",
        "400 INVALID_ARGUMENT",
        "sensitivity must be one of: public, low, medium, high, hyper",
    ],
)
def test_the_demo_shows_records_audit_replay_and_refusal(shown: str, text: str) -> None:
    assert text in shown


@pytest.mark.parametrize(
    "text",
    [
        "1 h 0.5 0.5 0.5",
        "2 h 0.25 0.25 0.125",
        "5 h 0.03125 0.03125 3.05e-05",
        "10 h 0.0009765625 0.0009765625 2.78e-17",
        "pruned nothing: 0.001 is left after 35877 s",
        "Decay after 10 h: 1 episodic record pruned. Reading it is 404 NOT_FOUND now",
        "decay-service",
        "salience 0.00722656 now",
        "0.03125 -> 0.2313",
    ],
)
def test_its_last_act_shows_how_one_event_is_forgotten_and_another_is_not(
    shown: str, text: str
) -> None:
    assert text in shown


def test_the_audit_that_survives_is_verified_too(shown: str) -> None:
    assert shown.count("a hash chain, verified") == 2
    assert shown.index("Decay after 10 h") < shown.rindex("a hash chain, verified")
