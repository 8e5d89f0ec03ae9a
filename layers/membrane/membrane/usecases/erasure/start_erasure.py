"""Start an erasure."""

from membrane.domain.erasure.jobs import Job
from membrane.domain.erasure.requests import StartErasure
from membrane.domain.erasure.targets import Target, TargetKind
from membrane.domain.language.errors import (
    AlreadyExists,
    InvalidArgument,
    NotFound,
    PermissionDenied,
)
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.records.idempotency import keyed_id
from membrane.usecases.erasure.read_erasure import job_reply
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.machinery.walks import admit_walk
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import REUSED


def start_erasure(request: StartErasure, call: Call, world: World) -> ReplyBody:
    """Keep the job and start it; a repeat under an idempotency key returns the job as it is.

    Raises PermissionDenied for a key without the rights over what the request names, NotFound for
    an id without a visible record or topic, InvalidArgument unless the request has one target, and
    AlreadyExists for a key reused with a different request.
    """
    target = _target_of(request, call)
    _require_rights(target, call, world)
    erasure_id = world.new_id() if call.key is None else _keyed_id(call)
    job = Job(
        id=erasure_id,
        target=target,
        target_sha256=target.sha256(erasure_id),
        reason=request.reason,
        principal=call.principal,
        actor_id=call.principal.actor_id,
        owner=call.principal.identity,
        is_dry_run=request.dry_run,
        started_at=rfc3339(world.now()),
    )
    replayed = False
    matter = target.as_json()
    if not target.scope:  # the same subject in other scopes is another matter
        matter["scopes"] = sorted(call.principal.scopes)
    admit_walk(
        "dry run" if job.is_dry_run else "erasure",
        matter,
        job.id,
        is_running=lambda earlier: _is_running(earlier.id, world),
        call=call,
        world=world,
    )
    try:
        world.erasures.keep(job.as_json(), None, is_open=True)
    except LostRace:
        job, replayed = _earlier_job(job, world), True
    if not job.is_done:
        world.start_erasing(job.id)
    return ReplyBody(job_reply(job), replayed=replayed)


def _is_running(erasure_id: str, world: World) -> bool | None:
    kept = world.erasures.find(erasure_id)
    return None if kept is None else not Job.of_json(kept.progress).is_done


def _target_of(request: StartErasure, call: Call) -> Target:
    """The target; a user has narrowed the principal to the user's scope before.

    Raises InvalidArgument unless the request has one target. A blank subject is no target: a caller
    that lost a name must not erase a whole scope.
    """
    if request.subject is not None and not request.subject.strip():
        raise InvalidArgument("subject must not be blank: leave subject out").at("subject")
    scope, subject = request.scope or call.principal.user_scope, (request.subject or "").strip()
    if request.ids:
        if request.scope or subject:
            raise InvalidArgument("ids stand alone: leave scope and subject out").at("ids")
        return Target(TargetKind.IDS, ids=frozenset(request.ids))
    if subject:
        return Target(TargetKind.SUBJECT, scope=scope, subject=subject)
    if not scope:
        raise InvalidArgument("scope, user, subject or ids is required").at("scope")
    return Target(TargetKind.SCOPE, scope=scope)


def _require_rights(target: Target, call: Call, world: World) -> None:
    principal = call.principal
    principal.require(Permission.ADMIN)
    if target.kind is TargetKind.IDS:
        _require_ids(target, call, world)
        return
    if principal.ceiling is not Sensitivity.HYPER:
        raise PermissionDenied(
            f"an erasure by scope or subject needs a key up to {Sensitivity.HYPER}"
        )
    if target.scope:
        principal.require_write(target.scope, principal.ceiling)


def _require_ids(target: Target, call: Call, world: World) -> None:
    ids = sorted(target.ids)
    records = world.records.load_own(ids)
    topics = world.topics.load_all([each for each in ids if each not in records])
    for each in ids:
        held = records.get(each) or topics.get(each)
        if held is None or not call.principal.trust.allows(held.scope, held.sensitivity):
            raise NotFound(f"no record or topic {each}")
        call.principal.require_write(held.scope, held.sensitivity)


def _keyed_id(call: Call) -> str:
    return keyed_id(call.principal.identity, call.rpc, call.key or "")


def _earlier_job(repeat: Job, world: World) -> Job:
    """The job under the key of the repeat; after its end it has the digest of the target alone."""
    kept = world.erasures.find(repeat.id)
    job = None if kept is None else Job.of_json(kept.progress)
    if job is None or _request_of(job) != _request_of(repeat):
        raise AlreadyExists(REUSED)
    return job


def _request_of(job: Job) -> tuple[str, str, bool]:
    return job.target_sha256, job.reason, job.is_dry_run
