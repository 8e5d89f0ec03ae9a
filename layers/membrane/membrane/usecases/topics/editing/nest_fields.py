"""Show fields as one nested bundle, and by themselves again."""

from membrane.domain.topics.making import Circumstances
from membrane.domain.topics.nesting import nested, unnested
from membrane.domain.topics.requests.editing import NestFields, UnnestFields
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.editing.changing import changed, edit
from membrane.usecases.topics.writing import Decided


def nest_fields(request: NestFields, call: Call, services: TopicServices) -> ReplyBody:
    """Raises NotFound, PermissionDenied, and InvalidArgument as `nested` does."""

    def decide(topic: Topic, during: Circumstances) -> Decided:
        after = nested(topic, request.field_names, request.nest_key, request.provenance, during)
        body = {
            "ok": True,
            "topic_id": topic.id,
            "nest_key": request.nest_key.strip(),
            "moved_fields": list(after.names),
        }
        return changed(topic, after.topic, body, during)

    return edit(request.id, decide, call, services).answer


def unnest_fields(request: UnnestFields, call: Call, services: TopicServices) -> ReplyBody:
    """Raises NotFound, PermissionDenied, and InvalidArgument as `unnested` does."""

    def decide(topic: Topic, during: Circumstances) -> Decided:
        after = unnested(topic, request.nest_key, during)
        body = {
            "ok": True,
            "topic_id": topic.id,
            "nest_key": request.nest_key.strip(),
            "restored_fields": list(after.names),
        }
        return changed(topic, after.topic, body, during)

    return edit(request.id, decide, call, services).answer
