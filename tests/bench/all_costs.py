"""The measures of costs beyond those of records, each for a table of its own."""

from collections.abc import Callable, Mapping

from tests.bench.agent_costs import chat_costs, learning_costs, tool_costs
from tests.bench.document_costs import document_costs
from tests.bench.entity_costs import entity_costs
from tests.bench.job_costs import erasure_costs, export_costs
from tests.bench.study_costs import study_costs
from tests.bench.topic_costs import topic_costs
from tests.worlds.metering import Cost
from tests.worlds.stores import Store

MEASURES: tuple[Callable[[Store], Mapping[str, Cost]], ...] = (
    topic_costs,
    entity_costs,
    learning_costs,
    erasure_costs,
    export_costs,
    tool_costs,
    chat_costs,
    study_costs,
    document_costs,
)
