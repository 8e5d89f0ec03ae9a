"""Whoever retrieved may read why the answer was so; `admin` may, too."""

from typing import Any

import pytest

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.language.errors import NotFound
from membrane.domain.search.replies import AnswerReceipt
from membrane.domain.search.requests import ReadReceipt
from membrane.usecases.search.read_receipt import read_receipt
from tests.builders.requests import call
from tests.worlds.retrieval import Memory, semantic

ASKER = principal_of("asker", ["read"], ["shared"], "low")
OTHER = principal_of("other", ["read"], ["*"], "hyper")
ADMIN = principal_of("root", ["admin"], ["*"], "hyper")


@pytest.fixture
def memory() -> Memory:
    """A memory with a record that the asker may see and one that it may not."""
    memory = Memory()
    memory.add(semantic("seen", scope="shared", salience=0.5))
    memory.add(semantic("unseen", scope="shared", sensitivity="hyper"))
    return memory


def read(memory: Memory, principal: Principal, receipt_id: Any) -> AnswerReceipt:
    """The receipt as the reply has it."""
    request = ReadReceipt(id=receipt_id)
    return read_receipt(request, call(request, principal), memory.services)


def test_the_asker_reads_its_receipt(memory: Memory) -> None:
    answer = memory.retrieve(ASKER, min_salience=0.1)

    assert read(memory, ASKER, answer.receipt_id) == {
        "id": answer.receipt_id,
        "principal": "asker",
        "asked_at": "2026-03-01T09:00:00.25Z",
        "query": {"min_salience": 0.1},
        "trust": {"max_sensitivity": "low", "scopes": ["shared"]},
        "returned": 1,
        "considered": 1,
        "candidates": [
            {"id": "seen", "score": 0.5, "parts": {"salience": 0.5}, "handed_out": True}
        ],
        "left_out": 0,
        "withheld": 0,
    }


def test_how_much_is_hidden_is_told_to_an_admin_alone(memory: Memory) -> None:
    answer = memory.retrieve(ASKER)

    told = read(memory, ADMIN, answer.receipt_id)

    assert told == {**read(memory, ASKER, answer.receipt_id), "hidden": 1}


@pytest.mark.parametrize("receipt_id", ["unknown", "", "a/b", "x" * 500])
def test_a_receipt_that_is_not_there_is_not_found(memory: Memory, receipt_id: str) -> None:
    with pytest.raises(NotFound, match="receipt not found"):
        read(memory, ADMIN, receipt_id)


def test_a_receipt_of_another_answers_like_one_that_is_not_there(memory: Memory) -> None:
    answer = memory.retrieve(ASKER)

    with pytest.raises(NotFound, match="receipt not found"):
        read(memory, OTHER, answer.receipt_id)


def test_a_receipt_is_there_for_a_week(memory: Memory) -> None:
    answer = memory.retrieve(ASKER)
    memory.clock.advance(days=6, hours=23)
    assert read(memory, ASKER, answer.receipt_id)
    memory.clock.advance(hours=1)

    with pytest.raises(NotFound):
        read(memory, ASKER, answer.receipt_id)
