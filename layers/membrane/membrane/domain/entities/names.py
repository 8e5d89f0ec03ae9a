"""Entities and their names: as written in a content, as looked up, as listed."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from membrane.domain.language.names import is_name, normalise_text, term_of
from membrane.domain.records.interpretation import Mention
from membrane.domain.records.payloads import EntityPayload, Payload
from membrane.domain.records.records import MemoryRecord

if TYPE_CHECKING:
    from membrane.domain.entities.replies import ListedEntity

MAX_SCANNED_CHARACTERS = 20_000
"""Characters of a capture that are read for names; the rest is stored, and not read."""


MAX_MENTIONS = 16
"""Mentions of a capture: a mention takes up to three actions of the transaction."""


def first_mentions(mentions: Iterable[Mention]) -> tuple[Mention, ...]:
    """The first MAX_MENTIONS mentions, of equal names the first."""
    return tuple(islice(_distinct(mentions), MAX_MENTIONS))


def _distinct(mentions: Iterable[Mention]) -> Iterable[Mention]:
    met = set[str]()
    for mention in mentions:
        term = term_of(mention.surface)
        if term not in met:
            met.add(term)
            yield mention


class Span(NamedTuple):
    """The place of a name in a text."""

    start: int
    end: int
    kind: str = ""
    """Kind of the named thing, as in a mention. Empty: unknown."""
    entity_id: str = ""
    """Id of a known entity that bears the name. Empty: no entity is known."""
    aliases: tuple[str, ...] = ()
    """Further names of the thing."""
    name: str = ""
    """The name, where the words at the place are only a part of the name. Empty: the words."""

    @property
    def length(self) -> int:
        return self.end - self.start


def disjoint_spans(spans: Iterable[Span]) -> tuple[Span, ...]:
    """Spans without overlaps, in order: the longest, and of equals the first given."""
    longest_first = sorted(spans, key=lambda span: -span.length)
    taken = bytearray(max((span.end for span in longest_first), default=0))
    kept = []
    for span in longest_first:
        if taken.find(1, span.start, span.end) < 0:
            taken[span.start : span.end] = b"\1" * span.length
            kept.append(span)
    return tuple(sorted(kept, key=lambda span: span.start))


MAX_TERMS = 20
"""Names by which an entity is found: the canonical name, then aliases and identifiers."""

OWN_NAMESPACE = "membrane"
"""The namespace of identifiers that are ids of entities here."""

OTHER = "Other"

BUILT_IN_TYPES = (
    *("Person", "Organization", "Team", "Agent", "Project", "Repository", "File", "Directory"),
    *("Symbol", "API", "Service", "Database", "Package", "Dependency", "Tool", "Command"),
    *("Runtime", "Environment", "Task", "Issue", "PullRequest", "Decision", "Requirement"),
    *("Incident", "Document", "URL", "Dataset", "Metric", "Concept", "Event", OTHER),
)
"""The types known to Membrane; an application may use further types."""

_TYPES: Mapping[str, str] = {each.casefold(): each for each in BUILT_IN_TYPES}

_TYPE_OF_KIND: Mapping[str, str] = {"ticket": "Issue"}


def primary_type_of(kind: str) -> str:
    """The primary type of the entity of a mention; `Other` for an unknown kind."""
    folded = kind.casefold()
    return _TYPE_OF_KIND.get(folded) or _TYPES.get(folded, OTHER)


def terms_of_entity(payload: EntityPayload) -> tuple[str, ...]:
    """The distinct terms of an entity, the canonical name first; at most MAX_TERMS."""
    return tuple(dict.fromkeys(map(term_of, names_of_entity(payload))))[:MAX_TERMS]


def names_of_entity(payload: EntityPayload) -> list[str]:
    """The names of an entity as written, the canonical name first; no texts that are no names."""
    names = [
        payload.canonical_name,
        *(each.value for each in payload.aliases),
        *(each.value for each in payload.identifiers if each.namespace != OWN_NAMESPACE),
    ]
    return [each for each in names if is_name(each)]


def is_entity_named(payload: Payload, term: str) -> bool:
    """Whether the payload is of an entity that bears the term."""
    return isinstance(payload, EntityPayload) and term in terms_of_entity(payload)


NO_KIND = ""


def are_namesakes(title: str, kind: str, payload: EntityPayload) -> bool:
    """Whether a topic of the title and kind refers to the entity."""
    is_same_name = is_name(title) and normalise_text(title) in titles_of(payload)
    return is_same_name and normalise_text(kind) in kinds_of(payload)


def titles_of(payload: EntityPayload) -> tuple[str, ...]:
    """The normal forms of the titles that are names of the entity, the canonical name's first."""
    terms = frozenset(terms_of_entity(payload))
    named = ((name, term_of(name)) for name in names_of_entity(payload))
    forms = ((normalise_text(name), term) for name, term in named if term in terms)
    return tuple(dict.fromkeys(form for both in forms for form in both))


def kinds_of(payload: EntityPayload) -> tuple[str, ...]:
    """The normal forms of the kinds of topics that may refer to the entity, no kind first."""
    types = map(normalise_text, (payload.primary_type, *payload.types))
    return tuple(dict.fromkeys((NO_KIND, *types)))


def places_of_topics(payload: EntityPayload) -> Iterator[tuple[str, str]]:
    """The kinds and titles of the topics that may refer to the entity, the likeliest first."""
    kinds, titles = kinds_of(payload), titles_of(payload)
    return ((kind, title) for title in titles for kind in kinds)


def listed_entity(record: MemoryRecord, payload: EntityPayload) -> "ListedEntity":
    return {
        "id": record.id,
        "name": payload.canonical_name,
        "type": payload.primary_type,
        "aliases": [each.value for each in payload.aliases],
        "scope": record.scope,
    }


def is_of_type(payload: EntityPayload, wanted: str | None) -> bool:
    """Whether the entity has the type, by any case; every entity has the type None."""
    types = {each.strip().casefold() for each in (payload.primary_type, *payload.types)}
    return wanted is None or wanted.strip().casefold() in types
