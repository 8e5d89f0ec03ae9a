"""Bound the jobs that walk over the whole table, whatever the scope of the key."""

from collections.abc import Callable
from datetime import timedelta
from typing import NamedTuple

from membrane.domain.access.principals import Principal
from membrane.domain.access.trust import ALL_SCOPES
from membrane.domain.language.errors import ResourceExhausted
from membrane.domain.language.json_text import JsonObject, compact_json, digest
from membrane.domain.language.timestamps import epoch_seconds
from membrane.table.keys import walk_key
from membrane.usecases.machinery.calls import Call, until_won
from membrane.usecases.ports.world import World

MAX_A_DAY = 50
"""Jobs that a key begins on a day: exports, erasures and dry runs together."""

RUNNING_S = 60
"""Seconds until a running job may have ended."""

KEPT = timedelta(days=2)
"""How long the counts stay."""

LATEST = "latest"
"""Names the newest job of a kind and matter, in place of a day."""


class Counted(NamedTuple):
    """A job that was counted: by whom, and when (seconds since the epoch)."""

    id: str
    owner: str
    counted_s: int


def admit_walk(
    what: str,
    matter: JsonObject,
    job_id: str,
    *,
    is_running: Callable[[Counted], bool | None],
    call: Call,
    world: World,
) -> None:
    """Count the job against the day of the key; a job that was counted before passes.

    `what` and `matter`: the kind of the job, and what the job is about, with the scopes.
    `is_running` answers None where there is no such job: another call may have counted the job and
    be about to keep it.

    Raises ResourceExhausted while an earlier job of the same kind and matter runs, by whatever key,
    and beyond MAX_A_DAY. A key for all scopes has no bound: the whole table is the key's own.
    """
    if ALL_SCOPES in call.principal.scopes:
        return
    of_matter = walk_key(digest(what, compact_json(matter)).hex(), LATEST)

    def attempt() -> None:
        now = world.now()
        of_day = walk_key(_walker(call.principal), now.date().isoformat())
        now_s, expires_at_s = int(epoch_seconds(now)), int(epoch_seconds(now + KEPT))
        kept = world.jobs.find(of_day)
        jobs: list[str] = [] if kept is None else kept.progress["jobs"]
        if job_id in jobs:
            return
        before = world.jobs.find(of_matter)
        latest = None if before is None else Counted(**before.progress)
        if latest is not None and latest.id != job_id:
            running = is_running(latest)
            if running or (running is None and now_s - latest.counted_s < RUNNING_S):
                own = f" {latest.id}" if latest.owner == call.principal.identity else ""
                busy = f"{what}{own} of the same scope runs; begin the next after the end"
                raise ResourceExhausted(busy, RUNNING_S)
        if len(jobs) >= MAX_A_DAY:
            midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
            spent = (
                f"the key has begun {MAX_A_DAY} exports and erasures today, and each reads the "
                "whole table; go on after midnight UTC, or with a key for all scopes"
            )
            raise ResourceExhausted(spent, int((midnight - now).total_seconds()) + 1)
        counted = Counted(job_id, call.principal.identity, now_s)
        world.jobs.keep(of_matter, counted._asdict(), before, expires_at_s)
        world.jobs.keep(of_day, {"jobs": [*jobs, job_id]}, kept, expires_at_s)

    until_won(attempt, world)


def _walker(principal: Principal) -> str:
    """The key, whichever user the request acts for."""
    rights = (principal.user_prefix,) if principal.user_prefix else principal.scopes
    return digest(principal.source, principal.actor_id, *rights).hex()
