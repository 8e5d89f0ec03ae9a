"""Edits of keyed documents behind the service's back, as `membrane verify` reports them."""

from datetime import timedelta
from typing import Any

import pytest

from tests.integration.erasure.test_erasures import erase
from tests.worlds.api import Api
from tests.worlds.edited_documents import (
    CHAT,
    EDITS,
    PREFS,
    SCOPE,
    Edit,
    id_of,
    item_of,
    keep_documents,
    remove,
    write,
)
from tests.worlds.verified_stacks import anchored, verified


@pytest.fixture
def documents(api: Api) -> Api:
    """Three documents, anchored an hour ago."""
    keep_documents(api)
    assert anchored(api)["leaves"] == 5
    api.functions.clock.advance(timedelta(hours=1))
    assert verified(api) == (0, "")
    return api


@pytest.mark.parametrize(("tamper", "path", "kinds"), EDITS.values(), ids=EDITS)
def test_an_edit_of_a_document_is_reported(
    documents: Api, tamper: Edit, path: str, kinds: set[str]
) -> None:
    tamper(documents)

    code, said = verified(documents)

    found = [line.split(": ")[0].split() for line in said.splitlines()]
    assert code == 1
    assert {(kind, source) for kind, source in found} == {(kind, id_of(path)) for kind in kinds}


@pytest.mark.parametrize(("path", "beside"), [(PREFS, ""), (CHAT, "items#")])
def test_a_removed_head_and_removed_items_are_gone(documents: Api, path: str, beside: str) -> None:
    remove(documents, item_of(documents, path, beside))

    code, said = verified(documents)

    assert code == 1
    (line,) = said.splitlines()
    assert line.startswith("gone ")


def test_a_head_that_was_given_an_end_and_removed_is_gone(documents: Api) -> None:
    head = item_of(documents, CHAT)
    write(documents, head, t={"N": "1"}, expires_at={"N": "1"})
    anchored(documents)
    documents.functions.clock.advance(timedelta(hours=1))

    remove(documents, head)

    assert [line.split()[0] for line in verified(documents)[1].splitlines()] == ["gone"]


@pytest.mark.parametrize("birth", [{}, {"b": {"S": "today"}}])
def test_a_head_without_a_birth_is_unreadable(documents: Api, birth: dict[str, Any]) -> None:
    head = item_of(documents, PREFS)
    del head["b"]
    write(documents, head, **birth)

    code, said = verified(documents)

    unreadable = [line for line in said.splitlines() if line.startswith("unreadable ")]
    assert code == 1
    assert len(unreadable) == 1
    assert head["sk"]["S"] in unreadable[0]


def test_a_finding_says_where_the_document_is(documents: Api) -> None:
    write(documents, item_of(documents, PREFS), s={"S": "public"})

    _, said = verified(documents)

    assert said.endswith(f", {PREFS} in scope {SCOPE})\n")


def test_a_number_out_of_range_stops_neither_anchor_nor_verification(documents: Api) -> None:
    write(documents, item_of(documents, CHAT, "items#"), r={"N": "-1"})

    assert anchored(documents)["damaged"] == 1

    _, said = verified(documents)
    assert f"unreadable {id_of(CHAT)}: " in said


def test_an_erasure_of_the_scope_and_the_next_anchor_leave_no_finding(documents: Api) -> None:
    erase(documents, scope=SCOPE)

    assert verified(documents) == (0, "")
    anchored(documents)
    assert verified(documents) == (0, "")
