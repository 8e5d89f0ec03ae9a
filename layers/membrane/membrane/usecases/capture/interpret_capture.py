"""Let a model interpret a capture after the write, once, and add what counts to the record.

The model sees and links only records in the scope of the capture or unscoped, up to the
sensitivity of the capture, whatever the key of the capture may see.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from membrane.domain.access.principals import INTERPRETER
from membrane.domain.capture.acceptance import Accepted
from membrane.domain.capture.additions import added_relations, with_additions
from membrane.domain.capture.proposals import ProposedFact, ProposedMention
from membrane.domain.ingest.builder import Making, Why, with_entry
from membrane.domain.language.errors import Aborted, NotFound
from membrane.domain.language.vocabulary import AuditAction
from membrane.domain.records.interpretation import Interpretation, Mention
from membrane.domain.records.stored import AnyRecord, StoredRecord
from membrane.usecases.capture.ask_interpreter import ask_interpreter
from membrane.usecases.capture.interpreting_call import (
    CaptureGoneError,
    interpreting_call,
    is_interpreted,
    load_standing,
    require_same_place,
)
from membrane.usecases.capture.linkable_records import candidate_of, is_alive, linkable_to
from membrane.usecases.capture.read_material import Material
from membrane.usecases.ports.interpreters import Interpreter
from membrane.usecases.ports.world import World
from membrane.usecases.records.changing import Step, change

CLAIM_S = 240
"""Seconds for which a worker claims a capture: longer than the function can run."""

INTERPRETED = "InterpretedCaptures"
"""The metric of captures that a model interpreted."""


class Outcome(StrEnum):
    INTERPRETED = "interpreted"
    REPEATED = "repeated"
    """The capture was interpreted before."""
    GONE = "gone"
    """The record is deleted, retracted or absent, or has no interpretation."""
    POSTPONED = "postponed"
    """No tokens are left today, and a copy of the message waits."""
    SWITCHED_OFF = "switched_off"
    """No model interprets."""


@dataclass(frozen=True, slots=True)
class CaptureSteps:
    """The steps around the question; every step may be repeated for the same capture."""

    read_material: Callable[[StoredRecord], Material]
    """Content and context of the capture, see `read_material`."""
    find_candidates: Callable[[StoredRecord, Material], Sequence[AnyRecord]]
    """Records that the content may mean, the likeliest first."""
    resolve_mentions: Callable[[Sequence[ProposedMention], StoredRecord], Sequence[Mention]]
    """The mentions with the ids of entities, known or created.

    An entity that is created gets scope and sensitivity of the capture; a known entity never
    changes. Raises CaptureGoneError.
    """
    write_facts: Callable[
        [Sequence[ProposedFact], Sequence[Mention], StoredRecord], Mapping[str, ProposedFact]
    ]
    """The facts by id, created or reinforced, with the capture as evidence.

    A fact gets scope and sensitivity of the capture and the confidence of the model, and never
    replaces another fact: the conflict policy is `contest` at most. Raises CaptureGoneError.
    """


def interpret_capture(record_id: str, version: int, steps: CaptureSteps, world: World) -> Outcome:
    """Ask the model about the capture that was written as `version` of the record.

    Raises MalformedProposal; ResourceExhausted, also without tokens left today; Unavailable;
    Aborted, also while another worker interprets the capture; the errors of the steps. Nothing is
    marked then, so a repeat asks again.
    """
    interpreter = world.interpreter
    if interpreter is None:
        return Outcome.SWITCHED_OFF
    held = world.records.load(record_id)
    if not is_alive(held) or held.version < version or held.record.interpretation is None:
        return Outcome.GONE
    if is_interpreted(held):
        return Outcome.REPEATED
    with _claim(held, world):
        accepted = _ask_about(held, interpreter, steps, world)
        return _add_to(held, accepted, interpreter.name, steps, world)


@contextmanager
def _claim(held: StoredRecord, world: World) -> Iterator[None]:
    """A claim to the capture; raises Aborted while another worker has one.

    A failure ends the claim, so that the next try need not wait. A success lets the claim run out:
    a worker that loaded the capture before the success still meets the claim.
    """
    worker = world.new_id()
    if not world.claims.take(held.id, worker, CLAIM_S):
        raise Aborted("another worker interprets the capture")
    try:
        yield
    except Exception:
        world.claims.release(held.id, worker)
        raise


def _add_to(
    held: StoredRecord,
    accepted: Accepted,
    model: str,
    steps: CaptureSteps,
    world: World,
) -> Outcome:
    """Add what counts to the capture, unless it is gone by now.

    Raises Aborted for a capture that was reclassified since the model was asked.
    """
    try:
        _add(accepted, held, model, steps, world)
    except CaptureGoneError:  # while the model was thinking, or since
        return Outcome.GONE
    world.measure(INTERPRETED, 1, "Count")
    return Outcome.INTERPRETED


def _add(
    accepted: Accepted,
    asked_about: StoredRecord,
    model: str,
    steps: CaptureSteps,
    world: World,
) -> None:
    """Write entities, facts and the next version of the capture.

    Every write fails once the capture is gone or reclassified. Raises CaptureGoneError; Aborted.
    """
    held = load_standing(asked_about, world)
    mentions = steps.resolve_mentions(accepted.mentions, held) if accepted.mentions else ()
    facts = steps.write_facts(accepted.facts, mentions, held) if accepted.facts else {}
    found = _Found(accepted, mentions, facts, model)
    try:
        change(held.id, partial(_step, found, held, world), interpreting_call(held), world)
    except NotFound:  # gone, or out of the sight of the call: `load_standing` knows which
        load_standing(held, world)
        raise


class _Found(NamedTuple):
    """Everything that a model adds to a capture."""

    accepted: Accepted
    mentions: Sequence[Mention]
    facts: Mapping[str, ProposedFact]
    """By id."""
    model: str

    @property
    def target_ids(self) -> list[str]:
        """The distinct ids of all records to link."""
        accepted = self.accepted
        ids = (
            *self.facts,
            *(each.canonical_entity_id for each in self.mentions),
            *(each.target_id for each in accepted.references),
            *(each.target_id for each in accepted.relations),
        )
        return [each for each in dict.fromkeys(ids) if each]


def _ask_about(
    held: StoredRecord,
    interpreter: Interpreter,
    steps: CaptureSteps,
    world: World,
) -> Accepted:
    material = steps.read_material(held)
    near = linkable_to(held, steps.find_candidates(held, material))
    candidates = [candidate_of(each) for each in near.values()]
    return ask_interpreter(interpreter, *material, candidates, world)


def _step(
    found: _Found,
    held: StoredRecord,
    world: World,
    newest: StoredRecord,
    making: Making,
) -> Step:
    """The next version of the capture, with the targets as stored now; raises Aborted."""
    require_same_place(held, newest)
    ids = found.target_ids
    targets = linkable_to(newest, world.records.load_each(ids).values() if ids else ())
    types = {each.id: each.type for each in targets.values()}
    before = newest.record.interpretation or Interpretation()
    interpretation = with_additions(before, found.mentions, found.accepted, types, found.facts)
    relations = added_relations(newest.record, interpretation, found.facts, types, making.timestamp)
    record = newest.record.model_copy(
        update={
            "interpretation": interpretation,
            "relations": (*newest.record.relations, *relations),
        }
    )
    why = Why(INTERPRETER, f"interpreted by {found.model}")
    after = newest.next_version(with_entry(record, AuditAction.REVISE, why, making))
    return Step(after, targets=[targets[each] for each in {r.target_id: None for r in relations}])
