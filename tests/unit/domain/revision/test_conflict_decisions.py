"""The table of what becomes of an observed fact and its rivals, row by row."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.vocabulary import ConflictPolicy, RevisionStatus
from membrane.domain.records.payloads import RevisionState, SemanticPayload
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.conflict_decisions import (
    CreateAgainst,
    CreateBeside,
    CreateForkOf,
    CreateInPlaceOf,
    Decision,
    Reinforce,
    Rival,
    ThinOut,
    decide,
)
from membrane.domain.revision.conflicts import capped_policy, covers, fact_of, is_same
from membrane.domain.revision.successors import MAX_SOURCES
from tests.builders.observations import CONTEST, FORK, KEEP, REPLACE
from tests.builders.records import a_fact
from tests.builders.revised_records import in_store

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


@dataclass(frozen=True)
class Row:
    """A rule of the table: what is decided for an observation of coffee or tea."""

    policy: ConflictPolicy
    says: str
    rivals: Sequence[StoredRecord]
    decided: Decision
    end: str = ""
    most_replaced: int = MAX_SOURCES
    reinforces_same: bool = False


TABLE = {
    "keep: created without rivals": Row(KEEP, "tea", [], CreateBeside()),
    "keep: created beside a rival that says the same": Row(KEEP, "tea", [TEA], CreateBeside()),
    "keep: created beside a rival that says otherwise": Row(KEEP, "tea", [MILK], CreateBeside()),
    "keep, but reinforce: created without rivals": Row(
        KEEP, "tea", [], CreateBeside(), reinforces_same=True
    ),
    "keep, but reinforce: a rival that says the same is reinforced and replaces none": Row(
        KEEP, "milk", [TEA, MILK], Reinforce(MILK), reinforces_same=True
    ),
    "keep, but reinforce: created beside a rival that says otherwise": Row(
        KEEP, "tea", [MILK], CreateBeside(), reinforces_same=True
    ),
    "keep, but reinforce: created beside a rival that says the same for a shorter time": Row(
        KEEP, "tea", [TEA_UNTIL_MAY], CreateBeside(), end=JUNE, reinforces_same=True
    ),
    "replace: created without rivals": Row(REPLACE, "tea", [], CreateBeside()),
    "replace: created in place of every rival": Row(
        REPLACE, "coffee", [TEA, MILK], CreateInPlaceOf([TEA, MILK])
    ),
    "replace: created in place of a contested rival": Row(
        REPLACE, "coffee", [CONTESTED_TEA], CreateInPlaceOf([CONTESTED_TEA])
    ),
    "replace: a rival that says the same is reinforced": Row(
        REPLACE, "tea", [TEA], Reinforce(TEA, [])
    ),
    "replace: a contested rival that says the same is reinforced": Row(
        REPLACE, "tea", [CONTESTED_TEA], Reinforce(CONTESTED_TEA, [])
    ),
    "replace: the reinforced rival replaces the contradicting ones": Row(
        REPLACE, "milk", [TEA, MILK, WATER], Reinforce(MILK, [TEA, WATER])
    ),
    "replace: the reinforced rival replaces shorter ones that say the same": Row(
        REPLACE,
        "tea",
        [TEA_UNTIL_MAY, TEA_UNTIL_JUNE],
        Reinforce(TEA_UNTIL_JUNE, [TEA_UNTIL_MAY]),
        end=MAY,
    ),
    "replace: the widest of those that say the same is reinforced": Row(
        REPLACE, "tea", [TEA_UNTIL_JUNE, TEA], Reinforce(TEA, [TEA_UNTIL_JUNE]), end=MAY
    ),
    "replace: of equally wide ones the oldest is reinforced": Row(
        REPLACE,
        "tea",
        [TEA, replace(TEA, version=2)],
        Reinforce(TEA, []),
    ),
    "replace: a rival that says the same for a shorter time is replaced": Row(
        REPLACE, "tea", [TEA_UNTIL_MAY], CreateInPlaceOf([TEA_UNTIL_MAY]), end=JUNE
    ),
    "replace: as many as one write holds are replaced at once": Row(
        REPLACE, "coffee", CROWD[:MAX_SOURCES], CreateInPlaceOf(CROWD[:MAX_SOURCES])
    ),
    "replace: more than one write holds are thinned out first, oldest first": Row(
        REPLACE, "coffee", CROWD[::-1], ThinOut([CROWD])
    ),
    "replace: the rival to reinforce is not thinned out": Row(
        REPLACE, "tea", [*CROWD, TEA], ThinOut([CROWD])
    ),
    "replace: thinned out within one sensitivity": Row(
        REPLACE, "coffee", [*CROWD, SECRET], ThinOut([CROWD])
    ),
    "replace: where the head has room for none, two are thinned out": Row(
        REPLACE, "coffee", [TEA, MILK], ThinOut([[TEA, MILK]]), most_replaced=1
    ),
    "replace: nothing is left to thin out": Row(
        REPLACE, "coffee", [TEA, SECRET], CreateInPlaceOf([TEA, SECRET]), most_replaced=1
    ),
    "fork: created without rivals": Row(FORK, "tea", [], CreateBeside()),
    "fork: created as a fork of the oldest rival": Row(
        FORK, "coffee", [TEA, MILK], CreateForkOf(TEA)
    ),
    "fork: a rival that says the same is reinforced and replaces none": Row(
        FORK, "milk", [TEA, MILK], Reinforce(MILK)
    ),
    "fork: a rival that says the same for a shorter time is forked": Row(
        FORK, "tea", [TEA_UNTIL_MAY], CreateForkOf(TEA_UNTIL_MAY), end=JUNE
    ),
    "contest: created without rivals": Row(CONTEST, "tea", [], CreateBeside()),
    "contest: every contradicting rival is contested": Row(
        CONTEST, "coffee", [TEA, MILK], CreateAgainst([TEA, MILK])
    ),
    "contest: a contested rival is contested again": Row(
        CONTEST, "coffee", [CONTESTED_TEA], CreateAgainst([CONTESTED_TEA])
    ),
    "contest: a rival that says the same is reinforced and replaces none": Row(
        CONTEST, "milk", [TEA, MILK], Reinforce(MILK)
    ),
    "contest: a rival that says the same for a shorter time is not contested": Row(
        CONTEST, "tea", [TEA_UNTIL_MAY, MILK], CreateAgainst([MILK]), end=JUNE
    ),
    "contest: created where no rival contradicts": Row(
        CONTEST, "tea", [TEA_UNTIL_MAY], CreateBeside(), end=JUNE
    ),
    "contest: of more than one write holds the newest are contested": Row(
        CONTEST, "coffee", CROWD, CreateAgainst(CROWD[-MAX_SOURCES:])
    ),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_an_observed_fact(row: Row) -> None:
    observed = fact_of(a_rival("observed", row.says, end=row.end).record)
    rivals = [Rival(each, is_same(row.says, said_by(each))) for each in row.rivals]

    decided = decide(
        row.policy,
        observed,
        rivals,
        reinforces_same=row.reinforces_same,
        most_replaced=row.most_replaced,
    )

    assert decided == row.decided


def said_by(stored: StoredRecord) -> Any:
    return fact_of(stored.record).object


RIVALS = st.lists(st.sampled_from([TEA, MILK, WATER, CONTESTED_TEA, TEA_UNTIL_MAY]), max_size=6)


@given(policy=st.sampled_from(ConflictPolicy), says=st.sampled_from(["tea", "ale"]), several=RIVALS)
def test_with_reinforcement_no_equal_fact_is_created_where_a_rival_covers_the_fact(
    policy: ConflictPolicy, says: str, several: list[StoredRecord]
) -> None:
    observed = fact_of(a_rival("observed", says, end=JUNE).record)
    rivals = [Rival(each, is_same(says, said_by(each))) for each in several]
    same = [fact_of(each.stored.record) for each in rivals if each.says_same]
    is_known = any(covers(each, observed) for each in same)

    decided = decide(policy, observed, rivals, reinforces_same=True)

    assert isinstance(decided, Reinforce) is is_known


@given(policy=st.sampled_from(ConflictPolicy), says=st.sampled_from(["tea", "ale"]), several=RIVALS)
def test_reinforcing_equal_facts_makes_a_difference_under_keep_alone(
    policy: ConflictPolicy, says: str, several: list[StoredRecord]
) -> None:
    observed = fact_of(a_rival("observed", says, end=JUNE).record)
    rivals = [Rival(each, is_same(says, said_by(each))) for each in several]

    usual = decide(policy, observed, rivals)
    reinforcing = decide(policy, observed, rivals, reinforces_same=True)

    assert usual == (CreateBeside() if policy is KEEP else reinforcing)


@given(says=st.sampled_from(["tea", "ale"]), several=RIVALS, policy=st.sampled_from(ConflictPolicy))
def test_under_a_capped_policy_no_fact_is_superseded_or_varied(
    policy: ConflictPolicy, says: str, several: list[StoredRecord]
) -> None:
    observed = fact_of(a_rival("observed", says, end=JUNE).record)
    rivals = [Rival(each, is_same(says, said_by(each))) for each in several]

    decided = decide(capped_policy(policy), observed, rivals, reinforces_same=True)

    assert isinstance(decided, CreateBeside | CreateAgainst | Reinforce)
    assert not isinstance(decided, Reinforce) or not decided.replaced
