"""Start the study of a document, read, cancel and resume a job, and remove a document."""

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from membrane.domain.language import errors
from membrane.domain.language.fields import RECORD_ID
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.timestamps import epoch_seconds, from_epoch_seconds, rfc3339
from membrane.domain.language.values import LargeValue, references_in
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.study import requests
from membrane.domain.study.jobs import Job, Purpose, StudyStage, document_id
from membrane.domain.topics.titles import DOCUMENT
from membrane.domain.topics.topic import HIDDEN, Topic, TopicStatus
from membrane.table.items import Checkpoint, LostRace
from membrane.table.keys import study_key
from membrane.usecases.machinery.calls import Call, ReplyBody, until_won
from membrane.usecases.ports.world import World
from membrane.usecases.records.resolve_references import resolve_references
from membrane.usecases.records.write import REUSED
from membrane.usecases.study.document_topics import SHA256_FIELD, find_document_topic
from membrane.usecases.study.work import keep_study
from membrane.usecases.topics import loading

if TYPE_CHECKING:
    from membrane.domain.study.replies import State, StudyReply


MAX_ERASURES = 16


def start_study(request: requests.StartStudy, call: Call, world: World) -> ReplyBody:
    """Keep the text and the job, and start the job; a repeat under a key returns the job as it is.

    Raises PermissionDenied for a scope or a sensitivity that the key may not write, NotConfigured
    for `with_model` without a model, AlreadyExists for a key reused with a different request,
    FailedPrecondition for a document whose topic was merged into another topic, and the errors of
    `resolve_references` for an upload.
    """
    scope = call.principal.scope_for_writing(request.scope)
    sensitivity = request.sensitivity or world.policy.sensitivity
    call.principal.require_write(scope, sensitivity)
    with_model = _with_model(request, world)
    document = _document_of(request, scope, sensitivity, call, world)
    job = _new_job(
        Purpose.STUDY, document, call, world, title=request.title, place=(scope, sensitivity)
    )
    text = _text_of(request, job.id, call, world)
    content = text.encode()
    told = replace(
        job,
        source=request.source,
        with_model=with_model,
        sha256=hashlib.sha256(content).hexdigest(),
        characters=len(text),
    )
    return begin_job(told, world, content)


def _new_job(
    purpose: Purpose,
    document: str,
    call: Call,
    world: World,
    *,
    title: str,
    place: tuple[str, Sensitivity],
) -> Job:
    now, is_study = world.now(), purpose is Purpose.STUDY
    return Job(
        id=call.new_id(world),
        purpose=purpose,
        document=document,
        title=title,
        scope=place[0],
        sensitivity=place[1],
        principal=call.principal,
        fingerprint=call.fingerprint.hex(),
        started_at=rfc3339(now),
        updated_at=rfc3339(now),
        expires_at_s=int(epoch_seconds(now + world.retention.export)),
        stage=StudyStage.PREPARING if is_study else StudyStage.REMOVING,
    )


def begin_job(job: Job, world: World, text: bytes | None = None) -> ReplyBody:
    """Keep the text and the new job, and start the job; a repeat starts the earlier job again.

    The first call may have ended before the start. Raises AlreadyExists for an idempotency key that
    was used for a different request.
    """
    replayed = False
    if text is not None and world.jobs.find(study_key(job.id)) is None:
        world.blobs.write(job.text_object, text)
    try:
        keep_study(job, None, world.jobs)
    except LostRace:
        kept = world.jobs.find(study_key(job.id))
        earlier = job if kept is None else Job.of_json(kept.progress)
        if earlier.fingerprint != job.fingerprint or earlier.purpose is not job.purpose:
            raise errors.AlreadyExists(REUSED) from None
        job, replayed = earlier, True
    if not job.is_ended:
        start_execution(job, world)
    return ReplyBody(job_reply(job), replayed=replayed)


def start_execution(job: Job, world: World) -> None:
    """Start an execution for the job's present attempt, unless there is one."""
    world.start_execution(
        f"{job.id}-{job.attempt}", {"study": {"id": job.id, "attempt": job.attempt}}
    )


def _document_of(
    request: requests.StartStudy, scope: str, sensitivity: Sensitivity, call: Call, world: World
) -> str:
    """The id of the document's topic; after an erasure of the topic, a further id.

    Raises PermissionDenied for a document that another principal has told, without `revise`: an
    edition takes back what the edition before had. Raises FailedPrecondition for a merged topic.
    """
    name = request.source or request.title
    for generation in range(MAX_ERASURES):
        document = document_id(scope, sensitivity, name, generation)
        topic = find_document_topic(document, call.principal.trust, world.topics)
        if topic is None or topic.status is not TopicStatus.ERASED:
            if topic is not None and _teller_of(topic) != call.principal.actor_id:
                call.principal.require(Permission.REVISE)
            return document
    raise errors.FailedPrecondition(
        f"the document was erased {MAX_ERASURES} times: name another source"
    )


def _teller_of(topic: Topic) -> str:
    """The actor of the last edition; empty without one."""
    told = topic.fields.get(SHA256_FIELD)
    return "" if told is None or told.current is None else told.current.principal


def _with_model(request: requests.StartStudy, world: World) -> bool:
    if request.with_model and world.chat_model is None:
        raise errors.NotConfigured("with_model needs a model: the deployment's ChatModel is none")
    return world.chat_model is not None if request.with_model is None else request.with_model


def _text_of(request: requests.StartStudy, job_id: str, call: Call, world: World) -> str:
    references = list(references_in(request))
    resolved, claimed = resolve_references(request, references, job_id, call, world)
    document = resolved.document
    if isinstance(document, LargeValue):
        document = parse_json(claimed.values[document])
    return str(document)


def cancel_study(request: requests.CancelStudy, call: Call, world: World) -> ReplyBody:
    """Let the job take back all its writes; a repeat changes nothing.

    Raises NotFound; FailedPrecondition for a job at its end, and for a removal; Aborted.
    """

    def change(job: Job) -> Job:
        if job.is_cancelling and not job.is_ended:
            return job
        if job.purpose is Purpose.REMOVAL:
            raise errors.FailedPrecondition("a removal cannot be cancelled")
        stage = job.stage_at_work
        if stage in (StudyStage.DONE, StudyStage.CANCELLED):
            raise errors.FailedPrecondition(f"the study is {stage}: it cannot be cancelled")
        if stage is StudyStage.TIDYING:
            raise errors.FailedPrecondition(
                "the study is at its end: take the document back by POST /v1/studies/remove"
            )
        return replace(_next_attempt(job), is_cancelling=True)

    return _keep_change(request.id, change, call, world)


def resume_study(request: requests.ResumeStudy, call: Call, world: World) -> ReplyBody:
    """Go on with the job in a new execution, which replaces a present execution.

    Raises NotFound; FailedPrecondition for a finished or cancelled job; Aborted.
    """

    def change(job: Job) -> Job:
        if job.stage in (StudyStage.DONE, StudyStage.CANCELLED):
            raise errors.FailedPrecondition(f"the study is {job.stage}: there is nothing to resume")
        return _next_attempt(job)

    return _keep_change(request.id, change, call, world)


def _next_attempt(job: Job) -> Job:
    stage = job.stage_at_work
    return replace(
        job, stage=stage, stopped_at=None, failure="", waits_until=None, attempt=job.attempt + 1
    )


def _keep_change(job_id: str, change: Callable[[Job], Job], call: Call, world: World) -> ReplyBody:

    def keep() -> Job:
        job, kept = load_own_job(job_id, call, world)
        after = change(job)
        if after is not job:
            after = replace(after, updated_at=rfc3339(world.now()))
            keep_study(after, kept, world.jobs)
        return after

    job = until_won(keep, world)
    start_execution(job, world)
    return ReplyBody(job_reply(job))


def remove_document(request: requests.RemoveDocument, call: Call, world: World) -> ReplyBody:
    """Keep the job and start it; a repeat under a key returns the job as it is.

    Raises NotFound for an absent or hidden topic, InvalidArgument for a topic that stands for no
    document, FailedPrecondition for a topic that was merged into another topic, PermissionDenied,
    and AlreadyExists for a key reused with a different request.
    """
    topic = find_document_topic(request.document_id, call.principal.trust, world.topics)
    if topic is None or topic.status in HIDDEN:
        raise errors.NotFound(loading.NOT_FOUND)
    if topic.kind != DOCUMENT:
        raise errors.InvalidArgument("document_id is not the topic of a document").at("document_id")
    call.principal.require_write(topic.scope, topic.sensitivity)
    place = topic.scope, topic.sensitivity
    job = _new_job(Purpose.REMOVAL, topic.id, call, world, title=topic.title, place=place)
    return begin_job(replace(job, is_dry_run=request.dry_run), world)


NOT_FOUND = "study not found"


def read_study(request: requests.ReadStudy, call: Call, world: World) -> ReplyBody:
    """The job; raises NotFound for an absent job, and for the job of another principal."""
    job, _ = load_own_job(request.id, call, world)
    return ReplyBody(job_reply(job))


def load_own_job(job_id: str, call: Call, world: World) -> tuple[Job, Checkpoint]:
    """The job that the caller began; raises NotFound."""
    kept = world.jobs.find(study_key(job_id)) if RECORD_ID.fullmatch(job_id) else None
    job = None if kept is None else Job.of_json(kept.progress)
    if kept is None or job is None or job.principal.identity != call.principal.identity:
        raise errors.NotFound(NOT_FOUND)
    return job, kept


def job_reply(job: Job) -> "StudyReply":
    """The state of a job."""
    done, total = Counter(job.units_done), Counter(job.units)
    made, removed = Counter(job.made), Counter(job.removed)
    in_section = job.in_section if job.stage is StudyStage.STUDYING else 0
    reply: StudyReply = {
        "id": job.id,
        "purpose": job.purpose,
        "state": _state_of(job),
        "stage": job.stage_at_work,
        "document_id": job.document,
        "title": job.title,
        "source": job.source,
        "scope": job.scope,
        "sensitivity": job.sensitivity,
        "characters": job.characters,
        "sha256": job.sha256,
        "dry_run": job.is_dry_run,
        "with_model": job.with_model,
        "progress": {
            "sections": {"done": done["sections"], "total": total["sections"]},
            "paragraphs": {
                "done": done["paragraphs"] + in_section,
                "total": total["paragraphs"],
            },
            "sentences": {"done": done["sentences"], "total": total["sentences"]},
        },
        "made": {
            "topics": made["topics"],
            "fields": made["fields"],
            "revisions": made["revisions"],
            "unchanged": made["unchanged"],
            "withdrawn": made["withdrawn"],
            "links": made["links"],
            "partial": len(job.partial),
        },
        "removed": {
            "topics": removed["topics"],
            "revisions": removed["revisions"],
            "kept": removed["kept"],
        },
        "cost": {"questions": job.questions, "tokens": job.tokens},
        "started_at": job.started_at,
        "updated_at": job.updated_at,
        "expires_at": rfc3339(from_epoch_seconds(job.expires_at_s)),
    }
    if job.failure:
        reply["reason"] = job.failure
    if job.waits_until is not None:
        reply["waits_until"] = job.waits_until
    return reply


def _state_of(job: Job) -> "State":
    match job.stage:
        case StudyStage.DONE:
            return "done"
        case StudyStage.CANCELLED:
            return "cancelled"
        case StudyStage.FAILED:
            return "failed"
        case _:
            busy: State = "waiting" if job.waits_until is not None else "running"
            return "cancelling" if job.is_cancelling else busy
