"""A document, its versions and what makes the next: a put, a deletion, an erasure, a refresh.

Each version has an audit entry, and the entries are a hash chain:

    text_hash = SHA-256(salt || canonical JSON of [rationale, SHA-256 of the value's JSON text])
    hash      = SHA-256(canonical JSON of [document id, version, previous hash, action,
                                           timestamp, principal, text_hash])

Value, rationale and salt can be erased without breaking the chain, because an erased entry keeps
`text_hash`. `membrane.domain.language.json_text` explains the chain.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import log2
from typing import NamedTuple

from membrane.domain.documents.places import Place, owner_of_values
from membrane.domain.language.json_text import FIRST, first_broken_link, hash_of, text_hash_of
from membrane.domain.language.values import LargeValue
from membrane.domain.language.vocabulary import Sensitivity

FORGOTTEN = 0.001
"""A document that fades is hidden once its salience is below this value."""

Text = str | LargeValue | None
"""The JSON text of a value, or where the bucket holds it; None = no value."""


class DocumentAction(StrEnum):
    """What made a version."""

    PUT = "put"
    DELETE = "delete"
    ERASE = "erase"


@dataclass(frozen=True, slots=True)
class Entry:
    """The audit entry of a version."""

    version: int
    action: DocumentAction
    at: str
    """RFC 3339, UTC."""
    principal: str
    previous_hash: str
    hash: str
    text_hash: str
    salt: str = ""
    """Random hex; empty once the entry is erased."""
    rationale: str = ""


class Version(NamedTuple):
    entry: Entry
    text: Text


Versions = tuple[Version, ...]
"""Consecutive versions, oldest first."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a put sets."""

    text: Text
    sensitivity: Sensitivity
    ttl_s: float | None = None
    half_life_s: float | None = None
    index: tuple[str, ...] = ()
    """The paths of the searchable texts within the value; empty = none."""
    passages: tuple[bytes, ...] = ()
    """A vector for each searchable text, a signed byte a component."""
    embedder: str = ""
    """The vector space of `passages`."""


class Ending(NamedTuple):
    """What a put leaves that gives a document an earlier end than an anchor may have seen."""

    born_s: float
    """The birth of the document, in seconds since 1970."""
    version: int
    hash: str
    """Of the version's entry."""
    end_s: float


class Making(NamedTuple):
    """What the call contributes to a version."""

    now_s: float
    at: str
    """The same instant as RFC 3339."""
    principal: str
    salt: str
    """Fresh random hex."""
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """The state of a place: a live document, or what a deletion or erasure left."""

    place: Place
    versions: Versions
    """The current version, and before it the newest former versions that the document's own item
    holds."""
    sensitivity: Sensitivity
    created_at: str
    shown_from: int = 1
    """The first version that the history shows. An earlier version belongs to a document that was
    deleted or had expired, or had a higher sensitivity."""
    ttl_s: float | None = None
    half_life_s: float | None = None
    refreshed_at_s: float = 0.0
    """The instant of the last write, or of the last read that refreshed, in seconds since 1970."""
    removed_at_s: float | None = None
    """The instant at which the item of a deleted document goes; None for a live document."""
    index: tuple[str, ...] = ()
    passages: tuple[bytes, ...] = ()
    embedder: str = ""
    born_s: float = 0.0
    """The instant of version 1, in seconds since 1970. A document that is put after the document
    before has left the table has another birth."""
    writes: int = field(default=0, compare=False)
    """How often the document's own item had been written when it was read; 0 = not stored."""

    @property
    def scope(self) -> str:
        return self.place.scope

    @property
    def current(self) -> Version:
        return self.versions[-1]

    @property
    def version(self) -> int:
        return self.current.entry.version

    @property
    def count_beside(self) -> int:
        """How many former versions are not in the document's own item."""
        return self.versions[0].entry.version - 1

    @property
    def is_deleted(self) -> bool:
        return self.current.entry.action is not DocumentAction.PUT

    @property
    def is_erased(self) -> bool:
        return self.current.entry.action is DocumentAction.ERASE

    @property
    def period_s(self) -> float | None:
        """Seconds from a write or refresh until the document is hidden; None = never.

        A salience of 1 is FORGOTTEN after about ten half-lives: FORGOTTEN is close to 2 ** -10.
        """
        fading = None if self.half_life_s is None else -self.half_life_s * log2(FORGOTTEN)
        return min((each for each in (self.ttl_s, fading) if each is not None), default=None)

    @property
    def expires_at_s(self) -> float | None:
        """The instant from which the document is hidden, in seconds since 1970; None = never."""
        if self.is_deleted:
            return self.removed_at_s
        return None if self.period_s is None else self.refreshed_at_s + self.period_s

    def is_alive(self, now_s: float) -> bool:
        expiry = self.expires_at_s
        return not self.is_deleted and (expiry is None or now_s < expiry)

    def salience(self, now_s: float) -> float:
        """1 at the last write or refresh, halved with each half-life; 1 without a half-life."""
        if self.half_life_s is None:
            return 1.0
        return float(2 ** (-max(0.0, now_s - self.refreshed_at_s) / self.half_life_s))


def put(before: Document | None, place: Place, content: Content, making: Making) -> Document:
    """The document with a new value; an expired document counts as absent, its chain goes on."""
    entry = _entry_after(before, place, DocumentAction.PUT, content.text, making)
    alive = before if before is not None and before.is_alive(making.now_s) else None
    # The history begins anew where no document was alive, and with a lower sensitivity.
    is_shown = alive is not None and content.sensitivity.level >= alive.sensitivity.level
    known = () if before is None else before.versions
    shown_from = alive.shown_from if alive is not None and is_shown else entry.version
    return Document(
        place,
        (*known, Version(entry, in_life(content.text, place, shown_from))),
        content.sensitivity,
        making.at if alive is None else alive.created_at,
        shown_from,
        content.ttl_s,
        content.half_life_s,
        making.now_s,
        index=content.index,
        passages=content.passages,
        embedder=content.embedder,
        born_s=making.now_s if before is None else before.born_s,
    )


def delete(before: Document, making: Making, kept_s: float) -> Document:
    """The document without a value; former versions stay for `kept_s` seconds."""
    entry = _entry_after(before, before.place, DocumentAction.DELETE, None, making)
    return _without_value(before, (*before.versions, Version(entry, None)), making, kept_s)


def erase(before: Document, making: Making, kept_s: float) -> Document:
    """The document with every version without value and texts, as far as its own item has them."""
    entry = _entry_after(before, before.place, DocumentAction.ERASE, None, making)
    known = map(without_content, before.versions)
    return _without_value(before, (*known, Version(entry, None)), making, kept_s)


def with_fresh_period(before: Document, now_s: float) -> Document:
    """The document with its period and its salience begun anew; no new version."""
    return replace(before, refreshed_at_s=max(before.refreshed_at_s, now_s))


def in_life(text: Text, place: Place, life: int) -> Text:
    """The text, for a document whose history begins with the version `life`.

    A large value has another object in each life: the erasure of a life removes the objects of the
    life by name, and a put that follows meanwhile may have the same value.
    """
    if isinstance(text, LargeValue):
        return LargeValue(owner_of_values(place.id, life), text.sha256, text.size)
    return text


def without_content(version: Version) -> Version:
    """The version without value, rationale and salt; the chain still holds."""
    return Version(replace(version.entry, salt="", rationale=""), None)


def first_broken(place: Place, versions: Sequence[Version]) -> int | None:
    """The number of the first version that breaks the chain; None if the chain holds.

    `versions` are consecutive, oldest first. Older versions may have expired.
    """
    if not versions:
        return None
    by_entry = {version.entry.hash: version for version in versions}
    numbers = [each.entry.version for each in versions]
    broken = first_broken_link(
        [each.entry for each in versions],
        lambda entry: _expected_hash(place, by_entry[entry.hash]),
        follows=FIRST if numbers[0] == 1 else versions[0].entry.previous_hash,
    )
    breaks = [at for at, number in enumerate(numbers) if number != numbers[0] + at]
    position = min((*breaks, *(() if broken is None else (broken,))), default=None)
    return None if position is None else numbers[position]


def sha256_of(text: Text) -> str:
    """The SHA-256 of a value's JSON text, in hex; empty without a value."""
    match text:
        case None:
            return ""
        case LargeValue():
            return text.sha256
        case _:
            return hashlib.sha256(text.encode()).hexdigest()


def _without_value(before: Document, versions: Versions, making: Making, kept_s: float) -> Document:
    return Document(
        before.place,
        versions,
        before.sensitivity,
        before.created_at,
        before.shown_from,
        refreshed_at_s=making.now_s,
        removed_at_s=making.now_s + kept_s,
        born_s=before.born_s,
    )


def _entry_after(
    before: Document | None, place: Place, action: DocumentAction, text: Text, making: Making
) -> Entry:
    version, previous_hash = 1, FIRST
    if before is not None:
        version, previous_hash = before.version + 1, before.current.entry.hash
    text_hash = text_hash_of(making.salt, making.rationale, sha256_of(text))
    act = action, making.at, making.principal
    own = hash_of(place.id, version, previous_hash, *act, text_hash)
    return Entry(version, *act, previous_hash, own, text_hash, making.salt, making.rationale)


def _expected_hash(place: Place, version: Version) -> str | None:
    """None for an entry whose text contradicts `text_hash`."""
    entry, text = version
    if entry.salt:
        if text_hash_of(entry.salt, entry.rationale, sha256_of(text)) != entry.text_hash:
            return None
    elif entry.rationale or text is not None:
        return None
    parts = entry.previous_hash, entry.action, entry.at, entry.principal, entry.text_hash
    return hash_of(place.id, entry.version, *parts)
