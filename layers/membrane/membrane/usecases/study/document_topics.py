"""Find the topics of a document, and make the document's own topic."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.study.hierarchy import Span, front_matter_of
from membrane.domain.study.jobs import Job, document_kind
from membrane.domain.topics.appending import FieldWrite
from membrane.domain.topics.kinds import DOCUMENT
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.study.pieces import SECTION_OF
from membrane.usecases.study.work import Work
from membrane.usecases.study.write_topic import NewTopic, leave_topic, restore, write_topic
from membrane.usecases.topics.loading import load_topics
from membrane.usecases.topics.walk import Walk

if TYPE_CHECKING:
    from membrane.adapters.dynamodb.topics.topic_store import DynamoTopics


MADE_FROM = "made_from"
"""The kind of the link from a topic that a model made of the document."""

FED_FROM = "fed_from"
"""The kind of the link from a topic to which a model added facts of the document."""

SHA256_FIELD = "sha256"
"""The field of the document's topic with the digest of the last edition."""

FRONT_MATTER_FIELD = "front_matter"
"""The field of the document's topic with the front matter, as the document has the text."""

_OF_DOCUMENT = frozenset({SECTION_OF, MADE_FROM, FED_FROM})

_MOST_LINKS = 100_000
"""The most links of a topic to follow."""

_PAGE = 100


def find_document_topic(document: str, trust: Trust, topics: "DynamoTopics") -> Topic | None:
    """The document's own topic, of any status; None for an absent topic, or outside the trust.

    Raises FailedPrecondition for a merged topic: the keeper may be the topic of another document.
    """
    topic = topics.load_all([document], trust).get(document)
    if topic is not None and topic.merged is not None:
        raise FailedPrecondition(
            "the topic of the document was merged into another topic: take the topic out first, by "
            f"POST /v1/topics/{document}/unmerge"
        )
    return topic


def make_document_topic(job: Job, work: Work) -> bool:
    """Make the document's topic, or write what differs in this edition; whether it is new.

    Front matter is a field; a later edition without front matter deletes the field.

    Raises FailedPrecondition for a document whose topic was merged into another topic.
    """
    found = find_document_topic(job.document, work.call.principal.trust, work.world.topics)
    is_new = found is None
    if found is not None and found.status is TopicStatus.DELETED:
        restore(found, work)
    new = NewTopic(id=job.document, title=job.title, kind=DOCUMENT)
    provenance = str(job.origin(0, Span(0, job.characters)))
    values = {"source": job.source, "characters": job.characters, SHA256_FIELD: job.sha256}
    writes = [
        FieldWrite(name=name, value=value, provenance=provenance)
        for name, value in values.items()
        if value
    ]
    front = front_matter_of(work.text)
    metadata = "" if front is None else work.text[slice(*front.text)].rstrip("\r\n")
    if front is not None and metadata:
        place = str(job.origin(0, front.text))
        writes.append(FieldWrite(name=FRONT_MATTER_FIELD, value=metadata, provenance=place))
    write_topic(new, writes, [], job, work)
    if found is not None and not metadata and FRONT_MATTER_FIELD in found.living_fields:
        leave_topic(job.document, [FRONT_MATTER_FIELD], work, is_whole=False)
    return is_new


def document_topics(job: Job, work: Work) -> Mapping[str, str]:
    """The topics with a link to the document, through sections too: ids with kinds of the links.

    Deleted topics are among them, and the document's own topic is not.
    """
    found: dict[str, str] = {}
    wanted = [job.document]
    while wanted:
        some, wanted = wanted[:_PAGE], wanted[_PAGE:]
        edges = work.world.topics.edges(some, _MOST_LINKS)
        linked = {
            each.from_id: each.kind
            for each in edges
            if each.kind in _OF_DOCUMENT and each.to_id in some
        }
        wanted += sorted(linked.keys() - found.keys())
        found |= linked
    found.pop(job.document, None)
    return found


def topics_of_job(job: Job, work: Work) -> Mapping[str, str]:
    """The topics of the document, and those that the job's model made or extended."""
    linked = dict(document_topics(job, work))
    if job.with_model:
        linked = {**dict.fromkeys(work.fed_ids, FED_FROM), **linked}
        linked |= dict.fromkeys(work.made_ids, MADE_FROM)
        if job.must_scan:
            linked |= dict.fromkeys((each.id for each in sandbox_topics(job, work)), MADE_FROM)
    return linked


def sandbox_topics(job: Job, work: Work) -> Iterator[Topic]:
    """The topics in the sandbox of the job: those listed with its kind.

    The list is eventually consistent.
    """
    trust, store = work.call.principal.trust, work.world.topics
    walk = Walk([job.scope], trust, store, include_archived=True)
    while not walk.is_ended:
        yield from (each for each in walk.take(_PAGE) if each.kind == job.kind)


def settle_topic(topic_id: str, link: str, job: Job, work: Work) -> None:
    """Take the topic out of the sandbox, and link the topic to the document.

    A topic to which the model gave a kind of its own keeps the kind.
    """
    topic = load_topics([topic_id], work.call.principal.trust, work.world.topics).get(topic_id)
    if topic is None:
        return
    kind = document_kind(job.document) if topic.kind == job.kind else None
    new = NewTopic(id=topic_id, title=topic.title, kind=topic.kind)
    write_topic(new, [], [(job.document, link)], job, work, kind=kind)
