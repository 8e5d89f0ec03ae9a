"""The methods of operations, and the parameters that they share."""

import re
from collections.abc import Iterator, Mapping

from client_generator.document import (
    Schema,
    name_of,
    operations,
    properties,
    replies,
    schema_of_reply,
    target_of,
    types_in,
)
from client_generator.modules import ORIGIN, WIDTH, module_text, with_modules
from client_generator.names import (
    BY_CODE,
    BY_HAND,
    DEFAULTS,
    GROUPS,
    ONE_PAGE,
    PARTS,
    PATH_NAMES,
    PLAIN,
    POSITIONAL,
    SHARED,
    class_of,
    first_form,
    shared_names,
)
from client_generator.values import Values


def docstring(operation: Schema) -> str:
    """The summary; the second clause of a long one stands below."""
    summary: str = operation["summary"]
    if len(summary) <= WIDTH - 14:
        return f'"""{summary}"""'
    first, _, second = re.split(r"(; (?:or )?|, or )", summary, maxsplit=1)
    return f'"""{first}.\n\n        {second[0].upper()}{second[1:]}\n        """'


def method_of(operation_id: str) -> str:
    """`RetrieveByID` is `retrieve_by_id`."""
    return "_".join(re.findall(r"[A-Z][a-z]+|[A-Z]+(?![a-z])", operation_id)).lower()


def parameter_hint(node: Schema, *, in_query: bool) -> str:
    """The type of a parameter, apart from None."""
    schema, target = name_of(node), target_of(node)
    if schema.startswith("Timestamp"):
        return "Time"
    if "enum" in target or "const" in target:
        words = target.get("enum") or [target["const"]]
        return next(type(each).__name__ for each in words if each is not None)
    if schema == "JsonObject-Input":
        return "Json"
    if schema == "JsonValue-Input" or not target.keys() - {"description"}:
        return "Any"
    options = [*target.get("anyOf", ()), *target.get("oneOf", ())]
    options = [each for each in options if types_in(each) != ["null"]]
    options = [
        each for each in options if "$upload" not in properties(each) and each.get("const") != ""
    ]
    if options and "properties" not in target:
        hints = [parameter_hint(each, in_query=in_query) for each in options]
        return " | ".join(dict.fromkeys(hints))
    if "object" in types_in(target):
        below = target.get("additionalProperties")
        if isinstance(below, dict) and below:
            return f"Mapping[str, {parameter_hint(below, in_query=False)}]"
        return "Json"
    if "array" in types_in(target):
        item = parameter_hint(target["items"], in_query=False)
        many = "Texts" if item == "str" else f"Sequence[{item}]"
        return f"{many} | str" if in_query else many
    return PLAIN[next((each for each in types_in(target) if each != "null"), "")]


class Call:
    """The method of an operation."""

    def __init__(
        self, classes: Mapping[str, str], method: str, path: str, operation: Schema
    ) -> None:
        self.classes = classes
        self.id, self.method, self.operation = operation["operationId"], method, operation
        sent = [target_of(each) for each in operation.get("parameters", ())]
        self.query = {each["name"]: each for each in sent if each["in"] == "query"}
        self.is_write = any(each["name"] == "Idempotency-Key" for each in sent)
        contents = target_of(operation.get("requestBody", {})).get("content", {})
        body = target_of(next((each["schema"] for each in contents.values()), {}))
        self.body = body if "properties" in body or not body else target_of(body["anyOf"][0])
        self.names = {
            name: PATH_NAMES.get((self.id, name), PATH_NAMES.get((path.split("/")[2], name), name))
            for name in re.findall(r"{(\w+)}", path)
        }
        self.nodes = {
            **self.body.get("properties", {}),
            **{name: each["schema"] for name, each in self.query.items()},
        }
        """The schemas of the parameters outside the path."""
        self.path = path
        for name, known in self.names.items():
            self.path = self.path.replace(f"{{{name}}}", f"{{{known}}}")
        self.path += "/items" if self.id == "AppendItems" else ""

    def source(self) -> str:
        """A row over parameters and docstring; a function where a row does not say it all."""
        reply, item = self._reply()
        _, result = PARTS.get(self.id) or PARTS.get(reply, ("", reply))
        is_row = self.id not in BY_CODE
        first, returned = ("self", "None") if is_row else ("api: Api", f"Steps[{result or None}]")
        parameters = f"{first}, {self._parameters()}".removesuffix(", ")
        head = f"def {method_of(self.id)}({parameters}) -> {returned}:"
        head += f"\n    {docstring(self.operation)}"
        verb = "write" if self.is_write else "ask"
        if item:
            return f"@pages({self._route()}, {reply}, {item})\n{head}"
        if is_row:
            return f"@{verb}({', '.join(self._arguments(result))})\n{head}"
        route, *others = self._arguments(reply or "Value")
        body = f"api.{verb}({', '.join([route, 'locals()', *others])})"
        if reply:
            return f"@operation\n{head}\n    return (yield from {body}).{PARTS[reply][0]}"
        return f"@operation\n{head}\n    yield from {body}"

    def _route(self) -> str:
        return f'"{self.method} {self.path}"'

    def _reply(self) -> tuple[str, str]:
        """The class of the reply, and of a page's items."""
        for reply in replies(self.operation):
            if schema := schema_of_reply(reply):
                name = class_of(first_form(schema))
                page = re.search(r"Page\[(.*?\]?)\][,)]", self.classes.get(name, ""))
                return name, page[1] if page and self.id not in ONE_PAGE else ""
        return "", ""

    def _arguments(self, reply: str) -> Iterator[str]:
        """What a row says: the route, the class of the result, and the further options."""
        yield self._route()
        yield reply
        in_query = [f'"{name}"' for name in self.query if name not in {"user", "scope"}]
        if self.is_write and in_query:
            yield f"query=({', '.join(in_query)}{',' * (len(in_query) == 1)})"

    def _parameters(self) -> str:
        of_path = [
            ("namespace: Texts", "key: str") if each == "path" else (f"{each}: str",)
            for each in self.names.values()
        ]
        shared = self._group(self.nodes)
        own = [each for each in self.nodes if not shared or each not in shared_names(shared)]
        required = [
            each for each in own if self._is_required(each) and (self.id, each) not in DEFAULTS
        ]
        optional = [*POSITIONAL.get(self.id, ())]
        named = [each for each in own if each not in (*required, *optional)]
        parts = [each for group in of_path for each in group]
        parts += [self.parameter(each) for each in required + optional]
        parts += ["*"] if named else []
        parts += [self.parameter(each) for each in named]
        parts += [f"**more: Unpack[{shared}]"] if shared else []
        return ", ".join(parts)

    def _group(self, nodes: Mapping[str, Schema]) -> str:
        for name in reversed([*SHARED]):
            is_apart = name == "Reach" and self.method != "GET"
            if nodes.keys() >= {*shared_names(name)} and not is_apart:
                return name
        return ""

    def _is_required(self, name: str) -> bool:
        if name in self.query:
            return bool(self.query[name].get("required"))
        return name in self.body.get("required", ())

    def parameter(self, name: str) -> str:
        node = self.nodes[name]
        hint = parameter_hint(
            node, in_query=name in self.query and name not in {"prefix", "suffix"}
        )
        default = DEFAULTS.get((self.id, name))
        if default is None and "default" in node:
            value = node["default"]
            default = repr(tuple(value)) if isinstance(value, list) else repr(value)
        if default is not None:
            return f"{name}: {hint} = {default}"
        if self._is_required(name):
            return f"{name}: {hint}"
        return f"{name}: {hint} = None" if hint == "Any" else f"{name}: {hint} | None = None"


def operation_modules(values: Values) -> Iterator[tuple[str, str]]:
    classes = {name: text for each in values.modules.values() for name, text in each.items()}
    places = {name: module for module, each in values.modules.items() for name in each}
    names = []
    yield (
        "operations/parameters.py",
        module_text(
            "Parameters that operations share; None stays out of a request.",
            "\n\n\n".join(parameter_groups(classes)),
            places,
        ),
    )
    for module, (docstring, tags) in GROUPS.items():
        calls = [
            Call(classes, method, path, operation).source().replace("\n", "\n    ")
            for method, path, operation in operations()
            if operation["tags"][0] in tags and operation["operationId"] not in BY_HAND
        ]
        names.append(f"{module.title()}")
        body = f"class {module.title()}:\n    " + with_modules("\n\n    ".join(calls), places)
        yield f"operations/{module}.py", module_text(docstring, body, places)
    lines = [f"from membrane_client.operations.{each.lower()} import {each}" for each in names]
    yield (
        "operations/__init__.py",
        (
            f'"""Every operation of the API. {ORIGIN}"""\n\n'
            "from membrane_client.core.api import Api\n"
            + "\n".join(lines)
            + f"\n\n\nclass Operations({', '.join(names)}):\n"
            '    """The operations as methods of a client."""\n\n\n'
            "class Routes(Api, Operations):\n"
            '    """The operations as functions of an Api: a call is its steps."""\n'
        ),
    )


def parameter_groups(classes: Mapping[str, str]) -> Iterator[str]:
    calls = {
        operation["operationId"]: Call(classes, method, path, operation)
        for method, path, operation in operations()
    }
    for group, (base, operation, names, docstring) in SHARED.items():
        lines = [f"class {group}({base}, total=False):"]
        lines += [f'    """{docstring}"""\n'] if docstring else []
        for name in names:
            parameter = calls[operation].parameter(name).rpartition(" = ")[0]
            lines.append("    user: User" if name == "user" else f"    {parameter}")
        yield "\n".join(lines)
