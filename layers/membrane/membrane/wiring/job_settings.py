"""Settings of erasures and studies; the functions of the jobs read them."""

from collections.abc import Mapping
from dataclasses import dataclass

from membrane.adapters.dynamodb.erasure.fences import FENCE_PERIOD_S
from membrane.wiring.environment import Reader, number, whole

LONGEST_CALL_S = 29
"""Seconds between the look at the fences and the last write of a call, at most."""


@dataclass(frozen=True, slots=True)
class JobSettings:
    """The operator's settings of jobs."""

    erase_function: str
    """The name of the function that carries out erasures."""
    recovery_days: int
    fence_wait_s: float
    dead_letters: tuple[str, ...]
    """The addresses of the dead-letter queues."""
    study_machine: str
    """The ARN of the state machine; empty in functions that start no execution."""


def read_job_settings(environment: Mapping[str, str]) -> JobSettings:
    """Raises SettingError."""
    reader = Reader(environment)
    usual_wait_s = FENCE_PERIOD_S + LONGEST_CALL_S
    return JobSettings(
        erase_function=reader.read("ERASE_FUNCTION", "", str),
        recovery_days=reader.read("RECOVERY_DAYS", 35, whole(1, 35)),
        fence_wait_s=reader.read("FENCE_WAIT_SECONDS", usual_wait_s, number(0.0, 300.0)),
        dead_letters=reader.read("DEAD_LETTERS", "", lambda value: tuple(value.split())),
        study_machine=reader.read("STUDY_MACHINE", "", str),
    )
