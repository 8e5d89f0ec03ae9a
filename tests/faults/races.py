"""Pairs of acts on one entity, and the orders in which the acts can follow each other."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, NamedTuple

from tests.faults.asking import asks, nothing, same, works
from tests.faults.harness import Act, Outcome, Trial
from tests.faults.job_acts import erasing
from tests.faults.record_acts import CAPTURED, deleted, entities, fact, first, observation, observed
from tests.faults.topic_acts import DOCUMENT, LOG, document, log, two_topics
from tests.faults.world import Stage, Step, Steps
from tests.worlds.cloud import LARGE, REPLACED


class Serial(NamedTuple):
    """Two acts, one after the other."""

    outcome: Outcome
    replies: dict[str, str]


class Race(Trial):
    """Two acts on the state of the first."""

    def __init__(self, act: Act, other: Act) -> None:
        super().__init__(act)
        self.other = other
        self.serial = [self.follow(act, other), self.follow(other, act)]

    def follow(self, *acts: Act) -> Serial:
        """The acts in this order."""
        known = self.undisturbed
        self.stage.restore(known.before.saved)
        run, stage = self.stage.run, self.stage
        replies = {each.name: run(partial(each.do, stage, known.given)) for each in acts}
        said = {name: self.outcome(reply).reply for name, reply in replies.items()}
        return Serial(self.outcome(None), said)

    def cross(self, number: int) -> None:
        """Run the other act wholly at a step of the first; require one of the two orders."""
        known, where = self.undisturbed, f"{self.other} at step {number} of {self.act}"
        self.stage.restore(known.before.saved)
        replies: list[tuple[Act, Any]] = []

        def happen(step: Step) -> Any:
            reply = self.stage.run(partial(self.other.do, self.stage, known.given))
            replies.append((self.other, reply))
            return step.carry_out()

        replies.append((self.act, self.attempt(Steps(number, happen))))
        allowed, alone = [each.outcome for each in self.serial], None
        for act, reply in replies:
            said = self.outcome(reply).reply
            if act.answers or said in [each.replies[act.name] for each in self.serial]:
                continue
            is_fenced = "the scope is being erased" in reply["body"]
            assert act is self.act or is_fenced, f"{where}: {act} answers {said}"
            assert is_refusal(reply), f"{where}: {act} answers {said}"
            alone = self.other if act is self.act else self.act
        end = self.outcome(None)
        self.require(end, [self.follow(alone).outcome] if alone else allowed, where)


def is_refusal(reply: Any) -> bool:
    """Whether the state forbids the request; a request that gave up counts as no refusal."""
    return reply["statusCode"] in (404, 409) and "ABORTED" not in reply["body"]


def pairs(prepare: Callable[[Stage], Any], *acts: Act, about: str = "") -> list[tuple[Act, Act]]:
    """Each of the acts with each, on the state that `prepare` makes."""
    on_one = [
        Act(f"{each.name} {about}".rstrip(), prepare, each.do, answers=each.answers)
        for each in acts
    ]
    return [(one, other) for one in on_one for other in on_one if one is not other]


def observe(said: str) -> Act:
    return asks("POST /v1/ingest/observation", observation(REPLACED, said), about=f"of {said}")


def change(route: str, body: Any = None, **more: Any) -> Act:
    return asks(f"{route.replace(' ', ' /v1/records/{id}', 1)}", body, same, **more)


def fading(stage: Stage) -> str:
    """A fact that has faded, and is due."""
    found = observed(REPLACED, lifecycle={"decay": {"half_life_seconds": 75}})(stage)
    stage.cloud.functions.clock.advance(timedelta(days=1))
    return found


OF_RECORDS = (
    observe("ale"),
    observe("wine"),
    change("POST /supersede", {"new_record": fact("user", REPLACED, "milk")}),
    change("POST /fork", {"forked_record": fact("user", "likes", "milk")}),
    change("POST /retract", {}),
    change("POST /contest", {"contesting_ref": "a letter"}),
    change("PATCH ", {"scope": "elsewhere"}),
    change("PATCH ", {"tags": ["new"]}, about="of tags"),
    change("POST /penalize", {"amount": 0.1, "rationale": LARGE}),
    change("POST /pin", {}),
    change("PATCH /lifecycle", {"decay": {"half_life_seconds": 75}}),
    change("DELETE "),
    change("DELETE ", query="erase=true", about="for good"),
)

OF_TOPICS = (
    asks("PATCH /v1/topics/{id}", {"summary": "changed"}, same),
    asks("POST /v1/topics/{id}/fields", {"field_name": "n", "value": 9}, same),
    asks("POST /v1/topics/{id}/fields", {"field_name": "m", "value": 9}, same, about="of another"),
    asks("DELETE /v1/topics/{id}/fields/{name}", None, same, name="n"),
    asks("POST /v1/topics/{id}/nest-fields", {"field_names": ["n"], "nest_key": "g"}, same),
    asks("POST /v1/topics/{id}/relationships", {"to_topic_id": "team", "kind": "runs"}, same),
    asks(
        "DELETE /v1/topics/{id}/relationships", None, same, query="to_topic_id=team&kind=owned_by"
    ),
    asks("DELETE /v1/topics/{id}", None, same),
    asks("DELETE /v1/topics/{id}", None, same, query="erase=true", about="for good"),
    asks("DELETE /v1/topics/{id}", None, "team", about="of the neighbour"),
)

OF_DOCUMENTS = (
    asks(f"PUT {DOCUMENT}", {"value": LARGE}, same),
    asks(f"PUT {DOCUMENT}", {"value": "small"}, same, about="of a small value"),
    asks(f"DELETE {DOCUMENT}", None, same),
    asks(f"DELETE {DOCUMENT}", None, same, query="erase=true", about="for good"),
)

OF_LISTS = (
    asks(f"POST {DOCUMENT}", {"items": ["three"]}, f"{LOG}/items"),
    asks(f"POST {DOCUMENT}", {"items": ["four"]}, f"{LOG}/items", about="of another"),
    asks(f"DELETE {DOCUMENT}", None, same, query="items=2", about="of items"),
)

OF_ENTITIES = (
    asks("POST /v1/entities/{id}/merge", lambda of: {"entity_ids": of[1:]}, first),
    asks(
        "POST /v1/capture", {**CAPTURED, "content": {"text": "Ada Smith", "service": "Ada Smith"}}
    ),
    asks("DELETE /v1/records/{id}", None, first),
    asks("DELETE /v1/records/{id}", None, lambda of: of[1], query="erase=true", about="for good"),
)

OF_CAPTURES = (
    asks("POST /v1/capture", CAPTURED),
    asks("POST /v1/capture", {**CAPTURED, "summary": "again"}, about="of the same entity"),
)

LATE = {"scope": "user:leaving"}
IN_A_SCOPE = (
    asks("POST /v1/ingest/observation", {**observation(REPLACED, "ale"), **LATE}),
    asks(
        "POST /v1/messages",
        {
            "thread_id": "1",
            "messages": [{"role": "user", "content": each} for each in "ab"],
            **LATE,
        },
    ),
    asks("POST /v1/topics", {"topic_id": "late", "title": "late", **LATE}),
    asks("PATCH /v1/topics/{id}", {"summary": "late"}, "left"),
    asks(f"PUT {DOCUMENT}", {"value": LARGE, **LATE}, "left/late"),
    asks(f"POST {DOCUMENT}", {"items": ["late"], **LATE}, "left/log/items"),
)

ERASURE = works("EraseFunction", lambda of: {"membrane-erase": {"id": of}}, prepare=erasing)

RACES: Sequence[tuple[Act, Act]] = (
    *pairs(observed(REPLACED), *OF_RECORDS),
    *pairs(
        fading,
        works("DecayFunction", {}),
        observe("ale"),
        change("POST /pin", {}),
        change("POST /reinforce", {}),
        about="of a faded fact",
    ),
    *pairs(
        deleted,
        change("POST /restore", {}),
        observe("ale"),
        change("DELETE ", query="erase=true", about="for good"),
        about="of a deleted fact",
    ),
    *pairs(two_topics, *OF_TOPICS),
    *pairs(document, *OF_DOCUMENTS),
    *pairs(log, *OF_LISTS),
    *pairs(entities, *OF_ENTITIES, about="of entities"),
    *pairs(nothing, *OF_CAPTURES),
    *((ERASURE, each) for each in IN_A_SCOPE),
)
