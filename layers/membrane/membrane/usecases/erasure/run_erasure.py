"""Carry out an erasure, page by page; a run may end anywhere, and the next run goes on.

The findings of a page are kept before the first of them is removed, so a run after a killed run
removes, and counts, the same findings. A fence keeps writers out of an erased scope. After the
first removing walk the job waits until every writer knows the fence, and then walks until a walk
finds nothing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain

from membrane.domain.erasure.jobs import Finding, Job, Stage, certificate_of, what_stays
from membrane.domain.erasure.targets import Action, TargetKind
from membrane.domain.language.json_text import canonical_json
from membrane.domain.language.timestamps import epoch_seconds, rfc3339, seconds_of
from membrane.table.items import LostRace
from membrane.usecases.erasure.remove_findings import remove_elsewhere, remove_findings
from membrane.usecases.erasure.verdicts import findings_of
from membrane.usecases.machinery.calls import IsOutOfTime
from membrane.usecases.ports.world import World

LONGEST_CALL_S = 30.0
WRITER_PAUSE_S = 1.0
"""Seconds between two looks at a change of topics whose writer may be at work."""

IMPORT_PAUSE_S = 15.0
"""Seconds between two looks at a file whose import is under way."""


def run_erasure(erasure_id: str, world: World, is_out_of_time: IsOutOfTime) -> bool:
    """Go on with the job; whether work is left.

    Nothing is left for this run if a different run works on the job. Raises ResourceExhausted and
    Unavailable.
    """
    kept = world.erasures.find(erasure_id)
    if kept is None:
        return False
    world = world.but(
        records=world.records.without_fences(),
        topics=world.topics.without_fences(),
    )
    job = Job.of_json(kept.progress)
    try:
        while not job.is_done:
            if is_out_of_time():
                return True
            job = _after_next_step(job, world)
            kept = world.erasures.keep(job.as_json(), kept, is_open=not job.is_done)
    except LostRace:
        pass
    return False


def _after_next_step(job: Job, world: World) -> Job:
    match job.stage:
        case Stage.CERTIFIED:
            return _end(job, world)
        case Stage.EMPTIED:
            return _after_clean_walk(job, world)
        case _:
            return _after_next_page(job, world)


def _after_next_page(job: Job, world: World) -> Job:
    if job.after is None and job.target is not None and _has_fence(job) and not job.is_dry_run:
        world.fences.put(job.target.scope, job.id)
    page = world.erasures.walk(job.after)
    found, damaged, spellings = findings_of(page.traces, job, world)
    unreadable = page.unreadable + damaged + (0 if job.after is None else job.unreadable)
    job = replace(job, unreadable=unreadable)
    if job.stage is Stage.LISTING:
        if found:
            world.erasures.keep_findings(job.id, job.parts, found)
        job = job.with_part(found).with_spellings(spellings)
    else:
        job = _with_settled(page.unsettled, _with_removed(found, job, world), world)
    job = replace(job, after=page.next)
    return job if page.next is not None else _after_walk(job, world)


def _has_fence(job: Job) -> bool:
    return job.target is not None and job.target.kind is TargetKind.SCOPE


def _with_removed(found: list[Finding], job: Job, world: World) -> Job:
    """The job after the removal of the findings, and of those that a killed run has kept."""
    kept = world.erasures.findings(job.id, job.parts)
    wanted = [each for each in found if each.action is not Action.KEEP]
    wanted = [each for each in wanted if each.id not in job.refused]
    several = [*{(each.kind, each.id): each for each in (*wanted, *kept)}.values()]
    if several:
        world.erasures.keep_findings(job.id, job.parts, several)
        removed = remove_findings(several, job, world)
        world.erasures.keep_findings(job.id, job.parts, removed)
        refused = [each.id for each in removed if each.action is Action.KEEP]
        return replace(job.with_part(removed), refused=(*job.refused, *refused))
    return job


def _with_settled(unsettled: Sequence[tuple[str, float]], job: Job, world: World) -> Job:
    """The job after unfinished changes of topics are settled: the next walk meets what they left.

    Only changes begun before all writers knew the fence may be of the target. A writer at work for
    longer than LONGEST_CALL_S is gone.
    """
    now_s = epoch_seconds(world.now())
    waited_s = now_s if job.waited_at is None else seconds_of(job.waited_at)
    earlier = [(token, begun_s) for token, begun_s in unsettled if begun_s <= waited_s]
    lost = [token for token, begun_s in earlier if now_s - begun_s >= LONGEST_CALL_S]
    for token in lost:
        world.topics.long.settle(token)
    if earlier and not lost:
        world.pause(WRITER_PAUSE_S)
    return replace(job, in_walk=job.in_walk + len(earlier))


def _after_walk(job: Job, world: World) -> Job:
    """The job at the end of a walk: listed, ready for the next walk, or done."""
    is_clean = not job.in_walk and job.waited_at is not None and job.stage is Stage.REMOVING
    if is_clean:
        return _after_clean_walk(job, world)
    if job.stage is Stage.LISTING and job.is_dry_run:
        return replace(job, stage=Stage.CERTIFIED, done_at=rfc3339(world.now()))
    if job.stage is Stage.LISTING:
        job = replace(job, stage=Stage.REMOVING, first_removed=job.parts)
    else:
        job = _with_wait(job, world)
    return replace(job, walks=job.walks + 1, in_walk=0)


def _with_wait(job: Job, world: World) -> Job:
    """The job once every writer knows the fence."""
    if job.waited_at is not None:
        return job
    if _has_fence(job):
        world.pause(world.fence_wait_s)
    return replace(job, waited_at=rfc3339(world.now()))


def _after_clean_walk(job: Job, world: World) -> Job:
    """The job with a certificate, unless there was something to remove outside the table.

    A removal is followed by another walk; a file whose import is under way by another look.
    """
    removed, is_waiting = remove_elsewhere(job, world)
    is_first_look = job.stage is Stage.REMOVING
    if is_first_look and not removed and not is_waiting:
        return _certify(job, world)
    if removed:
        world.erasures.keep_findings(job.id, job.parts, removed)
    elif is_waiting:
        world.pause(IMPORT_PAUSE_S)
    stage = Stage.EMPTIED if is_waiting else Stage.REMOVING
    return replace(job.with_part(removed), stage=stage, walks=job.walks + 1, in_walk=0)


def _certify(job: Job, world: World) -> Job:
    done_at = rfc3339(world.now())
    stays = what_stays(world.retention, world.recovery_days)
    removed = _distinct(job, job.removal_parts, world)
    certificate = certificate_of(job, chain.from_iterable(removed), done_at, stays)
    signature = world.signer.sign(canonical_json(certificate))
    world.erasures.keep_certificate(
        job.id, {"certificate": certificate, "signature": signature._asdict()}
    )
    return replace(job, stage=Stage.CERTIFIED, done_at=done_at)


def _end(job: Job, world: World) -> Job:
    """The job without the names of scope and subject; the fence is gone."""
    for parts in (job.listing_parts, job.removal_parts):
        for part, findings in zip(parts, _distinct(job, parts, world), strict=True):
            listed = [each for each in findings if each.is_listed]
            world.erasures.keep_findings(job.id, part, listed)
    world.fences.remove(job.id)
    return job.without_names()


def _distinct(job: Job, parts: range, world: World) -> Iterator[list[Finding]]:
    """The findings of each list without those of the lists before: a later walk may find again."""
    met: set[tuple[str, str]] = set()
    for part in parts:
        found = world.erasures.findings(job.id, part)
        yield [each for each in found if (each.kind, each.id) not in met]
        met.update((each.kind, each.id) for each in found)
