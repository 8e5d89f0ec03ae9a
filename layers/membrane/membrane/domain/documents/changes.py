"""The next version of a document: what a write, a deletion, an erasure and a refresh make."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from membrane.domain.documents.document import (
    Document,
    DocumentAction,
    Passage,
    Text,
    Version,
    entry_after,
    in_life,
    without_content,
)
from membrane.domain.documents.places import Place
from membrane.domain.language.vocabulary import Sensitivity

MAX_FORMER_CHARACTERS = 600
MAX_FORMER = 4
"""Former versions stay in the document's own item up to both limits.

A write of 1 KB then takes 3 write units at most: value, former versions and two audit entries.
"""


@dataclass(frozen=True, slots=True)
class Making:
    """What the call contributes to a version."""

    now_s: float
    at: str
    """The same instant as RFC 3339."""
    principal: str
    salt: str
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class Content:
    """What a put sets."""

    text: Text
    sensitivity: Sensitivity
    ttl_s: float | None = None
    half_life_s: float | None = None
    index: tuple[str, ...] = ()
    passages: tuple[Passage, ...] = field(default=())
    embedder: str = ""


class Next(NamedTuple):
    """A changed document, and the former versions that leave its own item, oldest first.

    The versions that leave follow from the state before alone: two writers that race over the same
    state move the same versions.
    """

    after: Document
    leaving: Sequence[Version] = ()


def put(before: Document | None, place: Place, content: Content, making: Making) -> Next:
    """The document with a new value; an expired document counts as absent, its chain goes on."""
    entry = entry_after(
        None if before is None else before.current.entry,
        place,
        action=DocumentAction.PUT,
        at=making.at,
        principal=making.principal,
        salt=making.salt,
        rationale=making.rationale,
        text=content.text,
    )
    existed = before is not None and before.is_alive(making.now_s)
    former, leaving = _former_and_leaving(before)
    shown_from = _shown_from(before, content, making) or entry.version
    after = Document(
        place,
        Version(entry, in_life(content.text, place, shown_from)),
        content.sensitivity,
        created_at=before.created_at if before is not None and existed else making.at,
        former=former,
        shown_from=shown_from,
        ttl_s=content.ttl_s,
        half_life_s=content.half_life_s,
        refreshed_at_s=making.now_s,
        index=content.index,
        passages=content.passages,
        embedder=content.embedder,
    )
    return Next(after, leaving)


def delete(before: Document, making: Making, kept_s: float) -> Next:
    """The document without a value; former versions stay for `kept_s` seconds."""
    former, leaving = _former_and_leaving(before)
    return Next(_without_value(before, DocumentAction.DELETE, making, kept_s, former), leaving)


def erase(before: Document, making: Making, kept_s: float) -> Next:
    """The document and its former versions without values and texts; all of them leave the item."""
    leaving = [without_content(version) for version in (*before.former, before.current)]
    return Next(_without_value(before, DocumentAction.ERASE, making, kept_s, ()), leaving)


def with_fresh_period(before: Document, now_s: float) -> Document:
    """The document with its period and its salience begun anew; no new version."""
    return replace(before, refreshed_at_s=max(before.refreshed_at_s, now_s))


def _without_value(
    before: Document,
    action: DocumentAction,
    making: Making,
    kept_s: float,
    former: tuple[Version, ...],
) -> Document:
    entry = entry_after(
        before.current.entry,
        before.place,
        action=action,
        at=making.at,
        principal=making.principal,
        salt=making.salt,
        rationale=making.rationale,
        text=None,
    )
    return Document(
        before.place,
        Version(entry, None),
        before.sensitivity,
        created_at=before.created_at,
        former=former,
        shown_from=before.shown_from,
        refreshed_at_s=making.now_s,
        removed_at_s=making.now_s + kept_s,
    )


def _shown_from(before: Document | None, content: Content, making: Making) -> int | None:
    """As before; None if the history begins with the new version."""
    if before is None or not before.is_alive(making.now_s):
        return None
    is_lowered = content.sensitivity.level < before.sensitivity.level
    return None if is_lowered else before.shown_from


def _former_and_leaving(
    before: Document | None,
) -> tuple[tuple[Version, ...], tuple[Version, ...]]:
    if before is None:
        return (), ()
    every = (*before.former, before.current)
    characters = sum(map(_characters, every))
    if len(every) > MAX_FORMER or characters > MAX_FORMER_CHARACTERS:
        return (), every
    return every, ()


def _characters(version: Version) -> int:
    text = version.text if isinstance(version.text, str) else ""
    return len(text) + len(version.entry.rationale)
