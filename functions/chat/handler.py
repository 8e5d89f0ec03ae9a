"""POST /v1/chat; POST /v1/chat/stream, also behind the function URL."""

from membrane.adapters.aws_lambda.chat import answer_chat
from membrane.adapters.aws_lambda.invocation import Context, Event, Reply, StreamedReply
from membrane.adapters.aws_lambda.rows import rows_of
from membrane.wiring.start import ready, world

ROWS = rows_of("chat")


@ready("chat")
def handler(event: Event, context: Context) -> Reply | StreamedReply:
    """Answer one message of a conversation."""
    return answer_chat(event, context, ROWS, world())
