"""An agent that keeps topics by MemState's tools."""

from dataclasses import dataclass, field
from typing import Any

from membrane.domain.access.principals import Principal
from membrane.domain.language.json_text import compact_json, parse_json
from membrane.domain.search.prompts import tokens_in
from membrane.domain.tools.texts import MAX_TEXT_TOKENS
from membrane.usecases.ports.services_tools import ToolServices
from membrane.usecases.tools.tool import ToolAnswer
from tests.fakes.tool_world import tooled
from tests.worlds.tools import Agent, key

Reply = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Keeper:
    """Calls tools with one key; every answer is checked against the budget."""

    services: ToolServices = field(default_factory=tooled)
    principal: Principal = field(default_factory=key)

    def answer(self, tool: str, **arguments: Any) -> ToolAnswer:
        """The whole answer."""
        answer = Agent(self.services, self.principal).call(tool, **arguments)
        assert tokens_in(answer.text) <= MAX_TEXT_TOKENS
        assert parse_json(answer.text) == parse_json(compact_json(answer.reply)) == answer.reply
        return answer

    def do(self, tool: str, **arguments: Any) -> Reply:
        """The result of a call that succeeds."""
        answer = self.answer(tool, **arguments)
        assert not answer.is_error
        assert answer.reply["ok"] is True
        return dict(answer.reply)

    def refusal(self, tool: str, **arguments: Any) -> Reply:
        """The error of a call that the tool refuses, and the name of the tool if unexpected."""
        answer = self.answer(tool, **arguments)
        assert answer.is_error
        assert answer.written == ()
        assert answer.reply["ok"] is False
        return {name: each for name, each in answer.reply.items() if name != "ok"}

    def topic(self, title: str, **values: Any) -> str:
        """The id of a new topic with these fields."""
        topic_id = str(self.do("memory_create_topic", title=title)["topic_id"])
        for name, value in values.items():
            self.append(topic_id, name, value)
        return topic_id

    def append(self, topic_id: str, name: str, value: Any, **others: Any) -> str:
        """The version id of a new revision."""
        given = {"topic_id": topic_id, "field_name": name, "value": value, **others}
        return str(self.do("memory_append_field", **given)["version_id"])

    def relate(self, from_id: str, to_id: str, kind: str = "knows") -> None:
        """An edge between two topics."""
        ends = {"from_topic_id": from_id, "to_topic_id": to_id}
        assert self.do("memory_add_relationship", **ends, kind=kind) == {"ok": True}

    def fields(self, topic_id: str) -> Reply:
        """The current fields of a topic, by name."""
        shown = self.do("memory_get_topic_schema", topic_id=topic_id, detail="current")
        return dict(shown["fields"])

    def read_on(self, tool: str, path: str, **arguments: Any) -> list[Any]:
        """The parts of the answer at the path, until the end."""
        parts, offset = list[Any](), 0
        while offset is not None:
            shown = self.do(tool, path=path, offset=offset, **arguments)
            parts.append(shown["part"])
            assert shown["next_offset"] is None or shown["next_offset"] > offset
            offset = shown["next_offset"]
        return parts

    def pages(self, tool: str, **arguments: Any) -> list[Reply]:
        """The pages of a list, until the end."""
        place: Reply = {}
        pages = list[Reply]()
        while True:
            page = self.do(tool, **arguments, **place)
            pages.append(page)
            if not page["has_more"]:
                return pages
            following = {"offset": page["next_offset"]}
            if "next_edge_offset" in page:
                following["edge_offset"] = page["next_edge_offset"]
            if page["next_offset"] is None:
                following = {"cursor": page["next_cursor"]}
            elif "cursor" in place:
                following["cursor"] = place["cursor"]
            assert following != place
            place = following
