"""Note reads of topics through a queue, so that the reader waits for no write."""

from collections.abc import Iterator, Mapping, Sequence

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import rfc3339
from membrane.domain.topics.salience import living_names
from membrane.domain.topics.topic import Topic
from membrane.usecases.machinery.calls import Call
from membrane.usecases.machinery.retries import TRANSIENT
from membrane.usecases.ports.operators import FAULT
from membrane.usecases.ports.services_topics import TopicServices

MOST_NAMED_BYTES = 100_000
"""The most bytes of field names in a message: a queue takes 256 KB."""


def note_read(
    topics: Sequence[Topic],
    fields: Mapping[str, Sequence[str]],
    call: Call,
    services: TopicServices,
    *,
    named: bool,
) -> None:
    """Send a message for `reinforce_topics`; a failure is reported to operators alone.

    `fields` has, by topic, the shown fields that the request named. `named` is whether the request
    named the topics by id.
    """
    if not topics:
        return
    message = {
        "id": services.new_id(),
        "at": rfc3339(services.now()),
        "principal": call.principal.actor_id,
        "topics": [topic.id for topic in topics],
        "fields": dict(_living(topics, fields)),
        "named": named,
    }
    try:
        services.send_to_reasoning({"reinforce": message}, 0)
    except TRANSIENT as fault:
        services.report(call.rpc, FAULT, fault)


def _living(
    topics: Sequence[Topic], fields: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """By topic, the named fields that still exist, as far as the message has room."""
    room = MOST_NAMED_BYTES
    for topic in topics:
        living = list(living_names(topic, fields.get(topic.id, ())))
        room -= len(compact_json([topic.id, living]).encode())
        if living and room >= 0:
            yield topic.id, living
