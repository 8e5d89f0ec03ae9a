"""A document and its versions: each version has an audit entry, and the entries are a hash chain.

    text_hash = SHA-256(salt || canonical JSON of [rationale, SHA-256 of the value's JSON text])
    hash      = SHA-256(canonical JSON of [document id, version, previous hash, action,
                                           timestamp, principal, text_hash])

Value, rationale and salt can be erased without breaking the chain, because an erased entry keeps
`text_hash`. `membrane.domain.language.digests` explains the chain.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from math import log2

from membrane.domain.documents.places import Place, owner_of_values
from membrane.domain.language import digests
from membrane.domain.language.digests import FIRST, hash_of, text_hash_of
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


@dataclass(frozen=True, slots=True)
class Version:
    entry: Entry
    text: Text


@dataclass(frozen=True, slots=True)
class Passage:
    """A vector of a document, for one of the indexed texts."""

    packed: bytes
    """A signed byte a component; see `membrane.domain.documents.likeness`."""


@dataclass(frozen=True, slots=True)
class Document:
    """The state of a place: a live document, or what a deletion or erasure left."""

    place: Place
    current: Version
    sensitivity: Sensitivity
    created_at: str
    former: tuple[Version, ...] = ()
    """The newest former versions, oldest first, as far as the document's own item holds them."""
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
    """The paths of the searchable texts within the value; empty = none."""
    passages: tuple[Passage, ...] = ()
    embedder: str = ""
    """The vector space of `passages`."""

    @property
    def version(self) -> int:
        return self.current.entry.version

    @property
    def is_deleted(self) -> bool:
        return self.current.entry.action is not DocumentAction.PUT

    @property
    def expires_at_s(self) -> float | None:
        """The instant from which the document is hidden, in seconds since 1970; None = never."""
        if self.is_deleted:
            return self.removed_at_s
        periods = [self.ttl_s, fading_period_s(self.half_life_s)]
        known = [period for period in periods if period is not None]
        return self.refreshed_at_s + min(known) if known else None

    def is_alive(self, now_s: float) -> bool:
        expiry = self.expires_at_s
        return not self.is_deleted and (expiry is None or now_s < expiry)

    def salience(self, now_s: float) -> float:
        """1 at the last write or refresh, halved with each half-life; 1 without a half-life."""
        if self.half_life_s is None:
            return 1.0
        return float(2 ** (-max(0.0, now_s - self.refreshed_at_s) / self.half_life_s))


def fading_period_s(half_life_s: float | None) -> float | None:
    """Seconds until a salience of 1 is FORGOTTEN; None without a half-life.

    About ten half-lives: FORGOTTEN is close to 2 ** -10.
    """
    return None if half_life_s is None else -half_life_s * log2(FORGOTTEN)


def entry_after(
    previous: Entry | None,
    place: Place,
    *,
    action: DocumentAction,
    at: str,
    principal: str,
    salt: str,
    rationale: str,
    text: Text,
) -> Entry:
    """The entry of the version after `previous`; `salt` is fresh random hex."""
    version = 1 if previous is None else previous.version + 1
    previous_hash = FIRST if previous is None else previous.hash
    text_hash = text_hash_of(salt, rationale, sha256_of(text))
    return Entry(
        version,
        action,
        at,
        principal,
        previous_hash,
        _hash(place, version, previous_hash, action, at, principal, text_hash),
        text_hash,
        salt,
        rationale,
    )


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
    before = version.entry
    kept = Entry(
        before.version,
        before.action,
        before.at,
        before.principal,
        before.previous_hash,
        before.hash,
        before.text_hash,
    )
    return Version(kept, None)


def first_broken(place: Place, versions: Iterable[Version]) -> int | None:
    """The number of the first version that breaks the chain; None if the chain holds.

    `versions` are consecutive, oldest first. Older versions may have expired.
    """
    kept = list(versions)
    if not kept:
        return None
    by_entry = {version.entry.hash: version for version in kept}

    oldest = kept[0].entry
    follows = FIRST if oldest.version == 1 else oldest.previous_hash
    broken = digests.first_broken(
        [each.entry for each in kept],
        lambda entry: _expected_hash(place, by_entry[entry.hash]),
        follows=follows,
    )
    numbers = [each.entry.version for each in kept]
    for position, number in enumerate(numbers):
        if number != numbers[0] + position and (broken is None or position < broken):
            broken = position
    return None if broken is None else numbers[min(broken, len(numbers) - 1)]


def sha256_of(text: Text) -> str:
    """The SHA-256 of a value's JSON text, in hex; empty without a value."""
    match text:
        case None:
            return ""
        case LargeValue():
            return text.sha256
        case _:
            return hashlib.sha256(text.encode()).hexdigest()


def _expected_hash(place: Place, version: Version) -> str | None:
    entry = version.entry
    if entry.salt and text_hash_of(entry.salt, entry.rationale, sha256_of(version.text)) != (
        entry.text_hash
    ):
        return None
    if not entry.salt and (entry.rationale or version.text is not None):
        return None
    return _hash(
        place,
        entry.version,
        entry.previous_hash,
        entry.action,
        entry.at,
        entry.principal,
        entry.text_hash,
    )


def _hash(  # noqa: PLR0917 - the parts of an entry
    place: Place,
    version: int,
    previous_hash: str,
    action: str,
    at: str,
    principal: str,
    text_hash: str,
) -> str:
    return hash_of(place.id, version, previous_hash, action, at, principal, text_hash)
