"""Change what a topic says beside its fields; archive it, and take it up again."""

from membrane.domain.language.vocabulary import Permission
from membrane.domain.topics.editing.editing import edited, require_raised
from membrane.domain.topics.making import Circumstances
from membrane.domain.topics.requests.editing import ChangeTopic
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.reply_body import ReplyBody
from membrane.usecases.ports.services_topics import TopicServices
from membrane.usecases.topics.editing.changing import changed, edit, unchanged
from membrane.usecases.topics.titles import title_heads
from membrane.usecases.topics.writing import Decided


def change_topic(request: ChangeTopic, call: Call, services: TopicServices) -> ReplyBody:
    """Raises NotFound, PermissionDenied, also for a sensitivity lowered without admin; Aborted."""
    is_admin = Permission.ADMIN in call.principal.permissions

    def decide(topic: Topic, during: Circumstances) -> Decided:
        require_raised(topic.sensitivity, request.sensitivity, is_admin=is_admin)
        after = edited(topic, request, during)
        if after is None:
            return unchanged(topic, {"topic_id": topic.id})
        call.principal.require_write(after.scope, after.sensitivity)
        is_known = _named(after) == _named(topic)
        heads = () if is_known else title_heads(after, call.principal.trust, services)
        return changed(topic, after, {"topic_id": topic.id}, during, heads=heads)

    return edit(request.id, decide, call, services).answer


def _named(topic: Topic) -> tuple[str, str, str]:
    """What the head of its title depends on."""
    return topic.title, topic.kind, topic.status
