"""Keyed documents in an erasure: what is found, where an id leads, and how a document is erased.

A document is found by its head; what lies beside goes with the head. No id of a document leads to
the document by itself, so an erasure notes where each found document is.
"""

from dataclasses import replace
from itertools import chain

from membrane.domain.access.principals import Principal
from membrane.domain.documents.model import Document, Making, erase
from membrane.domain.documents.places import Place
from membrane.domain.erasure.jobs import Action, Finding, Job, Kind, Stage
from membrane.domain.erasure.targets import DOCUMENT_ID, Ground, Target, TargetKind, document_id
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.usecases.erasure.condemned import ERASED_SCOPE, may_write, why_of
from membrane.usecases.ports.world import World


def finding_of(
    document: Document, job: Job, target: Target, principal: Principal, world: World
) -> Finding | None:
    """What the erasure does with a document that it finds; then also notes where the document is.

    Only the listing looks into values, and keeps a document that mentions the subject alone.
    """
    if not may_write(document, principal):
        return None
    ground, action = target.ground_of_place(document.place), Action.ERASE
    if ground is None and job.stage is Stage.LISTING and target.searches(document.scope):
        ground, action = _ground_to_keep(document, target, world), Action.KEEP
    if ground is None:
        return None
    until_s = epoch_seconds(world.now() + world.retention.tombstone)
    world.erasures.note_place(document, until_s)
    return Finding(Kind.DOCUMENT, document_id(document.place), ground, action)


def names_of_document(document: Document) -> tuple[str, ...]:
    """The names by which a document may be about a subject."""
    return (*document.place.namespace, document.place.key)


def _ground_to_keep(document: Document, target: Target, world: World) -> Ground | None:
    """The subject in an unconfirmed spelling, or in any text of the document's past and present."""
    names = names_of_document(document)
    if target.spellings_among(names):
        return Ground.IS_ABOUT
    contents = chain([names], world.erasures.contents_of(document))
    return Ground.MENTIONS if any(map(target.is_mentioned_in, contents)) else None


def place_named(found_id: str, world: World) -> Place | None:
    """Where a document is that a listing has found; None for any other id."""
    if not found_id.startswith(DOCUMENT_ID):
        return None
    return world.erasures.place_noted(found_id.removeprefix(DOCUMENT_ID))


def document_named(found_id: str, world: World) -> Document | None:
    place = place_named(found_id, world)
    return None if place is None else world.documents.load(place)


def erase_document(found_id: str, job: Job, world: World) -> Document | None:
    """The erased document without a name; None for a document that is gone. Raises LostRace.

    The head leaves the place last. A put that comes before goes on from the erased version, so the
    next try erases the put, too.
    """
    place_id, documents = found_id.removeprefix(DOCUMENT_ID), world.documents
    nameless = Place(f"{ERASED_SCOPE}{job.id}", (), "", erased_id=place_id)
    before = document_named(found_id, world)
    if before is not None:
        erased = before if _is_erased_by(job, before) else _erase_head(before, job, world)
        left = replace(erased, place=nameless)
        if job.target is not None and job.target.kind is not TargetKind.SCOPE:
            documents.remove_list(nameless, before.created_at)  # a scope's items go one by one
        documents.erase_history(left)
        documents.move(erased, nameless)
    left_behind = documents.load(nameless)
    world.erasures.forget_place(place_id, left_behind)
    return left_behind


def _is_erased_by(job: Job, document: Document) -> bool:
    return document.is_erased and document.current.entry.rationale == why_of(job).rationale


def _erase_head(before: Document, job: Job, world: World) -> Document:
    now, why = world.now(), why_of(job)
    making = Making(epoch_seconds(now), rfc3339(now), why.actor, world.new_salt(), why.rationale)
    erased = erase(before, making, world.retention.tombstone.total_seconds())
    touched_s = max(erased.refreshed_at_s, before.refreshed_at_s)
    return world.documents.replace(before, replace(erased, refreshed_at_s=touched_s))
