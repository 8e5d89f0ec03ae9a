"""Without a task the most salient records come first, as far as trust and filters go."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.adapters.aws_lambda.http.bodies import answer_reply
from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.access.trust import MAX_SCOPES
from membrane.domain.ingest.reports import IngestToolOutput
from membrane.domain.language.errors import InvalidArgument
from membrane.domain.language.json_text import compact_json
from membrane.domain.language.timestamps import epoch_seconds, rfc3339
from membrane.domain.language.violations import validate
from membrane.domain.language.vocabulary import MemoryType, Permission
from membrane.domain.lifecycle.requests import DeleteRecord, Penalize, Reinforce
from membrane.domain.records.sizes import payload_bytes
from membrane.domain.revision.requests import Retract
from membrane.domain.search.requests import Retrieve
from membrane.domain.search.selection import selection_of
from membrane.usecases.search.by_salience import READS_FOR_S
from membrane.usecases.search.hydration import Hydration
from membrane.usecases.search.inquiry import inquiry_of
from membrane.usecases.search.judging import Judge
from membrane.usecases.search.page import EXPLAINED_BYTES, Page
from membrane.usecases.search.progress import Progress, marks_of, progress_of
from membrane.usecases.search.retrieve import Answer
from tests.builders.records import complaints, refusal
from tests.builders.requests import ALPHA, BETA, OWNER, call, change, event, outcome, working_state
from tests.fakes.clock import MORNING
from tests.fakes.search import FakeSearch
from tests.fakes.world import CURSOR_KEY
from tests.worlds.retrieval import (
    Memory,
    all_ids,
    as_it_stands,
    ids,
    ids_in,
    receipt_of,
    semantic,
    skill,
)

HOUR = 3_600


@pytest.fixture
def memory() -> Memory:
    """An empty memory."""
    return Memory()


@dataclass
class Watch:
    """Stands still but for what a part says that it took."""

    passed_s: float = 0.0


@dataclass(slots=True)
class SlowSearch(FakeSearch):
    """Takes all the time of a request to tell which scopes there are."""

    watch: Watch

    def scopes(self, prefix: str = "") -> Sequence[str]:
        """See VectorSearch."""
        self.watch.passed_s += READS_FOR_S + 1
        return FakeSearch.scopes(self, prefix)


def reader(*scopes: str, ceiling: str = "low") -> Principal:
    """Somebody who may read these scopes, up to that sensitivity."""
    return principal_of("reader", [Permission.READ], scopes, ceiling)


# --- Order --------------------------------------------------------------------------------------


def test_the_most_salient_record_comes_first_whatever_its_scope_and_type(memory: Memory) -> None:
    memory.add(semantic("faint", salience=0.2, scope="shared"))
    memory.add(skill("strong", salience=0.9))
    memory.add(semantic("middling", salience=0.5, scope="project:alpha"))

    answer = memory.retrieve()

    assert ids(answer) == ["strong", "middling", "faint"]
    assert [record["salience"] for record in answer.records] == [0.9, 0.5, 0.2]
    assert answer.next_cursor is None


def test_records_are_ordered_by_their_salience_now_and_not_when_they_were_written(
    memory: Memory,
) -> None:
    memory.add(semantic("fleeting", lifecycle={"decay": {"half_life_seconds": HOUR}}))
    memory.add(
        semantic("lasting", salience=0.5, lifecycle={"decay": {"half_life_seconds": 900_000}})
    )
    before = ids(memory.retrieve())
    memory.clock.advance(hours=3)

    after = memory.retrieve()

    assert before == ["fleeting", "lasting"]
    assert ids(after) == ["lasting", "fleeting"]
    assert after.records[1]["salience"] == 0.125


def test_of_equally_salient_records_the_newer_comes_first_then_the_lower_id(
    memory: Memory,
) -> None:
    pinned = {"pinned": True}
    memory.add(semantic("b", lifecycle=pinned))
    memory.add(semantic("a", lifecycle=pinned))
    memory.clock.advance(seconds=1)
    memory.add(semantic("c", lifecycle=pinned))

    assert ids(memory.retrieve()) == ["c", "a", "b"]


def test_what_was_reinforced_comes_forward_and_what_was_penalized_falls_back(
    memory: Memory,
) -> None:
    for name in ("a", "b", "c"):
        memory.add(semantic(name, salience=0.5))
    change(Reinforce(id="c"), memory.services)
    change(Penalize(id="a", amount=0.4), memory.services)

    assert ids(memory.retrieve()) == ["c", "b", "a"]


# --- Pages --------------------------------------------------------------------------------------


def test_a_limit_cuts_the_page_and_the_cursor_leads_on(memory: Memory) -> None:
    for name, salience in zip("abcde", (0.9, 0.8, 0.7, 0.6, 0.5), strict=True):
        memory.add(semantic(name, salience=salience))

    pages = memory.pages(limit=2)

    assert [ids(page) for page in pages] == [["a", "b"], ["c", "d"], ["e"]]


def test_a_last_page_that_is_full_has_no_cursor(memory: Memory) -> None:
    memory.add(semantic("a"))
    memory.add(semantic("b"))

    assert [len(page.records) for page in memory.pages(limit=2)] == [2]


@pytest.mark.parametrize("asked", [{}, {"limit": 0}, {"limit": 0, "task_descriptor": "tea"}])
def test_a_retrieval_that_names_no_limit_has_pages_of_ten(
    memory: Memory, asked: dict[str, Any]
) -> None:
    for number in range(23):
        memory.add(semantic(f"r{number}"))

    pages = memory.pages(**asked)

    assert [len(page.records) for page in pages] == [10, 10, 3]
    assert len(set(all_ids(pages))) == 23


def test_a_list_that_names_no_limit_has_pages_of_a_hundred(memory: Memory) -> None:
    for number in range(130):
        memory.add_unindexed(semantic(f"r{number}"))

    first = memory.listed()
    rest = memory.listed(cursor=first.next_cursor)

    assert [len(first.records), len(rest.records)] == [100, 30]
    assert len(memory.listed(limit=10_000).records) == 130


def test_more_than_a_hundred_records_for_a_task_come_in_pages_of_a_hundred(memory: Memory) -> None:
    for number in range(230):
        memory.add(semantic(f"r{number}"))

    pages = memory.pages(task_descriptor="tea", limit=10_000)

    assert [len(page.records) for page in pages] == [100, 100, 30]
    assert len(set(all_ids(pages))) == 230
    assert len(memory.retrieve(limit=10_000).records) == 230


def test_what_may_not_be_seen_makes_no_cursor(memory: Memory) -> None:
    memory.add(semantic("seen", salience=0.9))
    memory.add(semantic("unseen", salience=0.5, sensitivity="hyper"))

    assert memory.retrieve(reader("shared"), limit=1).next_cursor is None


@given(
    saliences=st.lists(st.integers(1, 9), max_size=25),
    limit=st.integers(1, 7),
    with_task=st.booleans(),
)
def test_the_pages_together_are_what_one_page_would_be(
    saliences: list[int], limit: int, *, with_task: bool
) -> None:
    memory = Memory()
    for number, salience in enumerate(saliences):
        memory.add(semantic(f"r{number}", salience=salience / 10))
    task = "Who likes tea?" if with_task else ""

    pages = memory.pages(limit=limit, task_descriptor=task)

    assert all_ids(pages) == ids(memory.retrieve(task_descriptor=task, limit=30))
    assert len(all_ids(pages)) == len(saliences)
    assert all(len(page.records) == limit for page in pages[:-1])


def test_all_pages_are_ordered_as_of_the_first(memory: Memory) -> None:
    memory.add(semantic("first", salience=1.0, lifecycle={"pinned": True}))
    memory.add(semantic("fleeting", salience=0.9, lifecycle={"decay": {"half_life_seconds": HOUR}}))
    memory.add(semantic("lasting", salience=0.8, lifecycle={"pinned": True}))
    page = memory.retrieve(limit=1)
    memory.clock.advance(hours=5)

    further = memory.retrieve(limit=5, cursor=page.next_cursor)

    assert ids(further) == ["fleeting", "lasting"]
    assert [record["salience"] for record in further.records] == [0.9 / 32, 0.8]


def test_the_limit_may_change_from_page_to_page(memory: Memory) -> None:
    for name in "abcdef":
        memory.add(semantic(name))
    page = memory.retrieve(limit=1)

    assert len(memory.retrieve(limit=4, cursor=page.next_cursor).records) == 4


@pytest.mark.parametrize(
    ("principal", "asked"),
    [
        (ALPHA, {}),
        (OWNER, {"memory_types": ["semantic"]}),
        (OWNER, {"trust": {"scopes": ["shared"]}}),
        (OWNER, {"min_salience": 0.1}),
        (OWNER, {"task_descriptor": "tea"}),
    ],
    ids=["another principal", "types", "trust", "salience", "task"],
)
def test_a_cursor_is_good_for_the_request_that_it_came_from_alone(
    memory: Memory, principal: Principal, asked: dict[str, Any]
) -> None:
    memory.add(semantic("a"))
    memory.add(semantic("b"))
    cursor = memory.retrieve(limit=1).next_cursor

    with pytest.raises(InvalidArgument, match="belongs to another request"):
        memory.retrieve(principal, cursor=cursor, **asked)


def test_a_page_ends_before_it_is_more_than_a_reply_carries(memory: Memory) -> None:
    text = "\\" * 100_000  # twice as long in JSON, and again in the reply's payload
    for number in range(20):
        memory.add_unindexed(
            working_state(context_summary=text, next_actions=[text], thread_id=f"t{number}")
        )

    pages = memory.pages(memory_types=["working"])

    assert [len(page.records) for page in pages] == [7, 7, 6]
    assert len(set(all_ids(pages))) == 20


def test_few_records_are_read_at_first_however_many_are_asked_for(memory: Memory) -> None:
    for number in range(150):
        asked = {"context_summary": "\\" * 100_000, "thread_id": f"t{number}"}
        memory.add_unindexed(working_state(**asked))
    memory.records.loaded.clear()

    answer = memory.retrieve(limit=10_000)

    assert 10 < len(answer.records) < 20, "as many as the reply carries"
    assert len(memory.records.loaded) == 100


def test_a_request_reads_no_further_once_its_time_is_over_however_it_was_spent(
    memory: Memory,
) -> None:
    for number in range(150):
        tags = ["kept"] if number == 149 else []
        memory.add_unindexed(semantic(f"r{number}", salience=(150 - number) / 150, tags=tags))
    watch = Watch()
    slow = SlowSearch(memory.vectors, watch)
    memory.services = replace(memory.services, search=slow, elapsed_s=lambda: watch.passed_s)

    pages = memory.pages(tags=["kept"], limit=100)

    assert [ids(page) for page in pages] == [[], ["r149"]]


def test_a_page_leaves_room_for_what_is_to_be_selected_of_it(memory: Memory) -> None:
    names = [f"{number:0>3}".ljust(128, "x") for number in range(60)]
    for name in names:
        memory.add_unindexed(skill(name))
    request = Retrieve()
    inquiry = inquiry_of(request, call(request), memory.services)
    curves, now = memory.services.policy.custom_curves, memory.clock()
    hydration = Hydration(memory.records)
    judge = Judge(inquiry, curves, now, epoch_seconds(now), hydration)
    page = Page(100, judge, room=40_000)

    for stored in hydration.living(names).values():
        candidate = judge.candidate_of(stored)
        if candidate is None or not page.try_add(candidate):
            break

    selection = selection_of([each.stored.record for each in page.candidates], epoch_seconds(now))
    body = answer_reply(Answer(page.records, None, selection))
    assert 10 < len(page.records) < 60
    assert payload_bytes(compact_json(body)) <= 40_000 + EXPLAINED_BYTES + 200


@pytest.mark.parametrize("others", [0, 200, 700])
def test_a_cursor_forgets_nothing_that_was_given_by_score(others: int) -> None:
    fused = marks_of(f"fused-{number}" for number in range(200))
    told = marks_of(f"told-{number}" for number in range(others))
    progress = Progress(1.0, (*fused, *told), None)

    cursor = progress.cursor(b"me", CURSOR_KEY)

    assert progress_of(cursor, b"me", 1.0, lambda: CURSOR_KEY).given == (*fused, *told[-200:])


# --- Trust --------------------------------------------------------------------------------------


@pytest.fixture
def classified(memory: Memory) -> Memory:
    """A record of each level in each of two scopes and unscoped."""
    for scope in ("shared", "project:beta", ""):
        for level in ("public", "low", "medium", "high", "hyper"):
            memory.add(semantic(f"{scope or 'none'}.{level}", scope=scope, sensitivity=level))
    return memory


def full_and_redacted(records: Any) -> tuple[set[str], set[str]]:
    """Ids of the records that have a payload, and of those that have none."""
    full = {record["id"] for record in records if record["payload"] is not None}
    return full, set(ids_in(records)) - full


def test_a_record_one_level_above_is_redacted_and_what_is_higher_is_absent(
    classified: Memory,
) -> None:
    answer = classified.retrieve(reader("shared", ceiling="low"))

    assert full_and_redacted(answer.records) == (
        {"shared.public", "shared.low", "none.public", "none.low"},
        {"shared.medium", "none.medium"},
    )


def test_a_request_narrows_the_level_and_the_scopes(classified: Memory) -> None:
    asked = {"max_sensitivity": "public", "scopes": ["shared", "project:beta"]}

    answer = classified.retrieve(reader("shared", ceiling="high"), trust=asked)

    assert full_and_redacted(answer.records) == (
        {"shared.public", "none.public"},
        {"shared.low", "none.low"},
    )


def test_a_request_widens_nothing(classified: Memory) -> None:
    narrow = reader("shared", ceiling="low")
    wide = {"max_sensitivity": "hyper", "scopes": ["*"], "authenticated": True, "actor_id": "root"}

    assert classified.retrieve(narrow, trust=wide).records == classified.retrieve(narrow).records


def test_scopes_that_a_key_does_not_cover_leave_what_is_unscoped(classified: Memory) -> None:
    answer = classified.retrieve(reader("shared"), trust={"scopes": ["project:beta"]}, limit=20)

    assert {record.get("scope", "") for record in answer.records} == {""}


def test_a_key_for_every_scope_sees_every_scope(classified: Memory) -> None:
    assert len(classified.retrieve(OWNER, limit=20).records) == 15


def test_a_record_is_judged_as_it_is_and_not_as_the_index_has_it(memory: Memory) -> None:
    memory.add(semantic("raised", scope="shared"))
    memory.add(semantic("moved", scope="shared"))
    memory.services = replace(memory.services, ranks=as_it_stands(memory))
    memory.alter("raised", sensitivity="hyper")
    memory.alter("moved", scope="project:beta")

    assert memory.retrieve(reader("shared")).records == []
    assert memory.retrieve(reader("shared"), task_descriptor="who likes tea").records == []


def test_who_names_too_many_scopes_is_asked_to_name_fewer(memory: Memory) -> None:
    scopes = [f"s{number}" for number in range(MAX_SCOPES + 1)]

    assert memory.retrieve(OWNER, trust={"scopes": scopes[1:]}).records == []
    with pytest.raises(InvalidArgument, match=r"50 scopes at most: name them in trust\.scopes"):
        memory.retrieve(OWNER, trust={"scopes": scopes})


def test_who_covers_too_many_scopes_is_asked_to_name_some(memory: Memory) -> None:
    for number in range(MAX_SCOPES + 1):
        memory.add(semantic(f"r{number}", scope=f"s{number}"))

    with pytest.raises(InvalidArgument, match=r"name them in trust\.scopes"):
        memory.retrieve(OWNER)
    assert ids(memory.retrieve(OWNER, trust={"scopes": ["s7"]})) == ["r7"]
    with pytest.raises(InvalidArgument, match="or in the query as scope"):
        memory.listed(OWNER)
    assert ids(memory.listed(OWNER, scope="s7")) == ["r7"]


@pytest.mark.parametrize("subject", ["user", "somebody"])
def test_a_receipt_does_not_tell_whether_a_guess_at_a_hidden_subject_is_right(
    memory: Memory, subject: str
) -> None:
    memory.add(semantic("secret", sensitivity="high", scope="shared"))
    medium, narrow = reader("shared", ceiling="medium"), {"max_sensitivity": "low"}

    answer = memory.retrieve(medium, subject=subject, predicate="likes", trust=narrow)

    assert receipt_of(answer, memory).withheld == 0


def test_a_receipt_counts_what_a_wider_request_would_show_in_full(memory: Memory) -> None:
    memory.add(semantic("kept", sensitivity="high", scope="shared"))
    memory.add(semantic("above", sensitivity="hyper", scope="shared"))
    high, narrow = reader("shared", ceiling="high"), {"max_sensitivity": "low"}

    by_key = memory.retrieve(high, subject="user", predicate="likes", trust=narrow)
    by_salience = memory.retrieve(high, trust=narrow)

    for answer in (by_key, by_salience):
        told = receipt_of(answer, memory)
        assert (told.withheld, told.hidden) == (1, 1)


# --- What is asked for --------------------------------------------------------------------------


def test_types_are_layers_to_choose_from(memory: Memory) -> None:
    memory.add(semantic("fact"))
    memory.add(skill("skill"))
    state = memory.add(working_state())

    assert ids(memory.retrieve(memory_types=["competence"])) == ["skill"]
    assert ids(memory.retrieve(memory_types=["working", "working"])) == [state.id]


def test_what_is_less_salient_than_asked_for_stays_away(memory: Memory) -> None:
    for name, salience in {"a": 0.9, "b": 0.5, "c": 0.4999}.items():
        memory.add(semantic(name, salience=salience))

    assert ids(memory.retrieve(min_salience=0.5)) == ["a", "b"]
    assert ids(memory.retrieve(min_salience=0.5, task_descriptor="tea")) == ["a", "b"]


@pytest.mark.parametrize("task", ["", "Who likes tea?"])
def test_filters_hold_with_and_without_a_task(memory: Memory, task: str) -> None:
    memory.add(semantic("a", tags=["x", "y"]))
    memory.add(semantic("b", tags=["x"], payload={"subject": "somebody"}))
    memory.clock.advance(hours=1)
    memory.add(semantic("c", tags=["x"]))
    cut = rfc3339(MORNING + timedelta(minutes=30))

    def found(**filters: Any) -> set[str]:
        return set(ids(memory.retrieve(task_descriptor=task, **filters)))

    assert found(tags=["x"]) == {"a", "b", "c"}
    assert found(tags=["x", "y"]) == {"a"}
    assert found(subject="somebody") == {"b"}
    assert found(subject="user", predicate="likes") == {"a", "c"}
    assert found(created_before=cut) == {"a", "b"}
    assert found(created_after=cut) == {"c"}
    assert found(thread_id="t") == set()


@pytest.mark.parametrize("task", ["", "How was the linker cache repaired?"])
def test_what_worked_last_time_is_one_request(memory: Memory, task: str) -> None:
    ends = {"success": "reason", "failure": "reason", "partial": "", "": ""}
    for number, (status, reason) in enumerate(2 * list(ends.items())):
        call_of = {"tool_name": "linker", "args": {"cache": number}, "status": status or None}
        made = memory.add(validate(IngestToolOutput, {"source": "ci", **call_of}))
        if reason:
            memory.add(outcome(made.id, outcome_status=status, reason=reason))

    def found(*outcomes: str) -> list[str]:
        answer = memory.retrieve(task_descriptor=task, outcome=list(outcomes))
        return sorted(record["payload"]["outcome"] for record in answer.records)

    assert found("success") == ["success"] * 2
    assert found("failure", "partial") == ["failure"] * 2 + ["partial"] * 2
    assert len(memory.retrieve(task_descriptor=task, outcome="success").records) == 2
    assert len(memory.retrieve(task_descriptor=task, outcome="").records) == 8


def test_the_reason_of_an_outcome_is_found(memory: Memory) -> None:
    episodes = [memory.add(event(ref=f"build:{number}")) for number in range(3)]
    told = {"outcome_status": "failure", "reason": "the certificate had expired"}
    memory.add(outcome(episodes[1].id, **told))

    answer = memory.retrieve(task_descriptor="Which certificate expired?", limit=1)

    assert ids(answer) == [episodes[1].id]


def test_a_thread_has_its_states_and_its_events(memory: Memory) -> None:
    state = memory.add(working_state(thread_id="thread-1"))
    turn = memory.add(event(ref="thread-1:turn-7"))
    memory.add(working_state(thread_id="thread-2"))
    memory.add(event(ref="thread-12:turn-7"))

    assert set(ids(memory.retrieve(thread_id="thread-1"))) == {state.id, turn.id}
    assert ids(memory.retrieve(thread_id="thread-1", memory_types=["working"])) == [state.id]


def test_a_short_page_is_filled_from_further_down(memory: Memory) -> None:
    for number in range(60):
        tags = ["kept"] if number % 20 == 19 else []
        memory.add(semantic(f"r{number}", salience=(60 - number) / 60, tags=tags))

    answer = memory.retrieve(tags=["kept"], limit=3)

    assert ids(answer) == ["r19", "r39", "r59"]
    assert answer.next_cursor is None


def test_facts_of_one_subject_and_predicate_come_by_salience_and_in_pages(memory: Memory) -> None:
    for number in range(7):
        scope = "shared" if number % 2 else ""
        memory.add(semantic(f"r{number}", salience=(number * 3 % 7 + 1) / 10, scope=scope))
        memory.clock.advance(seconds=1)
    memory.add(semantic("other", payload={"predicate": "hates"}))

    pages = memory.pages(subject="user", predicate="likes", limit=3)

    assert [ids(page) for page in pages] == [["r2", "r4", "r6"], ["r1", "r3", "r5"], ["r0"]]
    assert ids(memory.retrieve(subject="user", predicate="likes", limit=0)) == all_ids(pages)


def test_for_one_fact_few_of_its_subject_and_predicate_are_read(memory: Memory) -> None:
    for number in range(250):
        memory.add_unindexed(semantic(f"r{number}"))
        memory.clock.advance(seconds=1)
    memory.records.loaded.clear()

    memory.retrieve(subject="user", predicate="likes", limit=1)

    assert len(memory.records.loaded) == 200


def test_more_facts_of_one_subject_than_a_call_reads_come_in_windows_of_the_newest(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membrane.usecases.search.natural_order.WINDOW", 4)
    for number in range(10):
        memory.add_unindexed(semantic(f"r{number}", lifecycle={"pinned": True}))
        memory.clock.advance(seconds=1)

    pages = memory.pages(subject="user", predicate="likes")

    assert [ids(page) for page in pages] == [
        ["r9", "r8", "r7", "r6"],
        ["r5", "r4", "r3", "r2"],
        ["r1", "r0"],
    ]


# --- What does not come back --------------------------------------------------------------------


@pytest.mark.parametrize("task", ["", "Who likes tea?"])
def test_what_was_deleted_does_not_come_back(memory: Memory, task: str) -> None:
    memory.add(semantic("a"))
    memory.add(semantic("b"))
    change(DeleteRecord(id="a"), memory.services)

    assert ids(memory.retrieve(task_descriptor=task)) == ["b"]


@pytest.mark.parametrize("task", ["", "Who likes tea?"])
def test_what_was_retracted_comes_back_where_it_is_asked_for(memory: Memory, task: str) -> None:
    memory.add(semantic("active"))
    memory.add(semantic("retracted"))
    memory.revise(Retract(id="retracted"))

    assert ids(memory.retrieve(task_descriptor=task)) == ["active"]
    everything = memory.retrieve(task_descriptor=task, include_retracted=True)
    assert set(ids(everything)) == {"active", "retracted"}


@pytest.mark.parametrize("task", ["", "Who likes tea?"])
def test_a_fact_comes_back_while_it_holds(memory: Memory, task: str) -> None:
    start, end = MORNING + timedelta(hours=1), MORNING + timedelta(hours=2)
    window = {"mode": "timeboxed", "start": rfc3339(start), "end": rfc3339(end)}
    memory.add(semantic("brief", payload={"validity": window}))
    found = []

    for instant in (MORNING, start, end - timedelta(microseconds=1), end):
        memory.clock.now = instant
        found.append(ids(memory.retrieve(task_descriptor=task)))

    assert found == [[], ["brief"], ["brief"], []]


# --- Selection ----------------------------------------------------------------------------------


def test_without_a_task_the_skills_and_plans_of_the_page_are_selected_from(memory: Memory) -> None:
    memory.add(skill("good", salience=0.9, confidence=0.9))
    memory.add(skill("better", salience=0.8, confidence=1.0))
    memory.add(semantic("fact", salience=1.0))

    selection = memory.retrieve().selection

    assert selection is not None
    assert selection.selected == ("better", "good")
    assert memory.retrieve(memory_types=["semantic"]).selection is None


def test_a_redacted_skill_is_not_selected_from(memory: Memory) -> None:
    memory.add(skill("secret", sensitivity="medium"))

    answer = memory.retrieve(reader("*", ceiling="low"))

    assert ids(answer) == ["secret"]
    assert answer.selection is None


# --- Words of the refusals ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"limit": -1}, "limit must be between 0 and 10000"),
        ({"limit": 10_001}, "limit must be between 0 and 10000"),
        (
            {"outcome": ["success", "lost"]},
            "outcome[1] must be one of: success, failure, partial",
        ),
        ({"min_salience": -0.1}, "min_salience must be non-negative and finite"),
        ({"min_salience": 10**400}, "min_salience must be non-negative and finite"),
        (
            {"memory_types": ["semantic", "bogus"]},
            "memory_types[1] must be one of: " + ", ".join(MemoryType),
        ),
        (
            {"trust": {"max_sensitivity": "LOW"}},
            "trust.max_sensitivity must be one of: public, low, medium, high, hyper",
        ),
    ],
    ids=["below", "above", "an outcome", "negative", "infinite", "a type", "a level"],
)
def test_a_refusal_is_in_the_words_of_the_peer(asked: dict[str, Any], message: str) -> None:
    error = refusal(Retrieve, asked)

    assert list(complaints(error).values()) == [message]


@pytest.mark.parametrize("cursor", ["x", "AAAA", "=", "é", "A" * 16_384])
def test_what_is_no_cursor_is_refused(memory: Memory, cursor: str) -> None:
    with pytest.raises(InvalidArgument, match="cursor"):
        memory.retrieve(cursor=cursor)


def test_a_token_of_the_record_is_no_token_of_ours_when_it_is_altered(memory: Memory) -> None:
    memory.add(semantic("a"))

    with pytest.raises(InvalidArgument, match="consistency token"):
        memory.retrieve(consistency_tokens=[memory.token("a") + "x"])


def test_who_lists_sees_the_same_as_who_retrieves(memory: Memory) -> None:
    memory.add(semantic("a", scope="project:beta", salience=0.5))
    memory.add(semantic("b", salience=0.7))
    memory.add(semantic("c", scope="shared", sensitivity="medium"))

    assert ids(memory.listed(BETA)) == ids(memory.retrieve(BETA)) == ["b", "a"]
    assert ids(memory.listed(BETA, scope="project:beta")) == ["a"]
    assert memory.listed(BETA, scope="shared").records == []
    assert ids(memory.listed(OWNER, types=["semantic"], limit=1)) == ["c"]
    assert memory.listed(OWNER).receipt_id is None
