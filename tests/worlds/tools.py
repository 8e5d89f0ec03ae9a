"""An agent that calls tools with a key."""

from dataclasses import dataclass, field
from typing import Any

from membrane.domain.access.principals import Principal, principal_of
from membrane.domain.records.stored import StoredRecord
from membrane.usecases.tools.tool import ToolAnswer
from membrane.usecases.tools.tools import call_tool, tool_named
from membrane.wiring.world import World
from tests.fakes.clock import FakeClock
from tests.worlds.memory import make_world

SCOPE = "team:a"


def key(*permissions: str, scopes: tuple[str, ...] = (SCOPE,), **others: Any) -> Principal:
    """A key of the scope; with the rights of an agent where no permission is named."""
    allowed = permissions or ("read", "ingest", "revise")
    return principal_of("agent", list(allowed), list(scopes), "low", **others)


@dataclass(frozen=True, slots=True)
class Agent:
    """Calls tools with one key."""

    services: World = field(default_factory=make_world)
    principal: Principal = field(default_factory=key)

    def call(self, tool: str, **arguments: Any) -> ToolAnswer:
        """The answer to a call of a tool that the key sees."""
        named = tool_named(tool, self.principal)
        return call_tool(named, arguments, self.principal, self.services)

    def remember(self, text: str, **others: Any) -> str:
        """The id of the memory of a text."""
        return str(self.call("remember", text=text, **others).reply["id"])

    def remember_fact(self, subject: str, predicate: str, value: Any, **others: Any) -> str:
        """The id of a fact."""
        fact = {"subject": subject, "predicate": predicate, "object": value, **others}
        return str(self.call("remember", **fact).reply["id"])

    def recalled(self, query: str = "", **others: Any) -> list[str]:
        """The ids of the memories that the tool shows."""
        answer = self.call("recall", query=query, **others)
        return [each["id"] for each in answer.reply["memories"]]

    def stored(self, record_id: str) -> StoredRecord:
        """The record as the store has it."""
        held = self.services.records.load(record_id)
        assert isinstance(held, StoredRecord)
        return held

    @property
    def clock(self) -> FakeClock:
        """The clock of the services."""
        assert isinstance(self.services.now, FakeClock)
        return self.services.now
