"""Find the topics of a document, and make the topic that stands for the document."""

from collections.abc import Iterator, Sequence

from membrane.domain.study.hierarchy import Span
from membrane.domain.study.jobs import DOCUMENT, Job, document_kind
from membrane.domain.topics.appending import FieldWrite
from membrane.domain.topics.topic import Topic
from membrane.usecases.study.pieces import SECTION_OF
from membrane.usecases.study.work import Work
from membrane.usecases.study.write_topic import NewTopic, load_restored, write_topic
from membrane.usecases.topics.loading import load_topics
from membrane.usecases.topics.walk import Walk

MADE_FROM = "made_from"
"""The kind of the link from a topic that a model made of the document."""

FED_FROM = "fed_from"
"""The kind of the link from a topic to which a model added facts of the document."""

_OF_DOCUMENT = frozenset({SECTION_OF, MADE_FROM, FED_FROM})

_MOST_LINKS = 100_000
"""The most links of a topic to follow."""

_PAGE = 100


def make_document_topic(job: Job, work: Work) -> bool:
    """Make the document's topic, or write what differs in this edition; whether it is new."""
    is_new = job.document not in load_restored([job.document], work)
    new = NewTopic(id=job.document, title=job.title, kind=DOCUMENT)
    provenance = str(job.origin(0, Span(0, job.characters)))
    values = {"source": job.source, "characters": job.characters, "sha256": job.sha256}
    writes = [
        FieldWrite(name=name, value=value, provenance=provenance)
        for name, value in values.items()
        if value
    ]
    write_topic(new, writes, [], job, work)
    return is_new


def document_topics(job: Job, work: Work) -> Sequence[str]:
    """The ids of all topics with a link to the document, through sections too, sorted by id.

    Deleted topics are among them, and the document's own topic is not.
    """
    found: set[str] = set()
    wanted = [job.document]
    while wanted:
        edges = work.services.topics.edges(wanted[:_PAGE], _MOST_LINKS)
        linked = {
            each.from_id
            for each in edges
            if each.kind in _OF_DOCUMENT and each.to_id in wanted[:_PAGE]
        }
        wanted = [*wanted[_PAGE:], *sorted(linked - found)]
        found |= linked
    return sorted(found - {job.document})


def sandbox_topics(job: Job, work: Work) -> Iterator[Topic]:
    """The topics in the sandbox of the job: those listed with its kind.

    The list is eventually consistent.
    """
    trust, store = work.call.principal.trust, work.services.topics
    walk = Walk([job.scope], trust, store, include_archived=True)
    while not walk.is_ended:
        yield from (each for each in walk.take(_PAGE) if each.kind == job.kind)


def settle_topic(topic_id: str, link: str, job: Job, work: Work) -> None:
    """Take the topic out of the sandbox, and link the topic to the document.

    A topic to which the model gave a kind of its own keeps the kind.
    """
    topic = load_topics([topic_id], work.call.principal.trust, work.services.topics).get(topic_id)
    if topic is None:
        return
    kind = document_kind(job.document) if topic.kind == job.kind else None
    new = NewTopic(id=topic_id, title=topic.title, kind=topic.kind)
    write_topic(new, [], [(job.document, link)], job, work, kind=kind)
