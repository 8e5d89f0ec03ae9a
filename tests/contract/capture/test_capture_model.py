"""Random captures, deletions, merges and splits over few names: what holds after each of them."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from membrane.domain.entities.requests import MergeEntities, SplitEntity
from membrane.domain.language.errors import FailedPrecondition, NotFound
from membrane.domain.language.json_text import Body
from membrane.domain.lifecycle.requests import DeleteRecord
from membrane.domain.records.records import as_json
from membrane.domain.records.requests import RetrieveById
from membrane.usecases.entities.merge_entities import merge_entities, split_entity
from membrane.usecases.records.read_record import retrieve_by_id
from membrane.wiring.world import World
from tests.builders.proposals import captured
from tests.builders.requests import call
from tests.worlds.captures import Held, require_sound_captures, services_over
from tests.worlds.depth import examples
from tests.worlds.revision import done, held_in, require_whole
from tests.worlds.stores import Store, table_store

NAMES = ("Orchid", "orchid", "Orchid Team", "Bob", "`Bob`", "team")
LEVELS = ("low", "medium", "high")
SCOPES = ("project:alpha", "project:beta", "")
PICK = st.integers(0, 30)


@dataclass(frozen=True, slots=True)
class Step:
    """What is done, and to which of the records so far."""

    deed: str
    one: int
    other: int
    level: str
    scope: str


STEPS = st.lists(
    st.builds(
        Step,
        st.sampled_from(["name", "text", "state", "state", "refer", "delete", "merge", "split"]),
        PICK,
        PICK,
        st.sampled_from(LEVELS),
        st.sampled_from(SCOPES),
    ),
    min_size=2,
    max_size=14,
)


def content_of(step: Step, ids: Sequence[str]) -> tuple[Any, str]:
    """The content of a capture, and the kind of its source."""
    first, second = NAMES[step.one % len(NAMES)], NAMES[step.other % len(NAMES)]
    match step.deed:
        case "name":
            return {"project": first, "person": second}, "event"
        case "text":
            return f"about {first}, {second}'s and `{second}`", "event"
        case "refer":
            return {"refs": list(ids[step.one % (1 + len(ids)) :][:3]), "text": first}, "event"
        case _:
            return {"subject": first, "predicate": "likes", "object": second}, "observation"


def changed(step: Step, ids: Sequence[str], services: World) -> None:
    """A deletion, merge or split of records so far, which may be refused."""
    one, other = (ids[each % len(ids)] for each in (step.one, step.other))
    with suppress(FailedPrecondition, NotFound):
        if step.deed == "delete":
            done(DeleteRecord(id=one), services)
        elif step.deed == "split":
            splitting = SplitEntity(id=one, entity_id=other)
            split_entity(splitting, call(splitting), services)
        elif one != other:
            merging = MergeEntities(id=one, entity_ids=(other,))
            merge_entities(merging, call(merging), services)


def require_shown_as_stored(body: Body, services: World) -> None:
    """The reply equals what a read by id shows."""
    for each in (body["primary_record"], *body["created_records"]):
        asked = RetrieveById(id=each["id"])
        assert as_json(retrieve_by_id(asked, call(asked), services)) == each


def lived(steps: Sequence[Step], store: Store) -> None:
    """Take the steps, and look at everything after each of them."""
    services, ids = services_over(store), list[str]()
    for step in steps:
        if step.deed in ("delete", "merge", "split"):
            if ids:
                changed(step, ids, services)
        else:
            content, kind = content_of(step, ids)
            body = captured(
                content, services, source_kind=kind, scope=step.scope, sensitivity=step.level
            )
            made = [body["primary_record"], *body["created_records"]]
            assert {(each.get("scope", ""), each["sensitivity"]) for each in made} == {
                (step.scope, step.level)
            }
            require_shown_as_stored(body, services)
            ids += [each["id"] for each in made]
        require_sound_captures(records_of(store))


def records_of(store: Store) -> Held:
    """Every record of the store."""
    items = store.everything()
    found = held_in(store, items)
    require_whole(found, items)
    return found


@settings(max_examples=examples(100), deadline=None)
@given(STEPS)
def test_whatever_was_done_a_name_leads_to_one_entity_and_links_to_what_there_is(
    steps: Sequence[Step],
) -> None:
    lived(steps, table_store())
