"""Captures that break off at any call of the store: all is stored or nothing, and nothing twice."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from itertools import count
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from membrane.domain.language.errors import Unavailable
from membrane.usecases.machinery.calls import ReplyBody
from membrane.usecases.ports.services import Services
from tests.builders.captures import capture
from tests.builders.entities import add_entity
from tests.builders.stored_records import noise
from tests.worlds.capture_stage import Act, CaptureStage
from tests.worlds.depth import cases
from tests.worlds.endings import amid
from tests.worlds.faults import ADDRESS, Killed, Moment, die, lose_replies
from tests.worlds.revision import REPLACED
from tests.worlds.stores import Store

STEPS = 80

STATED = {"ref": "r", "subject": "Orchid", "predicate": REPLACED, "object": "tea"}


def capturing(content: Any, services: Services, **fields: Any) -> Act:
    return partial(capture, content, services, key="k", **fields)


def new_names(services: Services) -> Act:
    content = {"ref": "r", "project": "Orchid", "person": "Orion Belt", "text": "`a.b` is slow"}
    return capturing(content, services)


def known_names(services: Services) -> Act:
    """A known entity that faded, a reference by id, and a reference by ref."""
    orchid = add_entity("Orchid", services)
    capture({"ref": "earlier", "text": "x"}, services, key="earlier")
    return capturing({"ref": "r", "text": "Orchid", "refs": [orchid.id, "earlier"]}, services)


def first_fact(services: Services) -> Act:
    return capturing(STATED, services, source_kind="observation")


def same_fact(services: Services) -> Act:
    capture(STATED, services, key="earlier", source_kind="observation")
    return capturing(STATED, services, source_kind="observation")


def other_fact(services: Services) -> Act:
    capture(STATED, services, key="earlier", source_kind="observation")
    return capturing({**STATED, "object": "ale"}, services, source_kind="observation")


def large_content(services: Services) -> Act:
    content = {"ref": "r", "project": "Orchid", "log": noise(200_000)}
    return capturing(content, services, context={"log": noise(200_000, 1)})


DEEDS: Mapping[str, Callable[[Services], Act]] = {
    "new names": new_names,
    "known names": known_names,
    "first fact": first_fact,
    "same fact": same_fact,
    "other fact": other_fact,
    "large content": large_content,
}


def time_out() -> None:
    """The call, or the reply, is lost on the way."""
    raise ReadTimeoutError(endpoint_url=ADDRESS)


@pytest.mark.parametrize("breaking", cases([die, time_out], [time_out]))
@pytest.mark.parametrize("prepare", DEEDS.values(), ids=DEEDS)
def test_broken_off_at_any_call_all_is_stored_or_nothing_and_the_repeat_shows_all(
    prepare: Callable[[Services], Act], breaking: Callable[[], None]
) -> None:
    def days_later(services: Services, table: Store) -> list[Act]:
        act = prepare(services)
        table.clock.advance(days=2)
        return [act]

    stage = CaptureStage.of(days_later)
    (act,) = stage.acts
    old = stage.state()
    whole = reply_of(act)
    new = stage.state()
    assert not whole.replayed

    for step in count():
        stage.begin()
        moment = Moment(step, breaking)
        with suppress(Killed, Unavailable, ReadTimeoutError), amid(stage.table, moment):
            act()
        left = stage.state()
        assert left in (old, new), f"broken off at step {step}"

        again = reply_of(act)

        assert again.replayed == (left == new), f"step {step}"
        assert shown(again) == shown(whole), f"step {step}"
        assert stage.state() == new, f"tried again after step {step}"
        third = reply_of(act)
        assert (third.replayed, shown(third)) == (True, shown(whole)), f"step {step}"
        assert stage.state() == new, f"repeated after step {step}"
        if not moment.has_come:
            break
    assert 3 < step < STEPS


def test_where_the_reply_of_the_write_is_lost_the_capture_finds_what_it_wrote(
    table: Store,
) -> None:
    lost = lose_replies(table.client, "TransactWriteItems")

    reply = capture(STATED, table.services, source_kind="observation")

    assert lost
    assert not reply.replayed
    made = [reply.body["primary_record"], *reply.body["created_records"]]
    assert [each["type"] for each in made] == ["episodic", "entity", "semantic"]
    assert table.records.load_all([each["id"] for each in made]).keys() == {
        each["id"] for each in made
    }


def reply_of(act: Act) -> ReplyBody:
    reply = act()
    assert isinstance(reply, ReplyBody)
    return reply


def shown(reply: ReplyBody) -> dict[str, Any]:
    """The body of the reply, without the audit, which has new salts at each try."""
    body = dict(reply.body)
    records = [body["primary_record"], *body["created_records"]]
    bare = [{name: each[name] for name in each if name != "audit_log"} for each in records]
    return {"records": bare, "edges": body["edges"], "tokens": body["consistency_tokens"]}
