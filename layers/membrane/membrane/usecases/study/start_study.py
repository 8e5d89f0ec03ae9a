"""Start the study of a document."""

import hashlib

from membrane.domain.language.errors import AlreadyExists, FailedPrecondition, NotConfigured
from membrane.domain.language.json_text import parse_json
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.values import LargeValue, references_in
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.records.idempotency import keyed_id
from membrane.domain.study.jobs import Job, Purpose, StudyStage, document_id
from membrane.domain.study.requests import StartStudy
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.records import LostRace
from membrane.usecases.ports.world import World
from membrane.usecases.records.creating import REUSED
from membrane.usecases.records.resolve_references import resolve_references
from membrane.usecases.study.document_topics import SHA256_FIELD, find_document_topic
from membrane.usecases.study.read_study import job_reply

MAX_ERASURES = 16


def start_study(request: StartStudy, call: Call, world: World) -> ReplyBody:
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
    job_id = new_job_id(call, world)
    text = _text_of(request, job_id, call, world)
    content = text.encode()
    now = world.now()
    job = Job(
        id=job_id,
        purpose=Purpose.STUDY,
        document=document,
        title=request.title,
        source=request.source,
        scope=scope,
        sensitivity=sensitivity,
        principal=call.principal,
        fingerprint=call.fingerprint.hex(),
        with_model=with_model,
        sha256=hashlib.sha256(content).hexdigest(),
        characters=len(text),
        started_at=rfc3339(now),
        updated_at=rfc3339(now),
        expires_at_s=int(epoch_seconds(now + world.retention.export)),
        stage=StudyStage.PREPARING,
    )
    return begin_job(job, world, content)


def begin_job(job: Job, world: World, text: bytes | None = None) -> ReplyBody:
    """Keep the text and the new job, and start the job; a repeat starts the earlier job again.

    The first call may have ended before the start. Raises AlreadyExists for an idempotency key that
    was used for a different request.
    """
    replayed = False
    if text is not None and world.studies.find(job.id) is None:
        world.blobs.write(job.text_object, text)
    try:
        world.studies.keep(job, None)
    except LostRace:
        kept = world.studies.find(job.id)
        earlier = job if kept is None else Job.of_json(kept.progress)
        if earlier.fingerprint != job.fingerprint or earlier.purpose is not job.purpose:
            raise AlreadyExists(REUSED) from None
        job, replayed = earlier, True
    if not job.is_ended:
        start_execution(job, world)
    return ReplyBody(job_reply(job), replayed=replayed)


def start_execution(job: Job, world: World) -> None:
    """Start an execution for the job's present attempt, unless there is one."""
    world.start_execution(
        f"{job.id}-{job.attempt}", {"study": {"id": job.id, "attempt": job.attempt}}
    )


def new_job_id(call: Call, world: World) -> str:
    """The id of a new job, made from the idempotency key if there is one."""
    if call.key is None:
        return world.new_id()
    return keyed_id(call.principal.identity, call.rpc, call.key)


def _document_of(
    request: StartStudy, scope: str, sensitivity: Sensitivity, call: Call, world: World
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
    raise FailedPrecondition(f"the document was erased {MAX_ERASURES} times: name another source")


def _teller_of(topic: Topic) -> str:
    """The actor of the last edition; empty without one."""
    told = topic.fields.get(SHA256_FIELD)
    return "" if told is None or told.current is None else told.current.principal


def _with_model(request: StartStudy, world: World) -> bool:
    if request.with_model and world.chat_model is None:
        raise NotConfigured("with_model needs a model: the deployment's ChatModel is none")
    return world.chat_model is not None if request.with_model is None else request.with_model


def _text_of(request: StartStudy, job_id: str, call: Call, world: World) -> str:
    references = list(references_in(request))
    resolved, claimed = resolve_references(request, references, job_id, call, world)
    document = resolved.document
    if isinstance(document, LargeValue):
        document = parse_json(claimed.values[document])
    return str(document)
