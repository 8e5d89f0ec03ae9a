"""Pairs of acts on one entity, and the orders in which the acts can follow each other."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from tests.faults.harness import VOLATILE, Act, Outcome, Trial, in_order, is_done
from tests.faults.world import Stage, Step, Steps

Crossing = tuple[Act, Sequence[Act]]
"""An act, and those that may come amid the act."""


class Serial(NamedTuple):
    """Two acts, one after the other."""

    outcome: Outcome
    replies: dict[str, str]


class Race(Trial):
    """An act, and others that may come amid the act."""

    def serial(self, other: Act) -> list[Serial]:
        """Both orders."""
        return [self.follow(self.act, other), self.follow(other, self.act)]

    def follow(self, *acts: Act) -> Serial:
        """The acts in this order."""
        known = self.undisturbed
        self.stage.restore(known.before.saved)
        replies = {each.name: self.attempt_of(each) for each in acts}
        said = {name: said_in(reply) for name, reply in replies.items()}
        return Serial(self.settled(*acts), said)

    def attempt_of(self, act: Act) -> Any:
        return self.stage.run(partial(act.do, self.stage, self.undisturbed.given))

    def settled(self, *acts: Act) -> Outcome:
        """The present state, once jobs among the acts have come again."""
        for each in acts:
            if each.parts:
                self.attempt_of(each)
        return self.outcome(None)

    def cross(self, other: Act, numbers: Sequence[int]) -> None:
        """Run the other act wholly at each of the steps; require one of the two orders."""
        serial = self.serial(other)
        for number in numbers:
            self.cross_at(number, other, serial)

    def cross_at(self, number: int, other: Act, serial: Sequence[Serial]) -> None:
        known, where = self.undisturbed, f"{other} at step {number} of {self.act}"
        self.stage.restore(known.before.saved)
        replies: list[tuple[Act, Any]] = []

        def happen(step: Step) -> Any:
            replies.append((other, self.attempt_of(other)))
            return step.carry_out()

        replies.append((self.act, self.attempt(Steps(number, happen))))
        allowed, alone = [each.outcome for each in serial], None
        for act, reply in replies:
            is_of_route = "statusCode" in reply
            assert is_of_route or is_done(reply), f"{where}: {act} answers {reply}"
            said = said_in(reply)
            if act.answers or said in [each.replies[act.name] for each in serial]:
                continue
            is_fenced = "the scope is being erased" in reply["body"]
            assert act is self.act or is_fenced, f"{where}: {act} answers {said}"
            assert is_refusal(reply), f"{where}: {act} answers {said}"
            alone = other if act is self.act else self.act
        end = self.settled(self.act, other)
        self.require(end, [self.follow(alone).outcome] if alone else allowed, where)


def said_in(reply: Any) -> str:
    """The reply, with ids in the order in which the reply names the ids."""
    return VOLATILE.sub("", in_order(json.dumps(reply, sort_keys=True), {}))


def is_refusal(reply: Any) -> bool:
    """Whether the state forbids the request; a request that gave up counts as no refusal."""
    return reply["statusCode"] in (404, 409) and "ABORTED" not in reply["body"]


def amid(prepare: Callable[[Stage], Any], *acts: Act, about: str = "") -> list[Crossing]:
    """Each of the acts amid each of the others, on the state that `prepare` makes."""
    on_one = [replace(each, name=f"{each.name} {about}".rstrip(), prepare=prepare) for each in acts]
    return [(one, [other for other in on_one if one is not other]) for one in on_one]
