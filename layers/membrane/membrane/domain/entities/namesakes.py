"""The rule by which a topic refers to an entity: by the name, and by the kind.

A topic refers to an entity if the title is a name of the entity, and the kind is a type of the
entity. A topic without a kind refers by the title alone.

Titles are compared in the form of `normalise_text`, and names in the form of `term_of`, which is
coarser. So a title counts as a name in both forms of the name: texts that are equal as titles are
equal as names, and every entity of a title is found under the term of the title.
"""

from collections.abc import Iterator

from membrane.domain.entities.canonical import names_of_entity, terms_of_entity
from membrane.domain.entities.surfaces import is_name
from membrane.domain.language.names import normalise_text, term_of
from membrane.domain.records.payloads import EntityPayload

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
