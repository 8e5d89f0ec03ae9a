"""Start the removal of a document."""

from membrane.domain.language.errors import InvalidArgument, NotFound
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.study.jobs import Job, Purpose, StudyStage
from membrane.domain.study.requests import RemoveDocument
from membrane.domain.topics.kinds import DOCUMENT
from membrane.domain.topics.topic import HIDDEN
from membrane.usecases.machinery.calls import Call, ReplyBody
from membrane.usecases.ports.world import World
from membrane.usecases.study.document_topics import find_document_topic
from membrane.usecases.study.start_study import begin_job, new_job_id
from membrane.usecases.topics.loading import NOT_FOUND


def remove_document(request: RemoveDocument, call: Call, world: World) -> ReplyBody:
    """Keep the job and start it; a repeat under a key returns the job as it is.

    Raises NotFound for an absent or hidden topic, InvalidArgument for a topic that stands for no
    document, FailedPrecondition for a topic that was merged into another topic, PermissionDenied,
    and AlreadyExists for a key reused with a different request.
    """
    topic = find_document_topic(request.document_id, call.principal.trust, world.topics)
    if topic is None or topic.status in HIDDEN:
        raise NotFound(NOT_FOUND)
    if topic.kind != DOCUMENT:
        raise InvalidArgument("document_id is not the topic of a document").at("document_id")
    call.principal.require_write(topic.scope, topic.sensitivity)
    now = world.now()
    return begin_job(
        Job(
            id=new_job_id(call, world),
            purpose=Purpose.REMOVAL,
            document=topic.id,
            title=topic.title,
            scope=topic.scope,
            sensitivity=topic.sensitivity,
            principal=call.principal,
            fingerprint=call.fingerprint.hex(),
            is_dry_run=request.dry_run,
            started_at=rfc3339(now),
            updated_at=rfc3339(now),
            expires_at_s=int(epoch_seconds(now + world.retention.export)),
            stage=StudyStage.REMOVING,
        ),
        world,
    )
