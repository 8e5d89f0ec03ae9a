"""Bound the jobs that walk over the whole table, whatever the scope of the key."""

from collections.abc import Callable
from datetime import timedelta

from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.digests import digest
from membrane.domain.language.errors import ResourceExhausted
from membrane.domain.language.json_text import JsonObject, compact_json
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.retries import until_won
from membrane.usecases.ports.services import Services

MAX_A_DAY = 50
"""Jobs that a key begins on a day: exports, erasures and dry runs together."""

RUNNING_S = 60
"""Seconds until a running job may have ended."""


def admit_walk(
    what: str,
    matter: JsonObject,
    job_id: str,
    *,
    is_running: Callable[[str], bool],
    call: Call,
    services: Services,
) -> None:
    """Count the job against the day of the key; a job that was counted before passes.

    `what` and `matter`: the kind of the job, and what the job is about. Raises ResourceExhausted
    while an earlier job of the same kind and matter runs, and beyond MAX_A_DAY. A key for all
    scopes has no bound: the whole table is the key's own.
    """
    if ALL_SCOPES in call.principal.scopes:
        return
    same, owner = digest(what, compact_json(matter)).hex(), call.principal.identity

    def attempt() -> None:
        now = services.now()
        day = now.date().isoformat()
        kept = services.walks.find(owner, day)
        jobs: dict[str, str] = {} if kept is None else kept.progress
        if job_id in jobs:
            return
        earlier = [each for each, about in jobs.items() if about == same]
        if earlier and is_running(earlier[-1]):
            running = f"{what} {earlier[-1]} of the same scope runs; begin the next after the end"
            raise ResourceExhausted(running, RUNNING_S)
        if len(jobs) >= MAX_A_DAY:
            midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
            spent = (
                f"the key has begun {MAX_A_DAY} exports and erasures today, and each reads the "
                "whole table; go on after midnight UTC, or with a key for all scopes"
            )
            raise ResourceExhausted(spent, int((midnight - now).total_seconds()) + 1)
        services.walks.keep(owner, day, {**jobs, job_id: same}, kept)

    until_won(attempt, services)
