"""Start the removal of a document."""

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.study.jobs import DOCUMENT, Job, Purpose, StudyStage
from membrane.domain.study.requests import RemoveDocument
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_study import StudyServices
from membrane.usecases.study.start_study import begin_job, new_job_id
from membrane.usecases.topics.loading import load_topic


def remove_document(request: RemoveDocument, call: Call, services: StudyServices) -> ReplyBody:
    """Keep the job and start it; a repeat under a key returns the job as it is.

    Raises NotFound for an absent or hidden topic, InvalidArgument for a topic that stands for no
    document, PermissionDenied, and AlreadyExists for a key reused with a different request.
    """
    topic = load_topic(request.document_id, call.principal.trust, services.topics)
    if topic.kind != DOCUMENT:
        raise InvalidArgument("document_id is not the topic of a document").at("document_id")
    call.principal.require_write(topic.scope, topic.sensitivity)
    now = services.now()
    return begin_job(
        Job(
            id=new_job_id(call, services),
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
            expires_at_s=int(epoch_seconds(now + services.retention.export)),
            stage=StudyStage.REMOVING,
        ),
        services,
    )
