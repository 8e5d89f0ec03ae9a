"""Measure the results of a consolidation."""

from membrane.usecases.learning.consolidate import Consolidated
from membrane.usecases.ports.services import Services

TRACES, SKILLS, PLANS = "TracesMade", "SkillsMade", "PlansMade"
"""The metrics of a run."""


def measure_made(done: Consolidated, services: Services) -> None:
    for metric, made in ((TRACES, done.traces), (SKILLS, done.skills), (PLANS, done.plans)):
        if made:
            services.measure(metric, len(made), "Count")
