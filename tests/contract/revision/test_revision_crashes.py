"""Revisions that break off at any call of the store: the old state or the new one, never a mix."""

from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from membrane.domain.language.errors import Unavailable
from membrane.domain.language.fields import Part
from membrane.domain.lifecycle.requests import DeleteRecord, Reinforce, RestoreRecord
from membrane.domain.revision.requests import (
    Contest,
    Fork,
    Merge,
    Reclassify,
    Resolve,
    Retract,
    Supersede,
)
from membrane.usecases.ports.services import Services
from tests.builders.answer_receipts import RECEIPT_ID, answer_receipt
from tests.builders.requests import event, full_record, observation, outcome, relation
from tests.builders.stored_records import noise
from tests.worlds.depth import cases
from tests.worlds.endings import amid
from tests.worlds.faults import (
    ADDRESS,
    Killed,
    Moment,
    die,
    hooks,
    without_retries,
)
from tests.worlds.revision import (
    CONTESTED,
    FORKED,
    KEPT,
    REPLACED,
    WRITING,
    Stage,
    State,
    done,
    fact,
    id_of,
)
from tests.worlds.stores import Store

STEPS = 60
"""More than any revision takes; every test says that it reached the last."""

Prepare = Callable[[Services], Part]
"""Lays down what there is at first; gives what is asked for then."""


def made(request: Part, services: Services) -> str:
    """The id of a record that is there at first."""
    return id_of(done(request, services))


def told(services: Services, predicate: str = KEPT, **fields: Any) -> str:
    """The id of a fact that is there at first."""
    return made(observation(**{"predicate": predicate, "object": "tea", **fields}), services)


def superseding(services: Services) -> Part:
    """A fact that is to be superseded where there may be one alone."""
    return replacement(told(services, REPLACED), REPLACED, "ale")


def superseding_by_much(services: Services) -> Part:
    """The new fact is so large that its document lies in the bucket."""
    return replacement(told(services), KEPT, noise(60_000))


def superseding_what_has_changed_often(services: Services) -> Part:
    """Older audit entries and changes of the old fact spill when it changes once more."""
    old_id = told(services)
    for number in range(16):
        made(Reclassify(id=old_id, tags=(f"{number}",)), services)
    return replacement(old_id, KEPT, "ale")


def replacement(old_id: str, predicate: str, said: str) -> Supersede:
    new = fact(predicate, said, relations=[relation(old_id)])
    return Supersede.model_validate({"id": old_id, "new_record": new, "rationale": "better"})


def forking(services: Services) -> Part:
    given = fact(FORKED, "ale")
    source_id = told(services, FORKED)
    return Fork.model_validate({"id": source_id, "forked_record": given, "rationale": "also"})


def merging(services: Services) -> Part:
    ids = [told(services, object=said) for said in ("tea", "ale", "milk")]
    return Merge.model_validate({"ids": ids, "merged_record": fact(KEPT, "drinks")})


def retracting(services: Services) -> Part:
    return Retract(id=told(services), rationale="wrong")


def contesting(services: Services) -> Part:
    by = told(services, object="ale")
    return Contest(id=told(services), contesting_ref=by, rationale="doubt")


def contesting_from_outside(services: Services) -> Part:
    return Contest(id=told(services), contesting_ref="a letter", rationale="doubt")


def contested(services: Services) -> str:
    """The id of a fact that another one contests."""
    request = contesting(services)
    return made(request, services)


def keeping(services: Services) -> Part:
    return Resolve(id=contested(services), resolution="keep")


def giving_way(services: Services) -> Part:
    return Resolve(id=contested(services), resolution="supersede")


def giving_up(services: Services) -> Part:
    return Resolve(id=contested(services), resolution="retract")


def taking_up(services: Services) -> Part:
    """What was retracted counts again, where there may be one alone."""
    return Reclassify(id=made(Retract(id=told(services, REPLACED)), services), retracted=False)


def moving(services: Services) -> Part:
    """A fact goes into another scope, where there may be one alone."""
    return Reclassify(id=told(services, REPLACED), scope="shared", tags=("moved",))


def restoring(services: Services) -> Part:
    """A deleted fact comes back, where there may be one alone."""
    return RestoreRecord(id=made(DeleteRecord(id=told(services, REPLACED)), services))


def observing(predicate: str, said: str) -> Prepare:
    """Somebody says something where there is a fact already."""

    def prepare(services: Services) -> Part:
        told(services, predicate)
        return observation(predicate=predicate, object=said)

    return prepare


def observing_against_many(services: Services) -> Part:
    """Three facts, said of parts of a time, conflict with one that is said of all of it."""
    for month in range(1, 4):
        window = {"start": f"2026-0{month}-01T00:00:00Z", "end": f"2026-0{month + 1}-01T00:00:00Z"}
        told(services, REPLACED, **window)
    return observation(predicate=REPLACED, object="ale")


def crediting(services: Services) -> Part:
    """An outcome that rests on a retrieval of three facts."""
    ids = [told(services, object=said) for said in ("tea", "ale", "milk")]
    services.receipts.keep(answer_receipt(dict.fromkeys(ids, 0.5)))
    return outcome(made(event(), services), receipt_id=RECEIPT_ID, used_ids=ids[:1])


def crediting_what_has_changed_often(services: Services) -> Part:
    """Older audit entries of the fact spill when the fact gets credit."""
    fact_id = told(services)
    for _ in range(15):
        made(Reinforce(id=fact_id), services)
    services.receipts.keep(answer_receipt({fact_id: 0.5}))
    return outcome(made(event(), services), receipt_id=RECEIPT_ID, outcome_status="failure")


def recording(services: Services) -> Part:
    """A full record of a fact, where there may be one alone."""
    target_id = told(services)
    return full_record(**fact(REPLACED, "ale", relations=[relation(target_id)]))


DEEDS: dict[str, Prepare] = {
    "supersede": superseding,
    "supersede by a large record": superseding_by_much,
    "supersede, and spill": superseding_what_has_changed_often,
    "fork": forking,
    "merge three": merging,
    "retract": retracting,
    "contest": contesting,
    "contest from outside": contesting_from_outside,
    "resolve: keep": keeping,
    "resolve: supersede": giving_way,
    "resolve: retract": giving_up,
    "take up": taking_up,
    "move": moving,
    "restore": restoring,
    "observe, replace": observing(REPLACED, "ale"),
    "observe, replace three": observing_against_many,
    "observe, fork": observing(FORKED, "ale"),
    "observe, contest": observing(CONTESTED, "ale"),
    "observe again": observing(REPLACED, "tea"),
    "record a fact": recording,
    "credit three": crediting,
    "credit, and spill": crediting_what_has_changed_often,
}


def outcome_of(stage: Stage) -> tuple[State, State, str]:
    """The old state and the new one, and the record that the answer is about."""
    old = stage.state()
    record_id, replayed = stage.act()
    assert not replayed
    new = stage.state()
    assert new != old
    return old, new, record_id


@pytest.fixture(params=list(DEEDS.values()), ids=list(DEEDS))
def stage(request: pytest.FixtureRequest) -> Stage:
    """Each deed about to begin."""
    prepare: Prepare = request.param
    return Stage.of(lambda services: [prepare(services)])


def time_out() -> None:
    """The call, or its reply, is lost on the way."""
    raise ReadTimeoutError(endpoint_url=ADDRESS)


@pytest.mark.parametrize("breaking", cases([die, time_out], [time_out]))
def test_broken_off_at_any_call_all_is_old_or_new_and_the_retry_ends_in_the_new(
    stage: Stage, breaking: Callable[[], None]
) -> None:
    without_retries(stage.table.client)
    old, new, record_id = outcome_of(stage)

    for step in count():
        stage.begin()
        moment = Moment(step, breaking)
        with suppress(Killed, Unavailable, ReadTimeoutError), amid(stage.table, moment):
            stage.act()
        left = stage.state()
        assert left in (old, new), f"broken off at step {step}"
        answered, replayed = stage.act()
        assert (answered, replayed) == (record_id, left == new), f"step {step}"
        assert stage.state() == new, f"tried again after step {step}"
        assert stage.act() == (record_id, True)
        assert stage.state() == new, f"repeated after step {step}"
        if not moment.has_come:
            break
    assert 3 < step < STEPS


def test_where_a_write_is_done_and_sent_again_the_call_ends_in_the_new_state(stage: Stage) -> None:
    _, new, record_id = outcome_of(stage)

    for number in count():
        stage.begin()
        lost = lose_reply(stage.table, number)
        answered, _ = stage.act()
        assert answered == record_id, f"write {number} was sent twice"
        assert stage.state() == new, f"write {number} was sent twice"
        if not lost:
            break
    assert number > 0


def lose_reply(table: Store, number: int) -> list[int]:
    """Let one write from now on be carried out and its reply be lost; it is sent again at once.

    Gives the statuses of the replies lost so far.
    """
    lost: list[int] = []
    writes = count()

    def again(response: Any, **_: object) -> int | None:
        if response is None or next(writes) != number:
            return None
        lost.append(response[0].status_code)
        return 0  # seconds to wait

    for operation in WRITING:
        hooks(table.client).register_first(f"needs-retry.dynamodb.{operation}", again)
    return lost
