"""Whatever breaks off a route or a job, a repeat ends as if nothing had happened."""

from dataclasses import replace

import pytest

from tests.faults.acts import ACTS
from tests.faults.harness import CHANGES, Act, Trial, disowned, sample, trials_of
from tests.worlds.agreed import ROWS
from tests.worlds.template import functions, served_by

STATELESS = {
    "HealthFunction": "touches no store",
    "AuthorizerFunction": "reads a key",
}


@pytest.mark.parametrize("act", ACTS, ids=str)
def test_a_disturbed_act_ends_like_the_undisturbed_act(act: Act) -> None:
    trial = Trial(act)
    trial.require_shown()

    for number, fault in trials_of(trial):
        trial.disturb(number, fault)


def answers_of(act: Act) -> str:
    """Why the reply to a request without a key may differ."""
    return act.answers or ("it tells what was there" if act.name.startswith(TELLING) else "")


TELLING = ("POST /v1/exports", "POST /v1/erasures", "POST /v1/studies", "POST /v1/ingest at length")

BARE = [
    replace(each, do=each.bare, answers=answers_of(each))
    for each in ACTS
    if each.bare and not each.gives_up and "disowned" not in each.forgoes
]
"""The acts of requests that may lack an idempotency key."""


@pytest.mark.parametrize("act", BARE, ids=str)
def test_without_a_key_what_was_carried_out_is_found_and_not_done_again(act: Act) -> None:
    trial = Trial(act)
    known = trial.undisturbed

    for number in sample(sorted({*known.changing} & {*known.refusable}), CHANGES):
        trial.disturb(number, disowned)


def test_every_route_and_every_job_has_an_act() -> None:
    named = {act.name.split(" ")[0] for act in ACTS} | {
        " ".join(act.name.split(" ")[:2]) for act in ACTS
    }
    routes = {each.route for each in ROWS}
    jobs = {name for name in functions() if is_background(name)} - STATELESS.keys()

    assert sorted((routes | jobs) - named) == []


def is_background(function: str) -> bool:
    """Whether something other than a request over HTTP runs the function."""
    kinds = {each["Type"] for each in functions()[function].get("Events", {}).values()}
    return not served_by(function) or kinds > {"HttpApi"}
