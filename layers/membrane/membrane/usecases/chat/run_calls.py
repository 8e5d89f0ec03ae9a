"""Run the tools that a model calls: those of a route, or of a session of Study."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from membrane.domain.access.principals import USER, Principal
from membrane.domain.chat.requests import Route
from membrane.domain.chat.turns import OfferedTool, ToolCall
from membrane.domain.language.errors import DomainError
from membrane.domain.language.json_text import JsonObject, canonical_json, compact_json, digest
from membrane.domain.tools.arguments import Profile
from membrane.domain.tools.schemas import input_schema
from membrane.usecases.machinery.calls import TRANSIENT, Call
from membrane.usecases.ports.surroundings import FAULT
from membrane.usecases.ports.world import World
from membrane.usecases.tools.memstate.table import GRAPH_SNAPSHOT, PLANNING, READING, WRITING
from membrane.usecases.tools.tool import Tool, ToolAnswer
from membrane.usecases.tools.tools import call_tool, tools_of

LEAST_TIME_S = 2.0
"""With less time left, no question is asked: the reply must still be written."""


MADE_BY = {
    "memory_create_topic": "topic_id",
    "memory_promote_fields_to_nested_topic": "child_topic_id",
}
"""By tool that makes a topic, the name of the id in the answer."""


@dataclass(slots=True)
class Runner:
    """The calls of one conversation."""

    tools: Mapping[str, Tool]
    """The tools that the route opens, by name."""
    call: Call
    world: World
    opened: Collection[str] | None = None
    """The names of the tools that the model is offered: in phase A of a study, the tools of the
    sandbox; None for every tool of the route."""
    made: list[str] = field(default_factory=list)
    """The ids of the topics that calls made, in order."""
    _equal_calls: Counter[bytes] = field(default_factory=Counter)

    @property
    def open_names(self) -> Sequence[str]:
        """The names of the tools that the model was offered."""
        return [each for each in self.tools if self.opened is None or each in self.opened]

    @property
    def offers(self) -> Sequence[OfferedTool]:
        """The open tools as the model sees them; no tool takes a user, of whom there is one."""
        return [
            OfferedTool(tool.name, tool.description, input_schema(tool.arguments))
            for tool in map(self.tools.__getitem__, self.open_names)
        ]

    @property
    def is_out_of_time(self) -> bool:
        """Whether the reply must be written now."""
        return self.world.remaining_s() <= LEAST_TIME_S

    def run(self, asked: ToolCall) -> ToolAnswer:
        """The answer of the tool; a refusal is an answer that the model can read.

        A tool outside the route is refused here: the model may name a tool that was not offered.
        """
        tool = self.tools.get(asked.name)
        if tool is None:
            return _refusal(f"the tool is not open here; open are: {', '.join(self.open_names)}")
        if isinstance(asked.arguments, dict) and USER in asked.arguments:
            return _refusal("user is not an argument: the conversation has one user")
        try:
            answer = call_tool(
                tool, asked.arguments, self.call.principal, self.world, self._key(asked)
            )
        except DomainError as error:
            if isinstance(error, TRANSIENT):
                self.world.report(self.call.rpc, FAULT, error)
            return _refusal(str(error))
        if asked.name in MADE_BY and not answer.is_error:
            self.made.append(answer.reply[MADE_BY[asked.name]])
        return answer

    def _key(self, asked: ToolCall) -> str | None:
        """The idempotency key of the call, made from the conversation's key.

        A repeated conversation that calls a tool with equal arguments, for the same time, writes
        nothing a second time. The model may well call other tools in the repetition.
        """
        if self.call.key is None:
            return None
        content = digest(asked.name, canonical_json(asked.arguments).hex())
        self._equal_calls[content] += 1
        made = digest(self.call.key, content.hex(), str(self._equal_calls[content]))
        return f"chat {made.hex()}"


def _refusal(error: str) -> ToolAnswer:
    reply: JsonObject = {"ok": False, "error": error}
    return ToolAnswer(reply, compact_json(reply), is_error=True)


_OF_INGEST = frozenset(
    each.name for each in (*READING, *WRITING, *PLANNING) if each.name != GRAPH_SNAPSHOT
)
_OF_QUERY = frozenset(each.name for each in READING)


def tools_for(route: Route, profile: Profile, principal: Principal) -> Mapping[str, Tool]:
    """The tools by name that the route opens and the principal may call, in the table's order."""
    return {
        each.name: each for each in tools_of(profile, principal) if _is_open(each, route, profile)
    }


def _is_open(tool: Tool, route: Route, profile: Profile) -> bool:
    """MemState's three sets; in other profiles, `query` opens the tools that only read."""
    match route:
        case Route.BOTH:
            return True
        case Route.QUERY if profile is not Profile.MEMSTATE:
            return tool.effect.read_only
        case Route.QUERY:
            return tool.name in _OF_QUERY
        case Route.INGEST:
            return profile is not Profile.MEMSTATE or tool.name in _OF_INGEST
