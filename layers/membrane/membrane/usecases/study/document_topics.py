"""Find the topics of a document, make the document's own topic, and link topics of sections."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from membrane.domain.access.trust import Trust
from membrane.domain.language.errors import FailedPrecondition
from membrane.domain.language.names import normalise_text
from membrane.domain.study.hierarchy import Span, front_matter_of
from membrane.domain.study.jobs import FED, MADE, Job, document_kind
from membrane.domain.study.plan import Section
from membrane.domain.topics.appending import FieldWrite
from membrane.domain.topics.placing.observations import EdgeWrite
from membrane.domain.topics.titles import DOCUMENT, NAMES_FIELD, title_key
from membrane.domain.topics.topic import Topic, TopicStatus
from membrane.usecases.study.pieces import SECTION_OF, load_pieces, new_piece, piece_id
from membrane.usecases.study.work import Work
from membrane.usecases.study.write_topic import NewTopic, leave_topic, restore, write_topic
from membrane.usecases.topics.loading import LIVING, load_topics
from membrane.usecases.topics.reading.list_topics import Walk

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
        linked = {**dict.fromkeys(work.answers_in(FED), FED_FROM), **linked}
        linked |= dict.fromkeys(work.answers_in(MADE), MADE_FROM)
        if job.must_scan:
            linked |= dict.fromkeys((each.id for each in sandbox_topics(job, work)), MADE_FROM)
    return linked


def sandbox_topics(job: Job, work: Work) -> Iterator[Topic]:
    """The topics listed with the job's kind, eventually consistent."""
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


REFERS_TO = "refers_to"
MENTIONS = "mentions"

MAX_LINKS = 16
"""The most links of a piece."""

_LINK = re.compile(r"\]\(#([^)\s]{1,200})\)")
"""A link to a heading of the same document."""


PIECES_OF_STEP = 100


def link_pieces(section: Section, after: int, job: Job, work: Work) -> tuple[int, int | None]:
    """Write the missing links of the next pieces behind a piece.

    The number of links that the job wrote, and the last piece; None at the end.
    """
    links = 0
    pieces = [each for each in load_pieces(section, job, work).topics.items() if each[0] > after]
    for piece, topic in pieces[:PIECES_OF_STEP]:
        if topic.status not in LIVING:
            continue
        edges = list(dict.fromkeys(_links_of(topic, section, job, work)))[:MAX_LINKS]
        if edges:
            links += write_topic(new_piece(section, piece, job), [], edges, job, work)
    is_end = len(pieces) <= PIECES_OF_STEP
    return links, None if is_end else pieces[PIECES_OF_STEP - 1][0]


def _links_of(topic: Topic, section: Section, job: Job, work: Work) -> Iterator[EdgeWrite]:
    values = _values(topic)
    texts = [each for each in values.values() if isinstance(each, str)]
    slugs = [found[1].lower() for text in texts for found in _LINK.finditer(text)]
    named = values.get(NAMES_FIELD)
    names = [str(each) for each in named] if isinstance(named, list) else []
    for name in (*slugs, *map(normalise_text, names)):
        number = work.sections_by_name.get(name)
        if number is not None and number != section.number:
            yield piece_id(work.sections[number - 1], 1, job), REFERS_TO
    known = _known_topics(names, job, work)
    yield from ((each, MENTIONS) for each in known if each not in (topic.id, job.document))


def _values(topic: Topic) -> Mapping[str, Any]:
    fields = topic.living_fields.items()
    return {name: each.current.value for name, each in fields if each.current is not None}


def _known_topics(names: Sequence[str], job: Job, work: Work) -> Sequence[str]:
    """The ids of the scope's topics with one of the names as title, without a kind."""
    known = work.known_topics
    for name in names:
        if name not in known:
            head = work.world.records.head(title_key(job.scope, "", name))
            ids = [each.record_id for each in head.holders]
            found = load_topics(ids, work.call.principal.trust, work.world.topics)
            living = [each for each in found.values() if each.scope == job.scope]
            known[name] = living[0].id if living else None
    return [each for name in names if (each := known[name]) is not None]
