"""Features of MCP that remember how they were called and answer what a test wants."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from membrane.adapters.aws_lambda.mcp.features import (
    Caching,
    Completion,
    Exchange,
    Features,
    InputRequired,
    Page,
    PromptResult,
    ResourceResult,
    ToolResult,
)
from membrane.domain.language.json_text import JsonObject

CALLER = "the caller"
IDENTITY = {"name": "memory", "version": "1.2.3"}
LISTS = Caching(60_000)


@dataclass
class FakeTools:
    answer: ToolResult | InputRequired | Exception = field(
        default_factory=lambda: ToolResult([{"type": "text", "text": "done"}])
    )
    calls: list[tuple[str, JsonObject, str, Exchange]] = field(default_factory=list)

    def list(self, caller: str) -> Sequence[JsonObject]:
        return [{"name": "echo", "description": f"Of {caller}", "inputSchema": {"type": "object"}}]

    def call(
        self, name: str, arguments: JsonObject, caller: str, exchange: Exchange
    ) -> ToolResult | InputRequired | None:
        if name not in ("echo", "été"):
            return None
        self.calls.append((name, arguments, caller, exchange))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@dataclass
class FakeResources:
    answer: ResourceResult | InputRequired = field(
        default_factory=lambda: ResourceResult([{"uri": "memory://1", "text": "one"}], Caching(5))
    )

    def list(self, _caller: str, cursor: str | None) -> Page:
        if cursor == "2":
            return Page([{"uri": "memory://2", "name": "two"}])
        return Page([{"uri": "memory://1", "name": "one"}], "2")

    def templates(self, _caller: str) -> Sequence[JsonObject]:
        return [{"uriTemplate": "memory://{id}", "name": "a memory"}]

    def read(
        self, uri: str, _caller: str, _exchange: Exchange
    ) -> ResourceResult | InputRequired | None:
        return self.answer if uri == "memory://1" else None


@dataclass
class FakePrompts:
    answer: InputRequired | None = None

    def list(self, _caller: str) -> Sequence[JsonObject]:
        return [{"name": "greet"}]

    def get(
        self, name: str, arguments: Mapping[str, str], _caller: str, _exchange: Exchange
    ) -> PromptResult | InputRequired | None:
        content = {"type": "text", "text": f"Hello, {arguments.get('name')}"}
        said = PromptResult([{"role": "user", "content": content}], "A greeting")
        return (self.answer or said) if name == "greet" else None


class FakeCompletions:
    def complete(
        self,
        ref: JsonObject,
        argument: str,
        value: str,
        context: Mapping[str, str],
        _caller: str,
    ) -> Completion:
        return Completion([f"{ref['type']} {argument} {value} {sorted(context)}"], 7, has_more=True)


def fake_features(**parts: Any) -> Features[str]:
    """Every part, unless a test names a part or leaves the part out by None."""
    return Features(
        **{
            "identity": IDENTITY,
            "instructions": "Recall first.",
            "tools": FakeTools(),
            "resources": FakeResources(),
            "prompts": FakePrompts(),
            "completions": FakeCompletions(),
            "caching": LISTS,
            **parts,
        }
    )
