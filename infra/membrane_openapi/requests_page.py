"""The reference of all requests as Markdown, `docs/requests.md`, written from the document."""

import json
import re
from collections.abc import Iterable, Iterator

from membrane.adapters.aws_lambda.http.operations import Row
from membrane.adapters.aws_lambda.rows import GROUPS
from membrane.domain.language.json_text import JsonObject
from membrane_openapi.document import document, method_and_path
from membrane_openapi.examples import request_line

_HEAD = """\
# Requests

<!-- Written by `make openapi`. -->

Every operation of the HTTP API with all fields of the request. The fields of objects stand under
[Objects](#objects). `infra/openapi.yaml` has the replies, too.
"""
_OBJECTS = """\
## Objects

Objects that requests contain.
"""


def as_markdown() -> str:
    """The page: contents, the operations by group, then the objects by name."""
    page = _Page()
    operations = "\n".join(page.operations())
    parts = (_HEAD, *_contents(), operations, _OBJECTS, *page.objects())
    return "\n".join(parts).rstrip() + "\n"


def _contents() -> Iterator[str]:
    for group, rows in GROUPS.items():
        links = ", ".join(_anchor(each.rpc) for each in rows)
        yield f"- {_anchor(group.capitalize())}: {links}"
    yield "- [Objects](#objects)\n"


def _component(part: JsonObject) -> JsonObject:
    """The component that the part refers to; the part itself without a reference."""
    if "$ref" not in part:
        return part
    *_, kind, name = part["$ref"].split("/")
    found: JsonObject = document()["components"][kind][name]
    return found


def _anchor(heading: str) -> str:
    return f"[{heading}](#{heading.lower()})"


class _Page:
    """Collects the objects that operations name, so that each object is described once."""

    def __init__(self) -> None:
        self._objects: dict[str, JsonObject] = {}

    def operations(self) -> Iterator[str]:
        sentences = {tag["name"]: tag["description"] for tag in document()["tags"]}
        for group, rows in GROUPS.items():
            yield f"## {group.capitalize()}\n\n{sentences[group]}\n"
            for row in rows:
                yield from self._operation(row)

    def objects(self) -> Iterator[str]:
        described: set[str] = set()
        while names := self._objects.keys() - described:  # a table may name further objects
            for name in names:
                list(self._table(self._objects[name]))
            described |= names
        for name in sorted(self._objects):
            schema = self._objects[name]
            yield f"### {_title(name)}\n"
            if "description" in schema:
                yield f"{schema['description']}\n"
            yield from self._table(schema)

    def _operation(self, row: Row) -> Iterator[str]:
        method, path = method_and_path(row)
        operation = document()["paths"][path][method.lower()]
        yield f"### {operation['operationId']}\n"
        yield f"`{method} {path}`. {operation['summary']} {operation['description']}\n"
        parameters = [_component(each) for each in operation.get("parameters", ())]
        if parameters:
            yield "| Parameter | Type | In | Description |\n|---|---|---|---|"
            for each in parameters:
                schema, need = each["schema"], ", required" if each.get("required") else ""
                words, text = self._words(schema), _cell(each["description"], schema)
                yield f"| `{each['name']}` | {words} | {each['in']}{need} | {text} |"
            yield ""
        if "requestBody" in operation:
            (content,) = operation["requestBody"]["content"].values()
            body = content["schema"]  # of several forms the first
            yield from self._table(_component(body["anyOf"][0] if "anyOf" in body else body))
            example = content["examples"]["usual"]["value"]
            yield f"```json\n{json.dumps(example, indent=2, ensure_ascii=False)}\n```\n"
        else:
            yield f"Example: `{request_line(row)}`\n"

    def _table(self, schema: JsonObject) -> Iterator[str]:
        rows = list(_rows(schema))
        if not rows:
            return
        yield "| Field | Type | Required | Description |\n|---|---|---|---|"
        for name, field, is_required in rows:
            need = "yes" if is_required else ""
            text = _cell(_SAYS_REQUIRED.sub("", field.get("description", "")), field)
            yield f"| `{name}` | {self._words(field)} | {need} | {text} |"
        yield ""

    def _words(self, schema: JsonObject) -> str:
        """The type of a field in words, with links to the objects."""
        if "$ref" in schema:
            return self._link(schema)
        if "anyOf" in schema or "oneOf" in schema:
            forms = (self._words(each) for each in schema.get("anyOf") or schema["oneOf"])
            found = [*filter(None, forms)]  # a list stands for a single word of it, too
            return _alternatives(each for each in found if f"list of {each}" not in found)
        if "const" in schema:
            return _literal(schema["const"])
        if "enum" in schema:
            return _alternatives(map(_literal, schema["enum"]))
        types = schema.get("type", "any JSON")
        several = types if isinstance(types, list) else [types]
        return _alternatives(self._word(each, schema) for each in several)

    def _word(self, kind: str, schema: JsonObject) -> str:
        match kind:
            case "string":
                words = {"date-time": "timestamp", "date": "date"}
                return words.get(schema.get("format", ""), "text")
            case "integer":
                return "whole number"
            case "array":
                return f"list of {self._words(schema.get('items', {}))}"
            case "object" if isinstance(schema.get("additionalProperties"), dict):
                return f"object of {self._words(schema['additionalProperties'])} by name"
            case _:
                return kind

    def _link(self, reference: JsonObject) -> str:
        name, schema = reference["$ref"].rpartition("/")[2], _component(reference)
        if "properties" not in schema and "anyOf" not in schema:
            return _SIMPLE.get(name) or self._words(schema)
        if name.startswith(("JsonValue", "JsonObject")):
            return _SIMPLE[name.partition("-")[0]]
        self._objects[name] = schema
        return f"[{_title(name)}](#{_title(name).lower()})"


_SAYS_REQUIRED = re.compile(r"(?:(?<=\. )|^)Required\.(?: |$)")
"""The sentence of a description that the column `Required` repeats."""

_SIMPLE = {
    "JsonValue": "any JSON",
    "JsonObject": "object",
    "Timestamp-Input": "timestamp",
    "Scope": "scope",
    "RecordId": "id",
    "User": "text",
    "IdempotencyKey": "text",
}
"""Words for components that are no objects with fields."""


def _rows(schema: JsonObject) -> Iterator[tuple[str, JsonObject, bool]]:
    """The fields of an object, required fields first; of alternatives the fields of the object."""
    found = next((each for each in schema.get("anyOf", ()) if "properties" in each), schema)
    found = schema if "properties" in schema else found
    required = found.get("required", ())
    fields = sorted(found.get("properties", {}).items(), key=lambda field: field[0] not in required)
    for name, field in fields:
        yield name, field, name in required


def _title(name: str) -> str:
    return name.removesuffix("-Input")


def _literal(value: object) -> str:
    return "null" if value is None else f"`{json.dumps(value, ensure_ascii=False)}`"


def _alternatives(words: Iterable[str]) -> str:
    kept = [each for each in dict.fromkeys(words) if each not in ("null", '`""`')]
    return ", ".join(kept)


def _cell(text: str, schema: JsonObject) -> str:
    """The description with the limits and the default, as one line without column breaks."""
    parts = [text, *_limits(schema, text)]
    if "default" in schema:
        parts.append(f"Default: {_literal(schema['default'])}.")
    return " ".join(" ".join(filter(None, parts)).split()).replace("|", "\\|")


def _limits(schema: JsonObject, text: str) -> Iterator[str]:
    """The limits of the value itself, without numbers of the description."""
    form = next((each for each in schema.get("anyOf", ()) if "type" in each), schema)
    length, size = (_unsaid(form.get(name), text) for name in ("maxLength", "maxItems"))
    least, most = (_unsaid(form.get(name), text) for name in ("minimum", "maximum"))
    if length:
        yield f"At most {length} characters."
    if size and "enum" not in _component(form["items"]):  # which may be one of few words
        yield f"At most {size}."
    if least:
        yield f"From {least} to {most}." if most else f"At least {least}."
    elif most:
        yield f"At most {most}."


def _unsaid(limit: float | None, text: str) -> str | None:
    """The limit as text; None without a limit, or where the description has the number."""
    if limit is None:
        return None
    number = f"{limit:,}" if isinstance(limit, int) else f"{limit:g}"
    return None if re.search(rf"(?<![\d.,]){re.escape(number)}(?![.,]?\d)", text) else number
