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
from membrane.usecases.ports.services_study import StudyServices
from membrane.usecases.records.creating import REUSED
from membrane.usecases.records.resolve_references import resolve_references
from membrane.usecases.study.document_topics import SHA256_FIELD, find_document_topic
from membrane.usecases.study.read_study import job_reply

MAX_ERASURES = 16


def start_study(request: StartStudy, call: Call, services: StudyServices) -> ReplyBody:
    """Keep the text and the job, and start the job; a repeat under a key returns the job as it is.

    Raises PermissionDenied for a scope or a sensitivity that the key may not write, NotConfigured
    for `with_model` without a model, AlreadyExists for a key reused with a different request,
    FailedPrecondition for a document whose topic was merged into another topic, and the errors of
    `resolve_references` for an upload.
    """
    scope = call.principal.scope_for_writing(request.scope)
    sensitivity = request.sensitivity or services.policy.sensitivity
    call.principal.require_write(scope, sensitivity)
    with_model = _with_model(request, services)
    document = _document_of(request, scope, sensitivity, call, services)
    job_id = new_job_id(call, services)
    text = _text_of(request, job_id, call, services)
    content = text.encode()
    now = services.now()
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
        expires_at_s=int(epoch_seconds(now + services.retention.export)),
        stage=StudyStage.PREPARING,
    )
    return begin_job(job, services, content)


def begin_job(job: Job, services: StudyServices, text: bytes | None = None) -> ReplyBody:
    """Keep the text and the new job, and start the job; a repeat starts the earlier job again.

    The first call may have ended before the start. Raises AlreadyExists for an idempotency key that
    was used for a different request.
    """
    replayed = False
    if text is not None and services.studies.find(job.id) is None:
        services.blobs.write(job.text_object, text)
    try:
        services.studies.keep(job, None)
    except LostRace:
        kept = services.studies.find(job.id)
        earlier = job if kept is None else Job.of_json(kept.progress)
        if earlier.fingerprint != job.fingerprint or earlier.purpose is not job.purpose:
            raise AlreadyExists(REUSED) from None
        job, replayed = earlier, True
    if not job.is_ended:
        start_execution(job, services)
    return ReplyBody(job_reply(job), replayed=replayed)


def start_execution(job: Job, services: StudyServices) -> None:
    """Start an execution for the job's present attempt, unless there is one."""
    services.start_execution(
        f"{job.id}-{job.attempt}", {"study": {"id": job.id, "attempt": job.attempt}}
    )


def new_job_id(call: Call, services: StudyServices) -> str:
    """The id of a new job, made from the idempotency key if there is one."""
    if call.key is None:
        return services.new_id()
    return keyed_id(call.principal.identity, call.rpc, call.key)


def _document_of(
    request: StartStudy, scope: str, sensitivity: Sensitivity, call: Call, services: StudyServices
) -> str:
    """The id of the document's topic; after an erasure of the topic, a further id.

    Raises PermissionDenied for a document that another principal has told, without `revise`: an
    edition takes back what the edition before had. Raises FailedPrecondition for a merged topic.
    """
    name = request.source or request.title
    for generation in range(MAX_ERASURES):
        document = document_id(scope, sensitivity, name, generation)
        topic = find_document_topic(document, call.principal.trust, services.topics)
        if topic is None or topic.status is not TopicStatus.ERASED:
            if topic is not None and _teller_of(topic) != call.principal.actor_id:
                call.principal.require(Permission.REVISE)
            return document
    raise FailedPrecondition(f"the document was erased {MAX_ERASURES} times: name another source")


def _teller_of(topic: Topic) -> str:
    """The actor of the last edition; empty without one."""
    told = topic.fields.get(SHA256_FIELD)
    return "" if told is None or told.current is None else told.current.principal


def _with_model(request: StartStudy, services: StudyServices) -> bool:
    if request.with_model and services.chat_model is None:
        raise NotConfigured("with_model needs a model: the deployment's ChatModel is none")
    return services.chat_model is not None if request.with_model is None else request.with_model


def _text_of(request: StartStudy, job_id: str, call: Call, services: StudyServices) -> str:
    references = list(references_in(request))
    resolved, claimed = resolve_references(request, references, job_id, call, services)
    document = resolved.document
    if isinstance(document, LargeValue):
        document = parse_json(claimed.values[document])
    return str(document)
