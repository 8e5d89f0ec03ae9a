"""The table of what becomes of an observed fact and its rivals, row by row."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import AuditAction, ConflictPolicy, RevisionStatus
from membrane.domain.records.payloads import RevisionState, SemanticPayload
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import MAX_SOURCES
from membrane.domain.revision.conflicts import (
    Decision,
    Observation,
    capped_policy,
    covers,
    decide,
    fact_of,
    is_same,
)
from tests.builders.observations import CONTEST, FORK, KEEP, REPLACE
from tests.builders.records import a_fact, a_making, in_store

MAY, JUNE, JULY = (f"2026-0{month}-01T00:00:00Z" for month in (5, 6, 7))


def a_rival(
    name: str, said: str, *, end: str = "", age: int = 0, sensitivity: str = "low"
) -> StoredRecord:
    """An active fact, of that id, which ends at that instant or never."""
    validity = {"mode": "timeboxed", "end": end} if end else {"mode": "global"}
    stored = in_store("semantic", sensitivity=sensitivity)
    payload = SemanticPayload.model_validate({**a_fact(), "object": said, "validity": validity})
    record = stored.record.model_copy(update={"id": name, "payload": payload})
    anchor = stored.anchor._replace(born_s=stored.anchor.born_s - age)
    return replace(stored, record=record, anchor=anchor)


def contested(stored: StoredRecord) -> StoredRecord:
    payload = fact_of(stored.record).model_copy(
        update={"revision": RevisionState(status=RevisionStatus.CONTESTED)}
    )
    return replace(stored, record=stored.record.model_copy(update={"payload": payload}))


TEA = a_rival("tea", "tea", age=3)
MILK = a_rival("milk", "milk", age=2)
WATER = a_rival("water", "water", age=1)
CONTESTED_TEA = contested(TEA)
TEA_UNTIL_MAY = a_rival("tea until May", "tea", end=MAY)
TEA_UNTIL_JUNE = a_rival("tea until June", "tea", end=JUNE)
TEA_UNTIL_JULY = a_rival("tea until July", "tea", end=JULY)
SECRET = a_rival("secret", "milk", sensitivity="high")
CROWD = [a_rival(f"rival {number:02}", str(number), age=99 - number) for number in range(40)]


Outcome = tuple[bool, Sequence[tuple[str, str]], Sequence[Sequence[str]]]
"""Whether a fact is created, the id and deed of each change, and the ids of crowds."""


def beside() -> Outcome:
    return True, [], []


def reinforced(known: StoredRecord, *replaced: StoredRecord) -> Outcome:
    return False, [(known.id, "reinforced"), *((each.id, "superseded") for each in replaced)], []


def in_place_of(*rivals: StoredRecord) -> Outcome:
    return True, [(each.id, "superseded") for each in rivals], []


def fork_of(source: StoredRecord) -> Outcome:
    return True, [(source.id, "forked")], []


def against(*rivals: StoredRecord) -> Outcome:
    return True, [(each.id, "contested") for each in rivals], []


def thinning(*rivals: StoredRecord) -> Outcome:
    return False, [], [[each.id for each in rivals]]


def outcome(decided: Decision) -> Outcome:
    changed = [(before.id, deed(before, after)) for before, after in decided.changed]
    crowds = [[each.id for each in crowd] for crowd in decided.crowds]
    return decided.created is not None, changed, crowds


def deed(before: StoredRecord, after: StoredRecord) -> str:
    """What the first new entry of the audit says."""
    entry = after.trail[len(before.trail)]
    if entry.action is AuditAction.REINFORCE:
        return "reinforced"
    return next(each for each in ("superseded", "forked", "contested") if each in entry.rationale)


@dataclass(frozen=True)
class Row:
    """A rule of the table: what is decided for an observation of coffee or tea."""

    policy: ConflictPolicy
    says: str
    rivals: Sequence[StoredRecord]
    decided: Outcome
    end: str = ""
    has_room: bool = True
    reinforces_same: bool = False


TABLE = {
    "keep: created without rivals": Row(KEEP, "tea", [], beside()),
    "keep: created beside a rival that says the same": Row(KEEP, "tea", [TEA], beside()),
    "keep: created beside a rival that says otherwise": Row(KEEP, "tea", [MILK], beside()),
    "keep, but reinforce: created without rivals": Row(
        KEEP, "tea", [], beside(), reinforces_same=True
    ),
    "keep, but reinforce: a rival that says the same is reinforced and replaces none": Row(
        KEEP, "milk", [TEA, MILK], reinforced(MILK), reinforces_same=True
    ),
    "keep, but reinforce: created beside a rival that says otherwise": Row(
        KEEP, "tea", [MILK], beside(), reinforces_same=True
    ),
    "keep, but reinforce: created beside a rival that says the same for a shorter time": Row(
        KEEP, "tea", [TEA_UNTIL_MAY], beside(), end=JUNE, reinforces_same=True
    ),
    "replace: created without rivals": Row(REPLACE, "tea", [], beside()),
    "replace: created in place of every rival": Row(
        REPLACE, "coffee", [TEA, MILK], in_place_of(TEA, MILK)
    ),
    "replace: created in place of a contested rival": Row(
        REPLACE, "coffee", [CONTESTED_TEA], in_place_of(CONTESTED_TEA)
    ),
    "replace: a rival that says the same is reinforced": Row(
        REPLACE, "tea", [TEA], reinforced(TEA)
    ),
    "replace: a contested rival that says the same is reinforced": Row(
        REPLACE, "tea", [CONTESTED_TEA], reinforced(CONTESTED_TEA)
    ),
    "replace: the reinforced rival replaces the contradicting ones": Row(
        REPLACE, "milk", [TEA, MILK, WATER], reinforced(MILK, TEA, WATER)
    ),
    "replace: the reinforced rival replaces shorter ones that say the same": Row(
        REPLACE,
        "tea",
        [TEA_UNTIL_MAY, TEA_UNTIL_JUNE],
        reinforced(TEA_UNTIL_JUNE, TEA_UNTIL_MAY),
        end=MAY,
    ),
    "replace: the widest of those that say the same is reinforced": Row(
        REPLACE, "tea", [TEA_UNTIL_JUNE, TEA], reinforced(TEA, TEA_UNTIL_JUNE), end=MAY
    ),
    "replace: of equally wide ones the oldest is reinforced": Row(
        REPLACE,
        "tea",
        [TEA, replace(TEA, version=2)],
        reinforced(TEA),
    ),
    "replace: a rival that says the same for a shorter time is replaced": Row(
        REPLACE, "tea", [TEA_UNTIL_MAY], in_place_of(TEA_UNTIL_MAY), end=JUNE
    ),
    "replace: as many as one write holds are replaced at once": Row(
        REPLACE, "coffee", CROWD[:MAX_SOURCES], in_place_of(*CROWD[:MAX_SOURCES])
    ),
    "replace: more than one write holds are thinned out first, oldest first": Row(
        REPLACE, "coffee", CROWD[::-1], thinning(*CROWD)
    ),
    "replace: the rival to reinforce is not thinned out": Row(
        REPLACE, "tea", [*CROWD, TEA], thinning(*CROWD)
    ),
    "replace: thinned out within one sensitivity": Row(
        REPLACE, "coffee", [*CROWD, SECRET], thinning(*CROWD)
    ),
    "replace: where the head has room for none, two are thinned out": Row(
        REPLACE, "coffee", [TEA, MILK], thinning(TEA, MILK), has_room=False
    ),
    "replace: nothing is left to thin out": Row(
        REPLACE, "coffee", [TEA, SECRET], in_place_of(TEA, SECRET), has_room=False
    ),
    "fork: created without rivals": Row(FORK, "tea", [], beside()),
    "fork: created as a fork of the oldest rival": Row(FORK, "coffee", [TEA, MILK], fork_of(TEA)),
    "fork: a rival that says the same is reinforced and replaces none": Row(
        FORK, "milk", [TEA, MILK], reinforced(MILK)
    ),
    "fork: a rival that says the same for a shorter time is forked": Row(
        FORK, "tea", [TEA_UNTIL_MAY], fork_of(TEA_UNTIL_MAY), end=JUNE
    ),
    "contest: created without rivals": Row(CONTEST, "tea", [], beside()),
    "contest: every contradicting rival is contested": Row(
        CONTEST, "coffee", [TEA, MILK], against(TEA, MILK)
    ),
    "contest: a contested rival is contested again": Row(
        CONTEST, "coffee", [CONTESTED_TEA], against(CONTESTED_TEA)
    ),
    "contest: a rival that says the same is reinforced and replaces none": Row(
        CONTEST, "milk", [TEA, MILK], reinforced(MILK)
    ),
    "contest: a rival that says the same for a shorter time is not contested": Row(
        CONTEST, "tea", [TEA_UNTIL_MAY, MILK], against(MILK), end=JUNE
    ),
    "contest: created where no rival contradicts": Row(
        CONTEST, "tea", [TEA_UNTIL_MAY], beside(), end=JUNE
    ),
    "contest: of more than one write holds the newest are contested": Row(
        CONTEST, "coffee", CROWD, against(*CROWD[-MAX_SOURCES:])
    ),
}


def decision(
    policy: ConflictPolicy,
    says: str,
    rivals: Sequence[StoredRecord],
    *,
    end: str = JUNE,
    reinforces_same: bool = False,
    has_room: bool = True,
) -> Decision:
    """The decision about an observation that says so, until then or for ever."""
    record, made = a_rival("observed", says, end=end).record, a_making()
    seen = Observation(record, "agent", policy, made, reinforces_same=reinforces_same)
    equal = {each.id for each in rivals if is_same(says, said_by(each))}
    return decide(seen, rivals, equal, lambda _: a_making(), lambda known: known, has_room=has_room)


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_an_observed_fact(row: Row) -> None:
    decided = decision(
        row.policy,
        row.says,
        row.rivals,
        end=row.end,
        reinforces_same=row.reinforces_same,
        has_room=row.has_room,
    )

    assert outcome(decided) == row.decided


def said_by(stored: StoredRecord) -> Any:
    return fact_of(stored.record).object


RIVALS = st.lists(st.sampled_from([TEA, MILK, WATER, CONTESTED_TEA, TEA_UNTIL_MAY]), max_size=6)


policies = st.sampled_from(ConflictPolicy)
sayings = st.sampled_from(["tea", "ale"])


@given(policy=policies, says=sayings, several=RIVALS)
def test_with_reinforcement_no_equal_fact_is_created_where_a_rival_covers_the_fact(
    policy: ConflictPolicy, says: str, several: list[StoredRecord]
) -> None:
    observed = fact_of(a_rival("observed", says, end=JUNE).record)
    same = [fact_of(each.record) for each in several if is_same(says, said_by(each))]
    is_known = any(covers(each, observed) for each in same)

    decided = decision(policy, says, several, reinforces_same=True)

    assert (decided.created is None) is is_known


@given(policy=policies, says=sayings, several=RIVALS)
def test_reinforcing_equal_facts_makes_a_difference_under_keep_alone(
    policy: ConflictPolicy, says: str, several: list[StoredRecord]
) -> None:
    usual = decision(policy, says, several)
    reinforcing = decision(policy, says, several, reinforces_same=True)

    assert outcome(usual) == (beside() if policy is KEEP else outcome(reinforcing))


@given(policy=policies, says=sayings, several=RIVALS)
def test_under_a_capped_policy_no_fact_is_superseded_or_varied(
    policy: ConflictPolicy, says: str, several: list[StoredRecord]
) -> None:
    decided = decision(capped_policy(policy), says, several, reinforces_same=True)

    _, changed, crowds = outcome(decided)
    assert {deed for _, deed in changed} <= {"reinforced", "contested"}
    assert not crowds
