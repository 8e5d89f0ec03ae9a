"""The addresses of the topics and memories that a call of a tool names."""

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

MAX_LINKS = 20
"""The most addresses of one call."""

_OF_MEMORIES = frozenset({"id", "record_id", "memory_id", "replaced", "superseded_by"})


def topic_ids_in(*values: Any) -> Sequence[str]:
    """The ids of topics in arguments and reply, each once, in order."""
    return [*dict.fromkeys(name for name, is_topic in _ids_in(values) if is_topic)]


def links_of(*values: Any) -> Sequence[str]:
    """The paths of the named topics and memories, each once, in order; at most MAX_LINKS."""
    paths = (
        f"/v1/{'topics' if is_topic else 'records'}/{quote(name, safe='')}"
        for name, is_topic in _ids_in(values)
    )
    return [*dict.fromkeys(paths)][:MAX_LINKS]


def _ids_in(value: Any) -> Iterator[tuple[str, bool]]:
    """Ids with whether each is a topic's; MemState's tools name topics by `topic_id` and lists."""
    match value:
        case {"topics": list(topics)} | {"nodes": list(topics)}:
            yield from ((each["id"], True) for each in topics if _has_id(each))
            yield from _ids_in({name: value[name] for name in value.keys() - {"topics", "nodes"}})
        case {"topic": {"id": str(name)}}:
            yield name, True
        case dict():
            for key, inner in value.items():
                yield from _ids_under(key, inner)
        case list() | tuple():
            for inner in value:
                yield from _ids_in(inner)
        case _:
            pass


def _ids_under(key: str, inner: Any) -> Iterator[tuple[str, bool]]:
    if not isinstance(inner, str):
        yield from _ids_in(inner)
    elif inner and (key == "topic_id" or key.endswith("_topic_id")):
        yield inner, True
    elif inner and key in _OF_MEMORIES:
        yield inner, False


def _has_id(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("id"), str)
