"""What the schemas of replies are made of."""

from dataclasses import dataclass
from typing import Any

from membrane.domain.language.json_text import JsonObject


@dataclass(frozen=True, slots=True)
class Reply:
    """The body that a use case's result becomes, and how else the operation may end."""

    component: str | None
    description: str
    gone: str | None = None
    """The body of a repeat whose record was deleted since."""
    replays: bool = True
    """Whether the reply itself says that it is a repeat's."""
    never: tuple[int, ...] = ()
    """Statuses of refusals that it has no cause for."""


def object_of(properties: JsonObject, *optional: str, **more: Any) -> JsonObject:
    """Of exactly these properties, all of them required but the optional ones."""
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
        **more,
    }


def component(name: str) -> JsonObject:
    """A reference to a schema of the document, by its name."""
    return {"$ref": f"#/components/schemas/{name}"}


TEXT: JsonObject = {"type": "string"}
COUNT: JsonObject = {"type": "integer", "minimum": 0}
COUNTS: JsonObject = {"type": "array", "items": COUNT}
TIMESTAMP = component("Timestamp-Output")
SHARE: JsonObject = {"type": "number", "minimum": 0, "maximum": 1}
POSITIVE: JsonObject = {"type": "number", "minimum": 0}
TOKEN = TEXT | {"description": "A retrieval that carries it sees this write."}
NEXT_CURSOR = TEXT | {"description": "Where the next page begins; absent on the last one."}
