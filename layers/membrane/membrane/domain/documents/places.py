"""Where a document is: scope, namespace and key, and the order in which places are listed."""

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from membrane.domain.language.json_text import digest

MAX_LABELS = 16
MAX_LABEL_BYTES = 128
MAX_KEY_BYTES = 512
MAX_PLACE_BYTES = 900
"""Bytes of an ordered place; DynamoDB allows 1,024 for a sort key."""

_END = "/"
"""Ends each label; no escaped label or key has it."""

WILDCARD = "*"
"""Stands for exactly one label of any text."""


class Place(NamedTuple):
    """The identity of a document: no two documents share a place."""

    scope: str
    """"" = unscoped."""
    namespace: tuple[str, ...]
    key: str
    erased_id: str = ""
    """The id of the former place of an erased document: its place has neither namespace nor key,
    and the scope names the erasure. Empty for every other document."""

    @property
    def id(self) -> str:
        """A digest of the place in hex: the name of everything beside the document."""
        return self.erased_id or digest(self.scope, *self.namespace, self.key).hex()

    @property
    def sort_text(self) -> str:
        """The place within the scope: the documents of a namespace are neighbours.

        A namespace sorts before the namespaces below it, but behind a namespace below it whose next
        label begins with a character before `/`: `a/-` sorts before `a`, and `a` before `a/b`. The
        text of a long place is cut and completed by a digest: its order within its namespace is not
        that of its key, and documents of long namespaces that share the cut text lie mixed.
        """
        ordered = f"{prefix_of(self.namespace)}{_END}{_escape(self.key)}"
        return self.erased_id or _cut(ordered, self.id)


def prefix_of(namespace: Sequence[str]) -> str:
    """The beginning of `Place.sort_text` for every document in and below a namespace."""
    return "".join(f"{_escape(label)}{_END}" for label in namespace)


def searchable_prefix(namespace: Sequence[str]) -> str:
    """`prefix_of`, cut to the length that every ordered place below it keeps.

    Places outside of a long namespace may share the cut prefix: the reader compares labels, too.
    """
    return _first_bytes(prefix_of(namespace))


def after_all_of(namespace: Sequence[str]) -> str | None:
    """A text behind every ordered place below the namespace; None for one too long."""
    prefix = prefix_of(namespace)
    if len(prefix.encode()) > MAX_PLACE_BYTES:
        return None
    return prefix.removesuffix(_END) + chr(ord(_END) + 1)


def after_documents_of(namespace: Sequence[str]) -> str | None:
    """A text behind every ordered place in the namespace itself, before any behind those.

    Places below the namespace may lie on both sides. None for a namespace that is too long.
    """
    prefix = prefix_of(namespace)
    if len(prefix.encode()) >= MAX_PLACE_BYTES:
        return None
    return prefix + chr(ord(_END) + 1)


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace(_END, "%2F")


def _cut(place: str, place_id: str) -> str:
    if len(place.encode()) <= MAX_PLACE_BYTES:
        return place
    return f"{_first_bytes(place)}#{place_id}"


def _first_bytes(text: str) -> str:
    return text.encode()[:MAX_PLACE_BYTES].decode(errors="ignore")


def _name_of(limit: int) -> AfterValidator:
    """Refuses what a URL path or a table cannot hold; every other character is ordinary."""

    def name(value: str) -> str:
        if not value or len(value.encode()) > limit:
            raise PydanticCustomError("length", "must have 1 to {limit} bytes", {"limit": limit})
        if value in {".", ".."} or "\0" in value:
            raise PydanticCustomError("name", "must not be . or .. and must have no U+0000")
        return value

    return AfterValidator(name)


Label = Annotated[str, _name_of(MAX_LABEL_BYTES)]

LABELS = Field(strict=False, fail_fast=True, max_length=MAX_LABELS)
"""A JSON array of labels."""

Namespace = Annotated[tuple[Label, ...], LABELS, Field(min_length=1)]
Prefix = Annotated[tuple[Label, ...], LABELS]
Key = Annotated[str, _name_of(MAX_KEY_BYTES)]


def owner_of_values(place_id: str, life: int = 1) -> str:
    """The owner name of a document's values in the bucket; no record can have such an id.

    `life`: the first version that the history shows. The values of later lives are below the owner
    of the first life: a list of the first owner's objects has them all.
    """
    owner = f"document@{place_id}"
    return owner if life == 1 else f"{owner}/{life}"


def life_of(owner: str) -> int:
    """The life in an owner name."""
    _, _, life = owner.partition("/")
    return int(life or 1)


def document_of(owner: str) -> str | None:
    """The id of the place in the owner name of a first life; None for a record or topic."""
    place_id = owner.removeprefix(owner_of_values(""))
    return None if place_id == owner else place_id


def has_labels(namespace: Sequence[str], prefix: Sequence[str], suffix: Sequence[str]) -> bool:
    """Whether the namespace begins with `prefix` and ends with `suffix`, which may overlap."""
    return _has_prefix(namespace, prefix) and _has_prefix(namespace[::-1], suffix[::-1])


def dead_end(namespace: tuple[str, ...], prefix: Sequence[str]) -> tuple[str, ...] | None:
    """The shortest beginning below which no namespace has the prefix, if any."""
    for position, (label, wanted) in enumerate(zip(namespace, prefix, strict=False), 1):
        if wanted not in {WILDCARD, label}:
            return namespace[:position]
    return None


def _has_prefix(labels: Sequence[str], wanted: Sequence[str]) -> bool:
    if len(labels) < len(wanted):
        return False
    pairs = zip(labels, wanted, strict=False)
    return all(each in {WILDCARD, label} for label, each in pairs)
