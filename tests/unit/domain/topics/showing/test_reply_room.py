"""Candidates share the room of a reply."""

from typing import Any

from membrane.domain.records.sizes import reply_bytes
from membrane.domain.topics.showing.reply_room import LEAST_HEAD_BYTES, Room, cut_candidates

FIELD = {"name": "f", "value": "x" * 900}


def candidate(fields: int, **parts: Any) -> Any:
    """One with so many fields of a thousand bytes."""
    usual: Any = {"summary": None, "neighbors": [], "neighbors_truncated": False}
    return {**usual, **parts, "fields": [FIELD] * fields}


def test_what_needs_little_has_it_whole_and_the_others_share_what_is_left() -> None:
    room = Room(50_000)

    told = cut_candidates([candidate(500), candidate(2), candidate(500)], room)

    counts = [len(each["fields"]) for each in told]
    assert counts[1] == 2
    assert min(counts[0], counts[2]) > 20
    assert abs(counts[0] - counts[2]) <= 1
    assert [each.get("fields_cut", False) for each in told] == [True, False, True]
    assert reply_bytes(told) <= 50_000
    assert room.left < 2_000


def test_a_field_that_finds_no_room_makes_way_for_a_smaller_one() -> None:
    large = candidate(1)
    large["fields"] = [{"name": "large", "value": "x" * 9_000}, FIELD]

    told: Any
    (told,) = cut_candidates([large], Room(LEAST_HEAD_BYTES + 100 - 9_000))

    assert (told["fields"], told["fields_cut"]) == ([FIELD], True)


def test_every_candidate_keeps_its_head() -> None:
    neighbours = [{"title": "t" * 1_000}] * 100
    several = [candidate(3, summary="s" * 50_000, neighbors=neighbours) for _ in range(3)]

    told: Any = cut_candidates(several, Room(3 * LEAST_HEAD_BYTES))

    assert [len(each["summary"]) for each in told] == [1_000] * 3
    assert [(each["neighbors"], each["neighbors_truncated"]) for each in told] == [([], True)] * 3
    assert reply_bytes(told) <= 3 * LEAST_HEAD_BYTES
