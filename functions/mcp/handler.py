"""POST /mcp; GET /v1/tools; POST /v1/tools/{name}; the metadata for clients without a key."""

from membrane.adapters.aws_lambda.agents import answer_agents
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import ready, world

ROWS = rows_of("mcp")


@ready("agents")
def handler(event: Event, _context: Context) -> Reply:
    """Answer one request of an agent."""
    return answer_agents(event, ROWS, world())
