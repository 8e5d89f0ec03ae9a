"""The names of entities, by scope, sensitivity and first word."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from membrane.domain.language.json_text import compact_json
from membrane.domain.language.vocabulary import Sensitivity

NO_NAMES: Mapping[str, str] = MappingProxyType({})

MAX_NAMES = 500
"""Names of one bucket."""

MAX_BUCKET_BYTES = 64_000
"""Bytes of one bucket: an item of 400 KB holds the buckets of all levels of a scope and word.

A transaction holds a bucket twice, as read and as it will be, and up to 16 buckets.
"""

NO_ROOM = "NamesWithoutRoom"
"""The metric of names that lead to no entity because the bucket is full."""


class NamePlace(NamedTuple):
    """Where names of one first word are stored."""

    scope: str
    """Empty = unscoped."""
    word: str
    """The first word of the terms; see `names.first_word_of`."""


class NameBucket(NamedTuple):
    """The entities of one scope and sensitivity, by terms of one first word, as read.

    A name may outlive the entity, or come to belong to a successor: the record decides.
    """

    place: NamePlace
    sensitivity: Sensitivity
    entity_ids: Mapping[str, str] = NO_NAMES
    """Entity ids by term (see `names.term_of`); empty = not stored."""


class NameChange(NamedTuple):
    """The next names of a bucket, for the transaction that creates or removes an entity.

    The transaction fails with LostRace if the bucket is no longer as read, so two writers of a
    name never both create an entity.
    """

    before: NameBucket
    entity_ids: Mapping[str, str]
    """The names after the change; empty removes the bucket."""
    is_last: bool = False
    """Whether the place had no bucket of another level, as read; matters for a removal."""

    @property
    def fits(self) -> bool:
        """Whether the names after the change are neither too many nor too long."""
        size = len(compact_json(dict(self.entity_ids)).encode())
        return len(self.entity_ids) <= MAX_NAMES and size <= MAX_BUCKET_BYTES


Buckets = Mapping[Sensitivity, NameBucket]
"""The stored buckets of a place, by level; a level without names is absent."""
