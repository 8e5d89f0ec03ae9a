"""The system context and what is remembered of its changes."""

import json

import pytest

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.records.idempotency import operation
from membrane.domain.topics.system_context import (
    MAX_CHANGES,
    MAX_CHARACTERS,
    Change,
    SystemContext,
    changed_context,
)


def change(number: int = 0) -> Change:
    """One of several, by number."""
    return Change(f"2026-03-01T09:{number:02}:00Z", f"admin-{number}")


def test_texts_are_stripped_and_may_not_be_blank() -> None:
    made = changed_context(None, "  a pilot ", "\nin Rome\n", change(), None)

    assert (made.system_role, made.runtime_context) == ("a pilot", "in Rome")
    for texts in (("", "x"), ("x", "  \n")):
        with pytest.raises(InvalidArgument, match="must not be blank"):
            changed_context(made, *texts, change(), None)


def test_the_newest_changes_are_remembered_and_the_first_instant() -> None:
    made = changed_context(None, "role 0", "runtime", change(0), None)
    for number in range(1, MAX_CHANGES + 5):
        made = changed_context(made, f"role {number}", "runtime", change(number), None)

    assert made.created_at == change(0).at
    assert made.changes == tuple(change(number) for number in range(5, MAX_CHANGES + 5))


def test_the_same_texts_are_no_change() -> None:
    made = changed_context(None, "role", "runtime", change(0), None)

    assert changed_context(made, " role", "runtime ", change(1), None) == made


def test_it_is_read_as_it_was_kept() -> None:
    told = operation("admin", "ChangeSystemContext", "key", b"body")
    made = changed_context(None, "role", "runtime", change(0), told)

    assert made.operations == (told,)
    assert SystemContext.from_json(json.loads(json.dumps(made.as_json()))) == made


def test_the_longest_stays_within_an_item() -> None:
    text = "\x01" + "𝄞" * (MAX_CHARACTERS - 2) + "\x01"
    made = None
    for number in range(120):
        told = operation("admin", "rpc", str(number), b"body")
        made = changed_context(made, text, f"{text[:-1]}{number % 10}", change(number % 60), told)

    assert made is not None
    assert len(json.dumps(made.as_json(), ensure_ascii=False).encode()) < 390_000
