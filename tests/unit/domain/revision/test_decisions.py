"""The table of what becomes of an observed fact and its rivals; which values conflict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.timestamps import NOT_GIVEN
from membrane.domain.language.vocabulary import AuditAction, ConflictPolicy, RevisionStatus
from membrane.domain.records.payloads import Payload, RevisionState, SemanticPayload, WorkingPayload
from membrane.domain.records.standing import (
    Window,
    holds_at,
    is_contested,
    is_retracted,
    require_window,
)
from membrane.domain.records.stored import StoredRecord
from membrane.domain.revision.changes import MAX_SOURCES
from membrane.domain.revision.conflicts import (
    Decision,
    Observation,
    capped_policy,
    covers,
    decide,
    fact_of,
    head_key_of,
    is_same,
)
from membrane.domain.salience.decay_defaults import PolicyDefaults
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


YEARS = [None, *(f"{year}-01-01T00:00:00Z" for year in range(2020, 2026))]

windows = st.builds(Window, st.sampled_from(YEARS), st.sampled_from(YEARS)).filter(
    lambda each: each.start is None or each.end is None or each.start < each.end
)


def fact(**validity: Any) -> SemanticPayload:
    """A fact that holds then."""
    return SemanticPayload.model_validate(
        {
            "kind": "semantic",
            "subject": "door",
            "predicate": "is",
            "object": "open",
            "validity": {"mode": "timeboxed", **validity},
        }
    )


@pytest.mark.parametrize(
    ("scope", "changed", "conditions"),
    [
        ("project:beta", {}, {}),
        ("project:alpha", {"subject": "window"}, {}),
        ("project:alpha", {"predicate": "was"}, {}),
        ("project:alpha", {}, {"weather": "rain"}),
        ("project:alpha", {"subject": "door is", "predicate": ""}, {}),
    ],
)
def test_facts_of_another_scope_subject_predicate_or_condition_have_another_head(
    scope: str, changed: dict[str, str], conditions: dict[str, str]
) -> None:
    other = fact().model_copy(update=changed)

    assert head_key_of(scope, other, conditions) != head_key_of("project:alpha", fact(), {})


def test_conditions_are_the_same_in_whatever_order_they_come() -> None:
    one, other = {"weather": "rain", "day": [1, 2]}, {"day": [1, 2], "weather": "rain"}

    assert head_key_of("", fact(), one) == head_key_of("", fact(), other)
    assert head_key_of("", fact(), one) != head_key_of("", fact(), {**one, "day": [2, 1]})


def test_objects_are_the_same_that_are_one_json_value() -> None:
    assert is_same({"a": 1, "b": [None, "ü"]}, {"b": [None, "ü"], "a": 1})
    assert not is_same({"a": 1}, {"a": "1"})
    assert not is_same([True], [1])
    assert not is_same([1, 2], [2, 1])


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, 1.0), (100, 1e2), (0, -0.0), ({"a": [2.0]}, {"a": [2]}), (10**22, 1e22)],
)
def test_a_number_is_the_same_however_it_is_spelled(one: Any, other: Any) -> None:
    assert is_same(one, other)
    assert head_key_of("", fact(), {"x": one}) == head_key_of("", fact(), {"x": other})
    assert not is_same(one, [other])


def test_numbers_that_differ_are_not_the_same() -> None:
    assert not is_same(1, 1.5)
    assert not is_same(0, 5e-324)
    assert not is_same(2**53 + 1, float(2**53))
    assert not is_same(1.0, True)  # noqa: FBT003 - a value


def test_a_window_covers_what_lies_within_it() -> None:
    year = fact(start="2024-01-01T00:00:00Z", end="2025-01-01T00:00:00Z")

    assert covers(fact(), year)
    assert covers(year, year)
    assert covers(year, fact(start="2024-05-01T00:00:00Z", end="2024-06-01T00:00:00Z"))
    assert not covers(year, fact())
    assert not covers(year, fact(start="2024-05-01T00:00:00Z"))


@given(windows, windows)
def test_windows_overlap_both_ways_or_not_at_all(one: Window, other: Window) -> None:
    assert one.overlaps(other) is other.overlaps(one)
    assert one.overlaps(one)
    assert one.overlaps(other) or not one.covers(other)


@given(windows, windows, st.sampled_from(YEARS[1:]))
def test_where_both_windows_are_open_they_overlap(one: Window, other: Window, now: str) -> None:
    if one.is_open(now) and other.is_open(now):
        assert one.overlaps(other)
    if one.covers(other) and other.is_open(now):
        assert one.is_open(now)


def test_a_window_that_ends_as_it_begins_is_refused() -> None:
    instant = "2024-01-01T00:00:00Z"

    require_window(fact(start=instant, end="2024-01-01T00:00:00.1Z"))
    require_window(fact(start=instant, end="0001-01-01T00:00:00Z"))
    with pytest.raises(InvalidArgument, match="end must be after start"):
        require_window(fact(start=instant, end=instant))


def test_a_predicate_without_a_policy_of_its_own_has_that_of_all_others() -> None:
    replace, fork = ConflictPolicy.REPLACE, ConflictPolicy.FORK

    assert PolicyDefaults().conflict_policy("is") is ConflictPolicy.KEEP
    assert PolicyDefaults(conflicts={"is": replace}).conflict_policy("was") is ConflictPolicy.KEEP
    both = PolicyDefaults(conflicts={"is": replace, "*": fork})
    assert (both.conflict_policy("is"), both.conflict_policy("was")) == (replace, fork)


@pytest.mark.parametrize(
    ("policy", "capped"),
    [("keep", "keep"), ("replace", "contest"), ("fork", "contest"), ("contest", "contest")],
)
def test_a_fact_that_a_model_derived_contests_at_most(policy: str, capped: str) -> None:
    assert capped_policy(ConflictPolicy(policy)) is ConflictPolicy(capped)


NOON = "2026-03-01T12:00:00Z"


def holding(validity: dict[str, Any], revision: dict[str, Any] | None = None) -> Payload:
    """A holding of that validity and revision."""
    return SemanticPayload.model_validate(
        {
            "kind": "semantic",
            "subject": "user",
            "predicate": "likes",
            "object": "tea",
            "validity": {"mode": "timeboxed", **validity},
            "revision": revision,
        }
    )


@pytest.mark.parametrize(
    ("window", "holds"),
    [
        ({}, True),
        ({"start": NOON}, True),
        ({"start": "2026-03-01T12:00:00.000000001Z"}, False),
        ({"end": NOON}, False),
        ({"end": "2026-03-01T12:00:00.000000001Z"}, True),
        ({"start": "2026-03-01T11:00:00Z", "end": "2026-03-01T13:00:00Z"}, True),
        ({"start": "2026-03-01T13:00:00Z", "end": "2026-03-01T11:00:00Z"}, False),
        ({"start": NOT_GIVEN, "end": NOT_GIVEN}, True),
    ],
    ids=str,
)
@pytest.mark.parametrize("mode", ["global", "conditional", "timeboxed"])
def test_a_fact_holds_from_its_start_on_and_before_its_end_in_any_mode(
    window: dict[str, str], *, holds: bool, mode: str
) -> None:
    payload = holding({"mode": mode, **window})

    assert holds_at(payload, NOON) is holds


def test_a_window_ends_before_the_next_one_begins() -> None:
    first = Window("2024-01-01T00:00:00Z", "2025-01-01T00:00:00Z")

    assert not first.overlaps(Window("2025-01-01T00:00:00Z", None))
    assert first.overlaps(Window(None, None))
    assert first.overlaps(Window(None, "2024-01-01T00:00:00.000000001Z"))
    assert not first.overlaps(Window(None, "2024-01-01T00:00:00Z"))


def test_what_is_no_fact_always_counts() -> None:
    state = WorkingPayload.model_validate(
        {"kind": "working", "thread_id": "t", "state": "planning"}
    )

    assert holds_at(state, NOON)
    assert not is_retracted(state)
    assert not is_contested(state)


@pytest.mark.parametrize(
    ("revision", "retracted", "contested"),
    [
        (None, False, False),
        ({}, False, False),
        ({"status": "active"}, False, False),
        ({"status": "contested"}, False, True),
        ({"status": "retracted"}, True, False),
    ],
    ids=str,
)
def test_its_revision_says_where_a_fact_stands(
    revision: dict[str, Any] | None, *, retracted: bool, contested: bool
) -> None:
    payload = holding({}, revision)

    assert is_retracted(payload) is retracted
    assert is_contested(payload) is contested
