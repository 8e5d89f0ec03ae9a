"""Replay planted traces into a store, step by step, as an agent reports them."""

from membrane.domain.learning.skills import Evidence
from membrane.domain.records.payloads import TOOL_CALL, EpisodicPayload
from membrane.usecases.ports.services import Services
from tests.builders.episodes import add_call, add_event, end
from tests.fakes.clock import FakeClock


def replay(evidence: Evidence, services: Services, clock: FakeClock) -> None:
    """Report the events and calls of a trace under its own thread, and the outcome."""
    trace, thread = evidence.trace, evidence.record_id
    last = ""
    calls = dict[str, str]()
    for event in trace.timeline:
        if event.event_kind != TOOL_CALL:
            made = add_event(
                thread,
                event.summary,
                services,
                event_kind=event.event_kind,
                ref=f"{thread}/{event.ref}",
                timestamp=event.t,
            )
            last = made.id
    for node in trace.tool_graph:
        depends_on = [calls[each] for each in node.depends_on]
        made = add_call(
            thread,
            node.tool,
            node.args,
            node.result,
            services,
            depends_on=depends_on,
            timestamp=node.timestamp,
        )
        assert isinstance(made.payload, EpisodicPayload)
        calls[node.id] = made.payload.tool_graph[0].id
        last = made.id
    if trace.outcome is not None:
        end(last, services, trace.outcome, reason=trace.outcome_reason)
    clock.advance(minutes=1)
