"""Canonical entities: the type of a new entity, and the terms by which an entity is found."""

from collections.abc import Mapping

from membrane.domain.entities.surfaces import is_name
from membrane.domain.language.names import term_of
from membrane.domain.records.payloads import EntityPayload, Payload

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
