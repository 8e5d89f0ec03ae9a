"""What the turns of a thread lend to those around them."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from membrane.domain.search.entries import NEIGHBOURS, Entry
from membrane.domain.search.neighbours import LENT_BACK, LENT_ONWARDS, Neighbours, lent_to
from tests.builders.conversations import a_turn, an_entry, of_days_later

MOST = float(LENT_ONWARDS.sum() + LENT_BACK.sum())

SCORES = st.dictionaries(st.integers(1, 12), st.floats(0, 1, width=32), max_size=8)
"""By turn; the other turns are not among the candidates."""


def turns(*numbers: int, **fields: str) -> list[Entry]:
    """The entries of these turns of a session."""
    return [an_entry(a_turn("Hm", number=number, **fields)) for number in numbers]


def lent(entries: list[Entry], *scores: float) -> list[float]:
    """What each is lent where each has its score."""
    found: list[float] = Neighbours.of(entries).borrow(np.array(scores, np.float32)).tolist()
    return found


@given(SCORES)
def test_a_turn_is_lent_by_what_is_up_to_three_turns_away(scores: dict[int, float]) -> None:
    expected = [
        sum(
            score * float(LENT_ONWARDS[turn - other] if other < turn else LENT_BACK[other - turn])
            for other, score in scores.items()
            if 0 < abs(turn - other) <= NEIGHBOURS
        )
        / MOST
        for turn in scores
    ]

    assert lent(turns(*scores), *scores.values()) == pytest.approx(expected, abs=1e-6)


@given(SCORES, st.sets(st.integers(1, 12), max_size=4), st.sampled_from(["talk/D1", "note"]))
def test_what_stands_beside_the_lenders_is_lent_as_if_it_alone_stood_among_them(
    scores: dict[int, float], others: set[int], thread: str
) -> None:
    def of_thread(numbers: Iterable[int], name: str) -> list[Entry]:
        of = (a_turn("Hm", number=n, ref=f"{thread}:{n}", timestamp=_at(n)) for n in numbers)
        return [replace(an_entry(record), record_id=f"{name}-{record.id}") for record in of]

    lenders, beside = of_thread(scores, "lender"), of_thread(others, "other")

    found = lent_to(beside, lenders, np.array([*scores.values()], np.float32)).tolist()

    assert found == [lent([*lenders, other], *scores.values(), 0.0)[-1] for other in beside]


def _at(number: int) -> str:
    return f"2025-06-03T18:{number:02}:00Z"


def test_turns_of_another_session_lend_nothing() -> None:
    first, later = turns(1), turns(2, timestamp=of_days_later(1))

    assert lent([*first, *later], 1.0, 1.0) == [0.0, 0.0]


def test_turns_of_another_thread_lend_nothing() -> None:
    here, elsewhere = turns(1), turns(2, ref="other/D1:2")

    assert lent([*here, *elsewhere], 1.0, 1.0) == [0.0, 0.0]


def test_turns_without_numbers_lend_as_if_they_were_two_further_apart() -> None:
    entries = [
        an_entry(a_turn("Hm", number=number, ref="note", timestamp=f"2025-06-03T18:00:0{number}Z"))
        for number in (1, 2)
    ]

    expected = [float(LENT_BACK[3]) / MOST, float(LENT_ONWARDS[3]) / MOST]
    assert lent(entries, 1.0, 1.0) == pytest.approx(expected)
