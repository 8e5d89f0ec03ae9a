"""Writers of a document with old and new states: the history is that of the writers who won."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.adapters.dynamodb.documents.document_store import DynamoDocuments
from membrane.domain.documents.changes import Next, delete, erase, put
from membrane.domain.documents.document import Document, DocumentAction, Version, first_broken
from membrane.domain.documents.places import Place
from membrane.usecases.ports.records import LostRace
from tests.builders.stored_documents import KEPT_S, content, making, place, store_next
from tests.worlds.depth import examples
from tests.worlds.stores import Store


class Step(NamedTuple):
    action: str
    is_finished: bool
    """Whether an erasure goes on to the history."""
    length: int
    age: int
    """How many states ago the writer read the document."""


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(["put", "put", "put", "delete", "erase"]),
        st.booleans(),
        st.sampled_from([1, 100, 700]),
        st.sampled_from([0, 0, 0, 1, 2, 3]),
    ),
    min_size=1,
    max_size=24,
)


def planned(where: Place, before: Document | None, step: Step, number: int) -> Next:
    how = making(salt=f"{number:032x}", rationale=f"step {number}")
    if before is None or step.action == "put":
        return put(before, where, content(f'"{number}{"x" * step.length}"'), how)
    if step.action == "delete":
        return delete(before, how, KEPT_S)
    return erase(before, how, KEPT_S)


def is_won(documents: DynamoDocuments, before: Document | None, made: Next) -> bool:
    try:
        store_next(documents, before, made)
    except LostRace:
        return False
    return True


def every_version(documents: DynamoDocuments, document: Document) -> Sequence[Version]:
    """Every version, oldest first."""
    inline = [*document.former, document.current]
    moved = documents.versions(document.place, inline[0].entry.version, 1_000)
    return [*reversed(moved), *inline]


@settings(max_examples=examples(150))
@given(steps=STEPS)
def test_late_writers_change_neither_history_nor_what_is_erased(
    table: Store, steps: list[Step]
) -> None:
    where = place(str(uuid4()))
    states: list[Document | None] = [None]
    unfinished: list[Document] = []
    for number, step in enumerate(steps):
        before = states[-1 - min(step.age, len(states) - 1)]
        made = planned(where, before, step, number)
        won = is_won(table.documents, before, made)
        assert won == (before is states[-1])
        if won:
            states.append(made.after)
        if won and made.after.current.entry.action is DocumentAction.ERASE:
            unfinished.append(made.after)
            if step.is_finished:
                finish(unfinished, table.documents)

    finish(unfinished, table.documents)  # a late write may have come in between
    newest = states[-1]
    assert newest is not None
    versions = every_version(table.documents, newest)
    won_entries = [each.current.entry for each in states if each is not None]
    assert [each.entry.hash for each in versions] == [each.hash for each in won_entries]
    assert first_broken(where, versions) is None
    erasures = [
        number for number, each in enumerate(won_entries) if each.action is DocumentAction.ERASE
    ]
    erased = max(erasures, default=-1) + 1
    assert texts(versions) == [None] * erased + texts(
        [each.current for each in states[1:] if each is not None][erased:]
    )


def finish(erased: list[Document], documents: DynamoDocuments) -> None:
    for each in erased:
        documents.erase_history(each, until_s=KEPT_S)
    erased.clear()


def texts(versions: Sequence[Version]) -> list[object]:
    return [each.text for each in versions]
