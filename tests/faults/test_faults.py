"""Whatever breaks off a route or a job, a repeat ends as if nothing had happened."""

import pytest

from membrane.adapters.aws_lambda.routes.table import OPERATIONS
from tests.faults.acts import ACTS
from tests.faults.harness import Act, Trial, trials_of
from tests.worlds.template import functions, served_by

STATELESS = {
    "HealthFunction": "touches no store",
    "AuthorizerFunction": "reads a key",
}


@pytest.mark.parametrize("act", ACTS, ids=str)
def test_a_disturbed_act_ends_like_the_undisturbed_act(act: Act) -> None:
    trial = Trial(act)

    for number, fault in trials_of(trial):
        trial.disturb(number, fault)


def test_every_route_and_every_job_has_an_act() -> None:
    named = {act.name.split(" ")[0] for act in ACTS} | {
        " ".join(act.name.split(" ")[:2]) for act in ACTS
    }
    routes = {each.route for each in OPERATIONS}
    jobs = {name for name in functions() if is_background(name)} - STATELESS.keys()

    assert sorted((routes | jobs) - named) == []


def is_background(function: str) -> bool:
    """Whether something other than a request over HTTP runs the function."""
    kinds = {each["Type"] for each in functions()[function].get("Events", {}).values()}
    return not served_by(function) or kinds > {"HttpApi"}
