"""With a task the records that have to do with it come first, and then the most salient."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.language.json_text import Body
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.lifecycle.requests import Penalize
from membrane.domain.revision.requests import Contest
from membrane.domain.search.answer_receipts import AnswerReceipt, ExplainedCandidate
from membrane.domain.search.score import CONTESTED, Weights
from membrane.usecases.ports.search import Search, SearchResult
from tests.builders.requests import OWNER, change, event, full_record, supersede
from tests.builders.stored_records import NOW
from tests.fakes.search import FakeAnswers, FakeEmbedder, FakeSearch
from tests.worlds.retrieval import (
    Memory,
    all_ids,
    as_it_stands,
    ids,
    receipt_of,
    semantic,
    skill,
)

READER = principal_of("reader", [Permission.READ], ["shared"], "low")

TOLD = st.tuples(
    st.sampled_from(["the linker cache failed", "a linker", "cache", "nothing of the kind", ""]),
    st.sampled_from(["talk", "note"]),
    st.sampled_from(Sensitivity),
)
"""What is said, in which thread, and how sensitive it is."""

ROUNDED = 2e-4
"""How far a receipt's figures may be off."""


@dataclass(slots=True)
class HangingAnswers(FakeAnswers):
    """Keeps nothing before it is released, or its patience of a few seconds ends."""

    released: Event = field(default_factory=Event)

    def keep(self, receipt: AnswerReceipt) -> None:
        """See DynamoReceipts."""
        if not self.released.wait(timeout=5):
            FakeAnswers.keep(self, receipt)


@dataclass(slots=True)
class NotingSearch(FakeSearch):
    """Notes what is searched; gives what it finds the other way round where that is asked for."""

    searched: list[Search] = field(default_factory=list)
    backwards: bool = False

    def search(self, search: Search) -> SearchResult:
        """See VectorSearch."""
        self.searched.append(search)
        found = FakeSearch.search(self, search)
        return replace(found, entries=found.entries[::-1]) if self.backwards else found


@pytest.fixture
def memory() -> Memory:
    """An empty memory."""
    return Memory()


def about(record_id: str, text: str, **fields: Any) -> Any:
    """A fact that says so."""
    return semantic(record_id, payload={"object": text, **fields.pop("payload", {})}, **fields)


def turn(record_id: str, text: str, *, ref: str, **fields: Any) -> Any:
    """An event that says so, now."""
    said = {"t": NOW, "event_kind": "said", "ref": ref, "summary": text}
    payload = {"kind": "episodic", "timeline": [said]}
    return full_record(id=record_id, type="episodic", payload=payload, **fields)


def scores(
    memory: Memory, task: str, principal: Principal = OWNER, **asked: Any
) -> dict[str, float]:
    """The score of each candidate, the best first."""
    answer = memory.retrieve(principal, task_descriptor=task, **asked)
    return {each.record_id: each.score for each in receipt_of(answer, memory).explained}


def test_what_fits_the_task_comes_before_what_is_more_salient(memory: Memory) -> None:
    memory.add(about("unrelated", "the office has a new lamp", salience=1.0))
    memory.add(about("fitting", "the linker cache was broken", salience=0.2))

    answer = memory.retrieve(task_descriptor="Why does the linker fail?", limit=1)

    assert ids(answer) == ["fitting"]


def test_of_what_fits_equally_the_more_salient_comes_first(memory: Memory) -> None:
    memory.add(about("faint", "the linker cache was broken", salience=0.2))
    memory.add(about("strong", "the linker cache was broken", salience=0.7))

    assert ids(memory.retrieve(task_descriptor="linker cache")) == ["strong", "faint"]


def test_a_task_of_blanks_is_none(memory: Memory) -> None:
    memory.add(about("a", "tea", salience=0.2))
    memory.add(about("b", "coffee", salience=0.9))

    assert ids(memory.retrieve(task_descriptor=" \n")) == ["b", "a"]


def test_a_salience_above_one_counts_as_one(memory: Memory) -> None:
    memory.add(about("a", "the linker cache was broken", salience=50.0))
    memory.add(about("b", "the linker cache was broken", salience=1.0))

    a, b = (scores(memory, "linker cache")[name] for name in ("a", "b"))

    assert a == b


def test_a_contested_fact_comes_back_and_counts_less(memory: Memory) -> None:
    memory.add(about("a", "the linker cache was broken"))
    before = scores(memory, "linker cache")["a"]

    memory.revise(Contest(id="a"))

    assert scores(memory, "linker cache")["a"] == pytest.approx(before * CONTESTED, abs=1e-4)


def test_a_turn_lends_to_the_turns_around_it(memory: Memory) -> None:
    memory.add(event(ref="s:1", summary="Where shall we go for the holiday this year?"))
    memory.add(event(ref="s:2", summary="Lisbon, I have always wanted to see it."))
    for number in range(5):
        memory.add(event(ref=f"other{number}:9", summary="It rains a lot these days."))

    answer = memory.retrieve(task_descriptor="Where do they go for the holiday?", limit=2)

    assert [record["payload"]["timeline"][0]["ref"] for record in answer.records] == ["s:1", "s:2"]


@pytest.mark.parametrize("apart_s", [0, 60, 3_600])
def test_an_event_whose_text_equals_the_task_comes_before_what_its_neighbours_lift(
    memory: Memory, apart_s: int
) -> None:
    task = "The harbour crane failed on Monday"
    others = (
        "The harbour crane, did it fail?",
        "On Monday it was the crane",
        "Which harbour crane?",
        "The failed one, in the harbour",
    )
    memory.add(turn("equal", task, ref="elsewhere:9"))
    for number, text in enumerate(others):
        memory.clock.advance(seconds=apart_s)
        memory.add(turn(f"lifted-{number}", text, ref=f"talk:{number}"))

    assert ids(memory.retrieve(task_descriptor=task))[0] == "equal"


@given(st.lists(TOLD, max_size=8), st.lists(st.integers(0, 7_200), min_size=8, max_size=8))
def test_nothing_outranks_thanks_to_its_neighbours_what_matches_better_by_itself(
    told: Sequence[tuple[str, str, Sensitivity]], pauses_s: Sequence[int]
) -> None:
    memory = Memory()
    for number, ((text, thread, _), pause_s) in enumerate(zip(told, pauses_s, strict=False)):
        memory.clock.advance(seconds=pause_s)
        memory.add(turn(f"t{number}", text, ref=f"{thread}:{number}"))
    task = "linker cache failed"

    answer = memory.retrieve(task_descriptor=task)
    parts = {each.record_id: each.parts for each in receipt_of(answer, memory).explained}
    memory.services = replace(memory.services, weights=Weights(neighbours=0.0))
    alone = scores(memory, task)

    placed = [each for each in ids(answer) if each in parts]
    for first, second in combinations(placed, 2):
        is_better = all(
            parts[second].get(name, 0.0) > parts[first].get(name, 0.0) + ROUNDED
            for name in ("lexical", "dense")
        )
        assert not is_better or alone[first] > alone[second] - ROUNDED


@given(st.lists(TOLD, max_size=12))
def test_nothing_above_the_ceiling_influences_a_score_the_order_or_which_records_come(
    told: Sequence[tuple[str, str, Sensitivity]],
) -> None:
    def answered(*, with_secrets: bool) -> tuple[Sequence[ExplainedCandidate], list[Body]]:
        memory = Memory()
        for number, (text, thread, level) in enumerate(told):
            if with_secrets or level.level <= READER.ceiling.level:
                ref = f"{thread}:{number}"
                memory.add(turn(f"t{number}", text, ref=ref, scope="shared", sensitivity=level))
        answer = memory.retrieve(READER, task_descriptor="linker cache", limit=20)
        seen = [each for each in answer.records if each["payload"] is not None]
        return receipt_of(answer, memory).explained, seen

    assert answered(with_secrets=True) == answered(with_secrets=False)


def test_the_order_in_which_the_index_finds_does_not_matter(memory: Memory) -> None:
    for number in range(9):
        text = "the linker cache" if number % 2 else "the linker"
        memory.add(turn(f"t{number}", text, ref=f"talk:{number}"))
    straight = memory.retrieve(task_descriptor="linker cache")

    backwards = NotingSearch(memory.vectors, backwards=True)
    memory.services = replace(memory.services, search=backwards)

    again = memory.retrieve(task_descriptor="linker cache")
    assert again.records == straight.records
    assert receipt_of(again, memory).explained == receipt_of(straight, memory).explained


def test_of_a_fact_that_was_superseded_three_hundred_times_the_active_one_is_found_first(
    memory: Memory,
) -> None:
    memory.add(about("v0", "the linker cache is at depot 0"))
    for number in range(1, 301):
        text = f"the linker cache is at depot {number}"
        memory.revise(supersede(f"v{number - 1}", id=f"v{number}", payload={"object": text}))

    assert ids(memory.retrieve(task_descriptor="Where is the linker cache?"))[0] == "v300"
    assert [each.record_id for each in memory.vectors.entries] == ["v300"]


def test_after_what_the_index_found_the_most_salient_go_on(memory: Memory) -> None:
    memory.add(about("fitting", "the linker cache was broken", salience=0.1))
    memory.add_unindexed(about("not-indexed-strong", "x", salience=0.9))
    memory.add_unindexed(about("not-indexed-faint", "x", salience=0.5))

    pages = memory.pages(task_descriptor="linker", limit=1)

    assert all_ids(pages) == ["fitting", "not-indexed-strong", "not-indexed-faint"]


def test_no_record_is_given_twice_however_the_pages_fall(memory: Memory) -> None:
    for number in range(12):
        memory.add(about(f"r{number}", f"the linker cache was broken {number} times"))
        memory.add_unindexed(about(f"s{number}", "nobody knows yet"))

    for limit in (1, 3, 5, 12, 23):
        found = all_ids(memory.pages(task_descriptor="linker cache", limit=limit))
        assert len(found) == len(set(found)) == 24
        assert {each[0] for each in found[:12]} == {"r"}


def test_redacted_records_take_no_part_in_the_search(memory: Memory) -> None:
    memory.add(about("secret", "the linker cache was broken", sensitivity="medium", scope="shared"))
    memory.add(about("open", "the linker is fine", scope="shared", salience=0.3))

    answer = memory.retrieve(READER, task_descriptor="linker cache")

    assert ids(answer) == ["open", "secret"]
    assert answer.records[1]["payload"] is None
    assert [each.record_id for each in receipt_of(answer, memory).explained] == ["open"]
    assert receipt_of(answer, memory).considered == 2


def test_what_a_reader_may_not_see_makes_no_word_common() -> None:
    def scored(secret: str, reader: Principal) -> dict[str, float]:
        memory = Memory()
        for number in range(4):
            memory.add_unindexed(about(f"h{number}", secret, scope="shared", sensitivity="hyper"))
        memory.add_unindexed(about("a", "the linker failed", scope="shared"))
        memory.add_unindexed(about("b", "a cache for the office", scope="shared"))
        memory.index(*memory.records.places)
        return scores(memory, "linker cache", reader)

    everyone = READER._replace(ceiling=Sensitivity.HYPER)
    seen = [scored(secret, READER) for secret in ("cache", "linker")]
    of_everyone = [scored(secret, everyone) for secret in ("cache", "linker")]

    assert seen[0] == seen[1]
    assert of_everyone[0]["a"] > of_everyone[1]["a"]


def test_only_as_many_records_are_read_as_may_be_among_the_best(memory: Memory) -> None:
    for number in range(150):
        memory.add_unindexed(about(f"r{number}", "the linker, and " + "much else " * number))
    memory.add_unindexed(about("fitting", "the linker cache was broken"))
    memory.index(*memory.records.places)
    memory.records.loaded.clear()

    answer = memory.retrieve(task_descriptor="linker cache broken", limit=1)

    assert ids(answer) == ["fitting"]
    assert receipt_of(answer, memory).considered == 151
    assert len(memory.records.loaded) < 50


def test_the_selection_is_among_all_that_was_found(memory: Memory) -> None:
    for number in range(5):
        performance = {"success_count": number}
        memory.add(skill(f"k{number}", f"fix build {number}", payload={"performance": performance}))

    answer = memory.retrieve(task_descriptor="fix build", limit=1)

    assert answer.selection is not None
    assert answer.selection.selected == ("k4", "k3", "k2", "k1", "k0")
    assert len(answer.records) == 1


def test_the_skill_with_a_trigger_for_the_task_is_selected_before_a_better_proven_one(
    memory: Memory,
) -> None:
    proven = {"success_count": 40, "last_used_at": NOW}
    unproven = {"success_count": 1, "last_used_at": NOW}
    failing, staging = [{"signal": "the build fails"}], [{"signal": "deploy to staging"}]
    memory.add(skill("build", payload={"triggers": failing, "performance": proven}))
    memory.add(skill("staging", payload={"triggers": staging, "performance": unproven}))

    answer = memory.retrieve(task_descriptor="deploy the release to staging")

    assert answer.selection is not None
    assert answer.selection.selected == ("staging", "build")
    assert answer.selection.reasons[0].trigger == "deploy to staging"


def test_an_index_of_another_embedder_is_refused_with_the_command_that_helps(
    memory: Memory,
) -> None:
    memory.add(about("a", "tea"))
    memory.vectors.embedder = "another"

    with pytest.raises(WrongEmbedder, match="membrane reindex"):
        memory.retrieve(task_descriptor="tea")
    assert ids(memory.retrieve()) == ["a"]


# --- Tokens -------------------------------------------------------------------------------------


def test_a_token_lets_a_search_see_what_the_index_does_not_know_yet(memory: Memory) -> None:
    memory.add(about("old", "the linker is fine"))
    new = memory.add_unindexed(about("new", "the linker cache was broken"))

    without = memory.retrieve(task_descriptor="linker cache", limit=1)
    answer = memory.retrieve(
        task_descriptor="linker cache", limit=1, consistency_tokens=[memory.token(new.id)]
    )

    assert ids(without) == ["old"]
    assert ids(answer) == ["new"]


def test_a_token_takes_the_record_as_it_is_and_not_as_it_was_indexed(memory: Memory) -> None:
    memory.add(about("a", "the office has a new lamp"))
    memory.add(about("b", "the linker is fine"))
    memory.alter("a", payload={"object": "linker cache linker cache"})

    tokens = [memory.token("a")]

    assert ids(memory.retrieve(task_descriptor="linker cache"))[0] == "b"
    assert ids(memory.retrieve(task_descriptor="linker cache", consistency_tokens=tokens))[0] == "a"


def test_only_what_the_index_does_not_know_as_it_is_is_embedded_for_a_token(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.add(about("known", "the linker is fine"))
    memory.add_unindexed(about("new", "the linker cache was broken"))
    embedder = FakeEmbedder()
    monkeypatch.setattr(memory, "services", replace(memory.services, embedder=embedder))

    tokens = [memory.token("known"), memory.token("new")]
    memory.retrieve(task_descriptor="linker cache", consistency_tokens=tokens)

    (question,), (text,) = embedder.asked
    assert question == "linker cache"
    assert "cache was broken" in text


def test_a_token_puts_a_record_in_its_place_by_salience(memory: Memory) -> None:
    memory.add(semantic("a", salience=0.9))
    memory.add(semantic("c", salience=0.1))
    memory.services = replace(memory.services, ranks=as_it_stands(memory))
    memory.add_unindexed(semantic("b", salience=0.5))

    answer = memory.retrieve(consistency_tokens=[memory.token("b"), memory.token("c")])

    assert ids(memory.retrieve()) == ["a", "c"]
    assert ids(answer) == ["a", "b", "c"]


def test_a_token_shows_a_change_at_once(memory: Memory) -> None:
    for name, salience in {"a": 0.9, "b": 0.8, "c": 0.7}.items():
        memory.add(semantic(name, salience=salience))
    memory.services = replace(memory.services, ranks=as_it_stands(memory))
    change(Penalize(id="a", amount=0.85), memory.services)

    pages = memory.pages(limit=1, consistency_tokens=[memory.token("a")])

    assert all_ids(pages) == ["b", "c", "a"]


def test_a_record_that_a_token_brought_does_not_come_again_on_later_pages(memory: Memory) -> None:
    for name, salience in {"a": 0.9, "b": 0.5, "c": 0.1}.items():
        memory.add(semantic(name, salience=salience))

    first = memory.retrieve(limit=2, consistency_tokens=[memory.token("b")])
    second = memory.retrieve(limit=2, cursor=first.next_cursor)

    assert (ids(first), ids(second)) == (["a", "b"], ["c"])


@pytest.mark.parametrize("task", ["", "Who likes tea?"])
def test_a_token_of_what_may_not_be_seen_changes_nothing(memory: Memory, task: str) -> None:
    memory.add(semantic("seen", scope="shared"))
    memory.add(semantic("above", scope="shared", sensitivity="hyper"))
    memory.add(semantic("elsewhere", scope="project:beta"))
    tokens = [memory.token("above"), memory.token("elsewhere"), memory.token("seen")]

    plain = memory.retrieve(READER, task_descriptor=task)
    with_tokens = memory.retrieve(READER, task_descriptor=task, consistency_tokens=tokens)

    assert with_tokens.records == plain.records
    one, other = (receipt_of(each, memory) for each in (plain, with_tokens))
    assert (one.withheld, one.hidden, one.considered) == (
        other.withheld,
        other.hidden,
        other.considered,
    )


def test_a_token_is_filtered_like_any_other_record(memory: Memory) -> None:
    memory.add_unindexed(semantic("a", tags=["x"]))
    tokens = [memory.token("a")]

    assert ids(memory.retrieve(tags=["x"], consistency_tokens=tokens)) == ["a"]
    assert ids(memory.retrieve(tags=["y"], consistency_tokens=tokens)) == []
    assert ids(memory.retrieve(memory_types=["working"], consistency_tokens=tokens)) == []


# --- Receipts -----------------------------------------------------------------------------------


def test_a_receipt_says_what_was_asked_and_why_it_came_out_so(memory: Memory) -> None:
    memory.add(about("fitting", "the linker cache was broken", scope="shared", salience=0.5))
    memory.add(about("medium", "the linker cache", scope="shared", sensitivity="medium"))
    memory.add(about("hyper", "the linker cache", scope="shared", sensitivity="hyper"))
    medium = principal_of("reader", [Permission.READ], ["shared"], "medium")

    answer = memory.retrieve(
        medium,
        task_descriptor="linker cache",
        trust={"max_sensitivity": "public", "scopes": ["shared", "elsewhere"]},
        limit=5,
    )

    receipt = receipt_of(answer, memory)
    assert (receipt.principal, receipt.returned) == ("reader", len(answer.records))
    assert receipt.query == {"task_descriptor": "linker cache", "limit": 5}
    assert receipt.trust == {"max_sensitivity": "public", "scopes": ["shared"]}
    assert (receipt.withheld, receipt.hidden) == (1, 1)


def test_a_receipt_counts_once_what_the_answer_came_across_that_the_narrower_request_keeps_back(
    memory: Memory,
) -> None:
    for level in ("public", "low", "medium", "high", "hyper"):
        memory.add(event(ref=f"thread:turn-{level}", sensitivity=level, scope="shared"))
        memory.add(about(level, "the linker cache", scope="shared", sensitivity=level))
    high = READER._replace(ceiling=Sensitivity.HIGH)
    asked = {"task_descriptor": "linker cache turn", "trust": {"max_sensitivity": "public"}}

    page = memory.retrieve(high, **asked)
    first = memory.retrieve(high, **asked, limit=1)

    assert (receipt_of(page, memory).withheld, receipt_of(page, memory).hidden) == (4, 2)
    assert receipt_of(first, memory).withheld == 0, "of 4: those that score were enough"


def test_nothing_is_searched_for_to_count_what_is_kept_back(memory: Memory) -> None:
    for level in ("low", "high"):
        memory.add(about(level, "the linker cache", scope="shared", sensitivity=level))
    noting = NotingSearch(memory.vectors)
    memory.services = replace(memory.services, search=noting)
    high = READER._replace(ceiling=Sensitivity.HIGH)

    memory.retrieve(high, task_descriptor="linker", trust={"max_sensitivity": "low"})

    assert [each.ceiling for each in noting.searched] == [Sensitivity.LOW]


def test_what_a_narrower_request_keeps_back_changes_nothing_else_of_the_answer(
    memory: Memory,
) -> None:
    memory.add(about("a", "the linker cache", scope="shared", salience=0.5))
    memory.add(about("b", "the linker lamp", scope="shared", salience=0.4))
    memory.add(about("c", "the linker cache", scope="shared", sensitivity="high"))
    high = READER._replace(ceiling=Sensitivity.HIGH)
    narrow = {"max_sensitivity": "low"}

    of_high = memory.retrieve(high, task_descriptor="linker cache", trust=narrow)
    of_low = memory.retrieve(READER, task_descriptor="linker cache")

    assert of_high.records == of_low.records
    assert receipt_of(of_high, memory).explained == receipt_of(of_low, memory).explained
    assert receipt_of(of_high, memory).considered == receipt_of(of_low, memory).considered
    assert (receipt_of(of_high, memory).withheld, receipt_of(of_low, memory).withheld) == (1, 0)


def test_a_receipt_has_the_parts_of_each_score(memory: Memory) -> None:
    memory.add(about("fitting", "the linker cache was broken", salience=0.5))

    answer = memory.retrieve(task_descriptor="linker cache")
    (explained,) = receipt_of(answer, memory).explained

    assert explained.record_id == "fitting"
    assert explained.parts["salience"] == 0.5
    assert explained.parts["lexical"] == 1.0
    assert answer.scores == {"fitting": explained.score}


def test_a_receipt_that_cannot_be_kept_costs_nobody_the_answer_and_is_not_promised(
    memory: Memory,
) -> None:
    memory.add(semantic("a"))
    memory.receipts.failing = OSError("no space left")

    answer = memory.retrieve()

    assert ids(answer) == ["a"]
    assert answer.receipt_id is None
    assert memory.reports.told == [("Retrieve", "FAULT")]
    assert memory.reports.faults == [memory.receipts.failing]


def test_a_receipt_that_is_long_in_being_kept_is_neither_waited_for_nor_promised(
    memory: Memory,
) -> None:
    memory.add(semantic("a"))
    hanging = HangingAnswers(memory.clock)
    memory.services = replace(memory.services, receipts=hanging, receipt_wait_s=0.01)

    try:
        answer = memory.retrieve()
    finally:
        hanging.released.set()

    assert ids(answer) == ["a"]
    assert answer.receipt_id is None
    assert hanging.kept == {}
    assert memory.reports.told == [("Retrieve", "FAULT")]
    assert isinstance(memory.reports.faults[0], TimeoutError)
