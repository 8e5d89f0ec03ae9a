"""Run the calls of a study session, and note the topics that the calls made."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from membrane.domain.chat.turns import ToolCall
from membrane.usecases.chat.run_calls import Runner
from membrane.usecases.chat.sandbox import OFFERED
from membrane.usecases.tools.tool import ToolAnswer

MADE_BY = {
    "memory_create_topic": "topic_id",
    "memory_promote_fields_to_nested_topic": "child_topic_id",
}
"""By tool that makes a topic, the name of the id in the answer."""


@dataclass(slots=True, kw_only=True)
class SessionRunner(Runner):
    """Runs the calls of phase A."""

    made: list[str] = field(default_factory=list)
    """The ids of the topics that calls made, in order."""

    @property
    def open_names(self) -> Sequence[str]:
        """See Runner."""
        return [name for name in self.tools if name in OFFERED]

    def run(self, asked: ToolCall) -> ToolAnswer:
        """See Runner."""
        answer = Runner.run(self, asked)
        name = MADE_BY.get(asked.name)
        if name is not None and not answer.is_error:
            self.made.append(answer.reply[name])
        return answer
