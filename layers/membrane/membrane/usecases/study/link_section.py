"""Link the topics of a section to other sections and to known topics, by names and by links.

A link in Markdown to a heading, and a name that is the title of another section, refer to the
section. A name that is the title of a topic without a kind mentions the topic.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from membrane.domain.language.names import normalise_text
from membrane.domain.study.jobs import Job
from membrane.domain.study.plan import Section
from membrane.domain.topics.kinds import NAMES_FIELD
from membrane.domain.topics.placing.observations import EdgeWrite
from membrane.domain.topics.titles import title_key
from membrane.domain.topics.topic import Topic
from membrane.usecases.study.pieces import load_pieces, new_piece, piece_id
from membrane.usecases.study.work import Work
from membrane.usecases.study.write_topic import write_topic
from membrane.usecases.topics.loading import LIVING, load_topics

REFERS_TO = "refers_to"
MENTIONS = "mentions"

MAX_LINKS = 16
"""The most links of a piece."""

_LINK = re.compile(r"\]\(#([^)\s]{1,200})\)")
"""A link to a heading of the same document."""

_NO_SLUG = re.compile(r"[^\w\- ]")


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
    sections = _sections_by_name(work)
    values = _values(topic)
    texts = [each for each in values.values() if isinstance(each, str)]
    slugs = [found[1].lower() for text in texts for found in _LINK.finditer(text)]
    named = values.get(NAMES_FIELD)
    names = [str(each) for each in named] if isinstance(named, list) else []
    for name in (*slugs, *map(normalise_text, names)):
        number = sections.get(name)
        if number is not None and number != section.number:
            yield piece_id(work.plan.sections[number - 1], 1, job), REFERS_TO
    known = _known_topics(names, job, work)
    yield from ((each, MENTIONS) for each in known if each not in (topic.id, job.document))


def _values(topic: Topic) -> Mapping[str, Any]:
    """The current values of the living fields."""
    fields = topic.living_fields.items()
    return {name: each.current.value for name, each in fields if each.current is not None}


def _sections_by_name(work: Work) -> Mapping[str, int]:
    """The numbers of sections by title and by the name in links; the first of a name counts."""
    if work.sections_by_name is None:
        found: dict[str, int] = {}
        for each in work.plan.sections:
            if each.path:
                found.setdefault(normalise_text(each.path[-1]), each.number)
                found.setdefault(_slug(each.path[-1]), each.number)
        work.sections_by_name = found
    return work.sections_by_name


def _slug(title: str) -> str:
    """The name by which links in Markdown refer to a heading, as GitHub makes it."""
    return _NO_SLUG.sub("", title.strip().lower()).replace(" ", "-")


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
