"""With a task the records that have to do with it come first, and then the most salient."""

from dataclasses import dataclass, field, replace
from threading import Event
from typing import Any

import pytest

from membrane.domain.access.trust import Principal, principal_of
from membrane.domain.language.errors import WrongEmbedder
from membrane.domain.language.vocabulary import Permission, Sensitivity
from membrane.domain.lifecycle.requests import Penalize
from membrane.domain.revision.requests import Contest
from membrane.domain.search.answer_receipts import AnswerReceipt
from membrane.domain.search.fusion import CONTESTED
from tests.builders.requests import OWNER, change, event
from tests.fakes.search import FakeAnswers
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


@dataclass(slots=True)
class HangingAnswers(FakeAnswers):
    """Keeps nothing before it is released, or its patience of a few seconds ends."""

    released: Event = field(default_factory=Event)

    def keep(self, receipt: AnswerReceipt) -> None:
        """See AnswerReceipts."""
        if not self.released.wait(timeout=5):
            FakeAnswers.keep(self, receipt)


@pytest.fixture
def memory() -> Memory:
    """An empty memory."""
    return Memory()


def about(record_id: str, text: str, **fields: Any) -> Any:
    """A fact that says so."""
    return semantic(record_id, payload={"object": text, **fields.pop("payload", {})}, **fields)


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


def test_a_neighbour_is_found_behind_turns_that_may_not_be_seen() -> None:
    def turns(*, with_secrets: bool) -> dict[str, float]:
        memory = Memory()
        for number in range(1, 9):
            is_secret = 1 < number < 4
            text = "Where shall we go for the holiday?" if number == 1 else f"Turn {number}."
            if not is_secret or with_secrets:
                level = "hyper" if is_secret else "low"
                memory.add_unindexed(
                    event(
                        ref=f"s:{number}",
                        summary=text,
                        sensitivity=level,
                        idempotency_key=str(number),
                    )
                )
        memory.index(*memory.records.places)
        asked = memory.retrieve(READER, task_descriptor="holiday")
        assert asked.receipt_id is not None
        return {
            record["payload"]["timeline"][0]["ref"]: record["salience"] for record in asked.records
        }

    assert list(turns(with_secrets=True)) == list(turns(with_secrets=False))


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

    everyone = replace(READER, ceiling=Sensitivity.HYPER)
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
        memory.add(skill(f"k{number}", f"fix build {number}", confidence=(number + 1) / 10))

    answer = memory.retrieve(task_descriptor="fix build", limit=1)

    assert answer.selection is not None
    assert answer.selection.selected == ("k4", "k3", "k2", "k1", "k0")
    assert len(answer.records) == 1


def test_an_index_of_another_embedder_is_refused_with_the_command_that_helps(
    memory: Memory,
) -> None:
    memory.add(about("a", "tea"))
    memory.entries.scopes[""].embedders = {"another"}

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


def test_a_receipt_counts_each_record_once_that_the_narrower_request_keeps_back(
    memory: Memory,
) -> None:
    for level in ("public", "low", "medium", "high", "hyper"):
        memory.add(event(ref=f"thread:turn-{level}", sensitivity=level, scope="shared"))
        memory.add(about(level, "the linker cache", scope="shared", sensitivity=level))
    high = replace(READER, ceiling=Sensitivity.HIGH)
    asked = {"task_descriptor": "linker cache turn", "trust": {"max_sensitivity": "public"}}

    page = memory.retrieve(high, **asked)
    by_score_alone = memory.retrieve(high, **asked, limit=1)

    receipt = receipt_of(page, memory)
    assert (receipt.withheld, receipt.hidden) == (4, 2)
    assert receipt_of(by_score_alone, memory).withheld == 4


def test_what_a_narrower_request_keeps_back_changes_nothing_else_of_the_answer(
    memory: Memory,
) -> None:
    memory.add(about("a", "the linker cache", scope="shared", salience=0.5))
    memory.add(about("b", "the linker lamp", scope="shared", salience=0.4))
    memory.add(about("c", "the linker cache", scope="shared", sensitivity="high"))
    high = replace(READER, ceiling=Sensitivity.HIGH)
    narrow = {"max_sensitivity": "low"}

    of_high = memory.retrieve(high, task_descriptor="linker cache", trust=narrow)
    of_low = memory.retrieve(READER, task_descriptor="linker cache")

    assert of_high.records == of_low.records
    assert receipt_of(of_high, memory).explained == receipt_of(of_low, memory).explained
    assert receipt_of(of_high, memory).considered == receipt_of(of_low, memory).considered
    assert (receipt_of(of_high, memory).withheld, receipt_of(of_low, memory).withheld) == (1, 0)


def test_a_receipt_has_the_parts_of_each_score(memory: Memory) -> None:
    memory.add(about("fitting", "the linker cache was broken", salience=0.5))

    (explained,) = receipt_of(memory.retrieve(task_descriptor="linker cache"), memory).explained

    weights = memory.services.weights
    assert explained.record_id == "fitting"
    assert explained.parts["salience"] == 0.5
    assert explained.parts["lexical"] == 1.0
    assert explained.score == pytest.approx(weights.score(explained.parts), abs=1e-3)


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
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("membrane.usecases.search.explaining.WAITS_FOR_S", 0.01)
    memory.add(semantic("a"))
    hanging = HangingAnswers(memory.clock)
    memory.services = replace(memory.services, receipts=hanging)

    try:
        answer = memory.retrieve()
    finally:
        hanging.released.set()

    assert ids(answer) == ["a"]
    assert answer.receipt_id is None
    assert hanging.kept == {}
    assert memory.reports.told == [("Retrieve", "FAULT")]
    assert isinstance(memory.reports.faults[0], TimeoutError)
