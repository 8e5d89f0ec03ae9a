"""Delete a topic, and bring it back."""

from membrane.domain.topics.editing.editing import deleted_topic, restored_topic
from membrane.domain.topics.making import Circumstances
from membrane.domain.topics.requests.editing import DeleteTopic, RestoreTopic
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.editing.changing import changed, edit
from membrane.usecases.topics.titles import title_heads
from membrane.usecases.topics.writing import Decided


def delete_topic(request: DeleteTopic, call: Call, services: TopicServices) -> ReplyBody:
    """Hide it from all readers, with its fields and links. Raises NotFound, PermissionDenied."""

    def decide(topic: Topic, during: Circumstances) -> Decided:
        return changed(topic, deleted_topic(topic, during), {"deleted": topic.id}, during)

    return edit(request.id, decide, call, services).answer


def restore_topic(request: RestoreTopic, call: Call, services: TopicServices) -> ReplyBody:
    """The topic as it was. Raises NotFound, PermissionDenied, FailedPrecondition."""

    def decide(topic: Topic, during: Circumstances) -> Decided:
        after = restored_topic(topic, during)
        heads = title_heads(after, call.principal.trust, services)
        return changed(topic, after, {"topic_id": topic.id}, during, heads=heads)

    return edit(request.id, decide, call, services, deleted=True).answer
