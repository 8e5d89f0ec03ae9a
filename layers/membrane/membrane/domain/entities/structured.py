"""Mentions in the fields of a captured object, where the key says what is named."""

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from membrane.domain.entities.looks import (
    CONCEPT,
    FILE,
    PERSON,
    PROJECT,
    REPOSITORY,
    SERVICE,
    TOOL,
    look_alone,
)
from membrane.domain.entities.surfaces import first_mentions, is_name
from membrane.domain.records.interpretation import Mention

MENTION_CONFIDENCE = 0.5
"""The confidence of a mention that no model found, as in Membrane."""

_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "subject": CONCEPT,
        "tool_name": TOOL,
        "tool": TOOL,
        "project": PROJECT,
        "file": FILE,
        "path": FILE,
        "person": PERSON,
        "user": PERSON,
        "agent": PERSON,
        "service": SERVICE,
        "repository": REPOSITORY,
    }
)
"""Kinds by key; as in Membrane, except that the subject of a fact need not be a person."""

_ENTITY = frozenset({"entity", "entities"})
_ABOUT_AN_ENTITY = frozenset({"id", "ids", "kind", "kinds", "type", "types"})
"""`entity_type` and the like say something of an entity, and name none."""

_MAX_KEY_CHARACTERS = 64
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def structured_mentions(content: Any) -> tuple[Mention, ...]:
    """The names in the top-level fields of an object, in the order of the object.

    A text is a name, and in a list every text is a name; other values name nothing.
    """
    return first_mentions(_mentions_in(content))


def _mentions_in(content: Any) -> Iterator[Mention]:
    for key, value in content.items() if isinstance(content, dict) else ():
        named = _key_of(key)
        for text in value if named and isinstance(value, list) else (value,):
            surface = text.strip() if named and isinstance(text, str) else ""
            if is_name(surface):
                kind = _kind_of(named, surface)
                yield Mention(surface=surface, entity_kind=kind, confidence=MENTION_CONFIDENCE)


def _kind_of(key: str, surface: str) -> str:
    """The kind that the key gives; under `subject` or `entity` may stand a file as well."""
    kind = _KINDS.get(key, CONCEPT)
    look = look_alone(surface) if kind == CONCEPT else None
    return look.kind if look else kind


def _key_of(key: str) -> str:
    """The key that names things: of _KINDS, or `entity`. Empty: the field names nothing.

    `entityName`, `entity-name` and `entity_name` are one key.
    """
    if len(key) > _MAX_KEY_CHARACTERS:
        return ""
    words = _HUMP.sub("_", key).lower().replace("-", "_").split("_")
    whole = "_".join(words)
    if whole in _KINDS:
        return whole
    if not _ENTITY & {words[0], words[-1]} or _ABOUT_AN_ENTITY & set(words):
        return ""
    return next((word for word in words if word in _KINDS), "entity")
