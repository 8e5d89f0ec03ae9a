"""The decision table for an observed fact and the active facts in conflict with it.

Rivals are the active facts of the same scope, subject, predicate and conditions whose window
overlaps the window of the observed fact. Facts that the caller may not see are no rivals.

    policy    a rival has the same      otherwise
              object and covers the
              observed window
    keep      created beside all, or    created beside all
              reinforced (see below)
    replace   rival reinforced,         created in place of every rival
              supersedes other rivals
    fork      rival reinforced          created as a fork of the oldest rival
    contest   rival reinforced          created; contests the others: uncontested, then newest

Under `keep` a fact that is reported twice stands twice, unless the observation reinforces equal
facts (`reinforces_same`): then the rival is reinforced and supersedes no other rival.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from membrane.domain.language.vocabulary import ConflictPolicy, Sensitivity
from membrane.domain.records.payloads import SemanticPayload
from membrane.domain.records.standing import is_contested
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.conflicts import covers, fact_of
from membrane.domain.revision.successors import MAX_SOURCES


@dataclass(frozen=True, slots=True)
class Rival:
    """An active fact that competes with the observed fact."""

    stored: StoredRecord
    says_same: bool
    """Whether the object of the rival is the observed object."""


@dataclass(frozen=True, slots=True)
class CreateBeside:
    """Create the observed fact; no rival changes."""


@dataclass(frozen=True, slots=True)
class Reinforce:
    """Reinforce `known` instead of creating a record; `known` supersedes `replaced`."""

    known: StoredRecord
    replaced: Sequence[StoredRecord] = ()


@dataclass(frozen=True, slots=True)
class CreateInPlaceOf:
    """Create the observed fact; the rivals are superseded."""

    replaced: Sequence[StoredRecord]


@dataclass(frozen=True, slots=True)
class CreateForkOf:
    """Create the observed fact as a variant of a rival."""

    source: StoredRecord


@dataclass(frozen=True, slots=True)
class CreateAgainst:
    """Create the observed fact; the rivals become contested."""

    contested: Sequence[StoredRecord]


@dataclass(frozen=True, slots=True)
class ThinOut:
    """Supersede each group by its newest member, then read and decide again.

    The facts of a group have the same sensitivity and are sorted by age, oldest first. So no
    successor changes sensitivity.
    """

    groups: Sequence[Sequence[StoredRecord]]


Decision = CreateBeside | Reinforce | CreateInPlaceOf | CreateForkOf | CreateAgainst | ThinOut


def decide(
    policy: ConflictPolicy,
    observed: SemanticPayload,
    rivals: Sequence[Rival],
    *,
    reinforces_same: bool = False,
    most_replaced: int = MAX_SOURCES,
    most_contested: int = MAX_SOURCES,
) -> Decision:
    """The decision for an observed fact; `rivals` are sorted by age, oldest first.

    With `reinforces_same` an equal fact is reinforced also under KEEP. `most_replaced` and
    `most_contested` are the numbers of rivals that one write may replace and contest.
    """
    if not rivals:
        return CreateBeside()
    known = _widest_known(observed, rivals)
    match policy:
        case ConflictPolicy.KEEP:
            return Reinforce(known) if known and reinforces_same else CreateBeside()
        case ConflictPolicy.REPLACE:
            return _replace(known, rivals, most_replaced)
        case ConflictPolicy.FORK:
            return CreateForkOf(rivals[0].stored) if known is None else Reinforce(known)
        case ConflictPolicy.CONTEST:
            return _contest(rivals, most_contested) if known is None else Reinforce(known)


def _replace(known: StoredRecord | None, rivals: Sequence[Rival], most: int) -> Decision:
    replaced = [each.stored for each in rivals if known is None or _yields_to(known, each)]
    if len(replaced) > most and (groups := _groups_to_thin(replaced)):
        return ThinOut(groups)
    return CreateInPlaceOf(replaced) if known is None else Reinforce(known, replaced)


def _yields_to(known: StoredRecord, rival: Rival) -> bool:
    """Whether the reinforced fact replaces the rival.

    A rival with the same object stays for the time that the reinforced fact does not cover.
    """
    if rival.stored.id == known.id:
        return False
    return not rival.says_same or _covers(known, rival.stored)


def _contest(rivals: Sequence[Rival], most: int) -> Decision:
    others = [each.stored for each in rivals if not each.says_same]
    others.sort(key=lambda each: (not is_contested(each.record.payload), _age(each)))
    return CreateAgainst(sorted(others[-most:], key=_age)) if others else CreateBeside()


def _groups_to_thin(crowd: Sequence[StoredRecord]) -> Sequence[Sequence[StoredRecord]]:
    """The crowd by sensitivity, without groups of a single record."""
    groups: dict[Sensitivity, list[StoredRecord]] = {}
    for each in sorted(crowd, key=_age):
        groups.setdefault(each.sensitivity, []).append(each)
    return [group for group in groups.values() if len(group) > 1]


def _widest_known(observed: SemanticPayload, rivals: Sequence[Rival]) -> StoredRecord | None:
    """The rival with the observed object and a window that covers the observed window.

    Of several, the one with the widest window; of equal windows, the first.
    """
    widest: StoredRecord | None = None
    for rival in rivals:
        each = rival.stored
        if not rival.says_same or not covers(fact_of(each.record), observed):
            continue
        if widest is None or (_covers(each, widest) and not _covers(widest, each)):
            widest = each
    return widest


def _covers(one: StoredRecord, other: StoredRecord) -> bool:
    return covers(fact_of(one.record), fact_of(other.record))


def _age(stored: StoredRecord) -> tuple[float, str]:
    return stored.born_s, stored.id
