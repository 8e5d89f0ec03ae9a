"""Versions, the chain of their entries, erasure, marks and expiry."""

from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from membrane.domain.documents.changes import (
    MAX_FORMER,
    MAX_FORMER_CHARACTERS,
    Next,
    delete,
    erase,
    put,
    with_fresh_period,
)
from membrane.domain.documents.document import (
    FORGOTTEN,
    Document,
    DocumentAction,
    Version,
    fading_period_s,
    first_broken,
    sha256_of,
    without_content,
)
from tests.builders.stored_documents import KEPT_S, content, large_value, making, place

TEXTS = st.lists(st.integers(1, 900).map(lambda length: f'"{"x" * length}"'), max_size=12)


def history(steps: list[str | None]) -> tuple[Document, list[Version]]:
    """The document after a put of each text (None = a deletion), and every version that left."""
    document, left = put(None, place(), content("0"), making(rationale="first"))
    moved = list(left)
    for number, text in enumerate(steps):
        made = next_of(document, text, number)
        document = made.after
        moved += made.leaving
    return document, moved


def next_of(document: Document, text: str | None, number: int) -> Next:
    how = making(salt=f"{number:032x}", rationale=f"step {number}")
    if text is None:
        return delete(document, how, KEPT_S)
    return put(document, place(), content(text), how)


@given(st.lists(st.none() | st.integers(1, 900).map(lambda length: f'"{"x" * length}"')))
def test_the_chain_of_any_history_holds_and_no_version_is_lost(steps: list[str | None]) -> None:
    document, moved = history(steps)

    versions = [*moved, *document.former, document.current]

    assert [each.entry.version for each in versions] == [*range(1, len(steps) + 2)]
    assert [each.text for each in versions] == ["0", *steps]
    assert first_broken(place(), versions) is None
    assert first_broken(place(), versions[1:]) is None  # the oldest versions expire


@given(TEXTS, st.data())
def test_a_changed_version_breaks_the_chain_there(texts: list[str], data: st.DataObject) -> None:
    document, moved = history([*texts])
    versions = [*moved, *document.former, document.current]
    position = data.draw(st.integers(0, len(versions) - 1))
    found = versions[position]
    changes = [
        Version(found.entry, "1"),
        Version(replace(found.entry, rationale="another"), found.text),
        Version(replace(found.entry, principal="bob"), found.text),
        Version(replace(found.entry, at="2026-03-02T00:00:00Z"), found.text),
        Version(replace(found.entry, action=DocumentAction.ERASE), found.text),
        Version(replace(found.entry, salt=""), found.text),
    ]
    versions[position] = data.draw(st.sampled_from(changes))

    assert first_broken(place(), versions) == position + 1


@given(TEXTS, st.data())
def test_a_missing_version_breaks_the_chain(texts: list[str], data: st.DataObject) -> None:
    document, moved = history([*texts])
    versions = [*moved, *document.former, document.current]
    assume(len(versions) > 2)
    position = data.draw(st.integers(1, len(versions) - 2))

    del versions[position]

    assert first_broken(place(), versions) is not None


def test_the_chain_belongs_to_its_place() -> None:
    document, _ = history([])

    assert first_broken(place("other"), [document.current]) == 1


def test_no_version_breaks_no_chain() -> None:
    assert first_broken(place(), []) is None


@given(TEXTS)
def test_an_erasure_keeps_the_chain_and_no_text(texts: list[str]) -> None:
    document, moved = history([*texts])

    end = erase(document, making(), KEPT_S)

    versions = [*map(without_content, moved), *end.leaving, end.after.current]
    assert first_broken(place(), versions) is None
    assert all(each.text is None for each in versions)
    assert all(each.entry.salt == each.entry.rationale == "" for each in versions[:-1])
    assert end.after.former == ()
    assert [each.entry.version for each in versions] == [*range(1, len(versions) + 1)]


@given(TEXTS)
def test_what_stays_in_the_head_is_bounded(texts: list[str]) -> None:
    document, _ = history([*texts])

    characters = sum(len(str(each.text)) for each in document.former)

    assert len(document.former) <= MAX_FORMER
    assert characters <= MAX_FORMER_CHARACTERS


@given(TEXTS, TEXTS)
def test_two_writers_over_a_state_move_the_same_versions(
    texts: list[str], others: list[str]
) -> None:
    document, _ = history([*texts])

    moved = [put(document, place(), content(text), making()).leaving for text in ("1", *others)]

    assert all(each == moved[0] for each in moved)
    assert delete(document, making(), KEPT_S).leaving == moved[0]


def test_a_put_over_a_deleted_document_makes_a_new_document_in_the_same_chain() -> None:
    first = put(None, place(), content(), making()).after
    gone = delete(first, making(), KEPT_S).after

    how = replace(making(), at="2026-03-05T00:00:00Z")
    again = put(gone, place(), content('"new"'), how).after

    assert (gone.is_deleted, again.is_deleted) == (True, False)
    assert again.version == 3
    assert again.created_at == "2026-03-05T00:00:00Z"
    assert first_broken(place(), [*again.former, again.current]) is None


def test_an_expired_document_counts_as_absent() -> None:
    first = put(None, place(), content(ttl_s=10.0), making()).after
    late = replace(making(), now_s=first.refreshed_at_s + 10, at="2026-03-05T00:00:00Z")

    again = put(first, place(), content(), late).after

    assert again.created_at == "2026-03-05T00:00:00Z"


@given(st.floats(0.1, 1e6), st.floats(0, 1e7))
def test_a_document_is_hidden_from_the_instant_of_its_expiry_on(ttl_s: float, age_s: float) -> None:
    document = put(None, place(), content(ttl_s=ttl_s), making()).after
    expiry = document.expires_at_s
    assert expiry is not None

    assert document.is_alive(expiry - 0.001 * ttl_s)
    assert not document.is_alive(expiry)
    assert not document.is_alive(expiry + age_s)


@given(st.floats(0.1, 1e6))
def test_a_document_that_fades_is_hidden_when_its_salience_is_forgotten(half_life_s: float) -> None:
    document = put(None, place(), content(half_life_s=half_life_s), making()).after
    period = fading_period_s(half_life_s)
    assert period is not None

    assert document.salience(document.refreshed_at_s + half_life_s) == pytest.approx(0.5, rel=1e-3)
    assert document.salience(document.expires_at_s or 0) == pytest.approx(FORGOTTEN, rel=1e-3)
    assert document.expires_at_s == document.refreshed_at_s + period


def test_the_shorter_of_two_periods_counts() -> None:
    document = put(None, place(), content(ttl_s=5.0, half_life_s=60.0), making()).after

    assert document.expires_at_s == document.refreshed_at_s + 5


def test_a_document_without_a_period_stays() -> None:
    document = put(None, place(), content(), making()).after

    assert document.expires_at_s is None
    assert document.is_alive(1e12)
    assert document.salience(1e12) == 1


def test_a_refresh_never_goes_back_and_makes_no_version() -> None:
    document = put(None, place(), content(ttl_s=5.0), making()).after

    later = with_fresh_period(document, document.refreshed_at_s + 3)

    assert later.expires_at_s == document.refreshed_at_s + 8
    assert later.version == document.version
    assert with_fresh_period(later, document.refreshed_at_s) == later


def test_a_deleted_document_goes_when_its_versions_go() -> None:
    document = put(None, place(), content(ttl_s=5.0), making()).after
    gone = delete(document, making(), KEPT_S).after

    assert gone.expires_at_s == gone.removed_at_s == gone.refreshed_at_s + KEPT_S
    assert not gone.is_alive(gone.refreshed_at_s)


def test_the_hash_of_a_large_value_is_that_of_its_text() -> None:
    value, text = large_value(place())

    assert sha256_of(value) == sha256_of(text.decode())
    assert sha256_of(None) == ""
