"""The classes of replies."""

import re
from collections.abc import Iterator, Sequence
from keyword import iskeyword

from client_generator.document import (
    SCHEMAS,
    Schema,
    may_be_null,
    name_of,
    operations,
    properties_of,
    replies,
    schema_of,
    schema_of_reply,
    target_of,
    types_in,
)
from client_generator.modules import ORIGIN, WIDTH, module_text
from client_generator.names import (
    ABSENT_IS_ZERO,
    BASES,
    DEFAULTS,
    MODULES,
    PAGES,
    PARTS,
    PLAIN,
    PLAIN_OBJECTS,
    PROPERTIES,
    UNIONS,
    VARIANTS,
    WORDS,
    class_of,
    first_form,
)


class Values:
    """The classes of replies by module; a class comes after the classes that its fields name."""

    def __init__(self) -> None:
        self.modules: dict[str, dict[str, str]] = {}
        """The source of the classes by name, by module."""
        self._begun: set[str] = set()
        for module, (_, tags, further) in MODULES.items():
            self.modules[module] = {}
            for schema in further:
                self.add(schema)
            for _, _, operation in operations():
                if operation["tags"][0] in tags:
                    for reply in replies(operation):
                        self._add_result(operation["operationId"], reply)

    def _add_result(self, operation: str, reply: Schema) -> None:
        """Add the class of the reply, or of the part of the reply that is the result."""
        schema = first_form(schema_of_reply(reply))
        part, result = PARTS.get(operation) or PARTS.get(schema, ("", ""))
        is_whole = not part or result.startswith("Sequence")
        self._hint(reply if is_whole else properties_of(schema)[part])

    def add(self, schema: str) -> str:
        """The class of the schema, written to the last module unless the class is there."""
        schema = first_form(schema)
        name = class_of(schema)
        if schema not in self._begun:
            self._begun.add(schema)
            bases, fields = self._bases(schema), [*self._fields(schema), *views(schema)]
            lines = [f"class {name}({bases}):", *(fields or ["pass"])]
            self.modules[list(self.modules)[-1]][name] = "\n    ".join(lines)
        is_complete = any(name in classes for classes in self.modules.values())
        return name if is_complete else f'"{name}"'

    def _bases(self, schema: str) -> str:
        kind = properties_of(schema).get("kind", {}).get("const")
        if schema in PAGES:
            items = self._hint(properties_of(schema)[PAGES[schema]])
            return f'Page{items.removeprefix("Sequence")}, of="{PAGES[schema]}"'
        for other in SCHEMAS:
            if class_of(other) == BASES.get(schema, "").partition(",")[0]:
                self.add(other)
        bases = f'Payload, kind="{kind}"' if kind else BASES.get(schema, "Value")
        part = next((part for part, result in PARTS.values() if result == class_of(schema)), "")
        return f'{bases}, within="{part}"' if part else bases

    def _fields(self, schema: str) -> Iterator[str]:
        """A line a field, without the fields of the bases."""
        bases = BASES.get(schema, "")
        inherited = {"next_cursor"} if "of=" in bases or schema in PAGES else set()
        inherited |= {"kind"} if "const" in properties_of(schema).get("kind", {}) else set()
        for other in SCHEMAS:
            if class_of(other) == bases.partition(",")[0]:
                inherited |= {*properties_of(other)}
        forms = [schema, *VARIANTS.get(schema, ()), *UNIONS.get(schema, ())]
        required = {*schema_of(schema).get("required", ())}
        if schema == "BatchedRecord":
            required.intersection_update(*(schema_of(each)["required"] for each in forms))
        nodes: dict[str, list[Schema]] = {}
        for name, node in (each for form in forms for each in properties_of(form).items()):
            nodes.setdefault(name, []).append(node)
        for name, of_name in nodes.items():
            if name not in inherited:
                yield self._field(schema, name, of_name, is_required=name in required)

    def _field(self, schema: str, name: str, nodes: Sequence[Schema], *, is_required: bool) -> str:
        hint, default = self._hint(nodes[0]), ""
        is_nullable = any(map(may_be_null, nodes))
        is_many = hint.startswith(("Any", "Linked", "Mapping", "Sequence"))
        if (schema, name) in DEFAULTS:
            default = f" = {DEFAULTS[schema, name]}"
        elif hint == "bool" and not is_required and name not in {"existed", "verified"}:
            default = " = False"
        elif hint in {"int", "float"} and not is_required and schema in ABSENT_IS_ZERO:
            default = " = 0"
        elif is_nullable or not (is_required or is_many):
            hint += " | None"
        line = f"{name}{'_' * iskeyword(name)}: {hint}{default}"
        return with_comment(line, nodes[0].get("description", ""))

    def _hint(self, node: Schema) -> str:
        """The type of a field, apart from None."""
        schema, target = name_of(node), target_of(node)
        if schema in WORDS:
            return f"words.{schema} | str"
        if schema.startswith("Timestamp"):
            return "datetime"
        if schema.startswith("Json"):
            return "Linked[Any]"
        if "discriminator" in target:
            return "Payload"
        if schema in PLAIN_OBJECTS:
            return "Mapping[str, Any]"
        if schema and properties_of(schema):
            return self.add(schema)
        options = [*target.get("anyOf", ()), *target.get("oneOf", ())]
        kinds = [each for each in options if each.get("type") != "null"]
        if kinds:
            hints = [self._hint(each) for each in kinds if name_of(each) != "LargeValue"]
            return f"Linked[{hints[0]}]" if len(hints) < len(kinds) else hints[0]
        return self._plain(target)

    def _plain(self, node: Schema) -> str:
        kind = next((each for each in types_in(node) if each != "null"), "")
        if kind == "array":
            item = self._hint(node["items"])
            return f"Sequence[{item.replace('Sequence', 'list')}]"
        if kind == "object":
            below = node.get("additionalProperties")
            return (
                f"Mapping[str, {self._hint(below) if isinstance(below, dict) and below else 'Any'}]"
            )
        return PLAIN[kind]


def views(schema: str) -> Iterator[str]:
    for name, (item, items, docstring) in PROPERTIES.get(schema, {}).items():
        yield f"\n    @property\n    def {name}(self) -> Sequence[{item}]:"
        yield f'    """{docstring}"""\n        return [{items}]'


def with_comment(line: str, description: str) -> str:
    """The line with as much of the first sentence as has room: whole clauses."""
    sentence = re.split(r"\.(?: |$)", description)[0]
    for end in reversed([*re.finditer(r"(?=[;:] |$)", sentence)]):
        text = f"{line}  # {sentence[: end.start()]}"
        if end.start() and len(text) <= WIDTH - 4 and text.count("`") % 2 == 0:
            return text
    return line


def words_module() -> str:
    lines = [
        f'{name} = _StrEnum("{name}", "{" ".join(map(str.upper, SCHEMAS[name]["enum"]))}")'
        for name in WORDS
    ]
    docstring = f"The words of the API. A newer word of a reply stays a text. {ORIGIN}"
    return (
        f'"""{docstring}"""\n\nfrom enum import StrEnum as _StrEnum\n\n' + "\n".join(lines) + "\n"
    )


def values_modules(values: Values) -> Iterator[tuple[str, str]]:
    yield "values/__init__.py", f'"""Replies as values. {ORIGIN}"""\n'
    yield "values/words.py", words_module()
    places = {name: module for module, each in values.modules.items() for name in each}
    places |= dict.fromkeys(WORDS, "words")
    for module, classes in values.modules.items():
        body = "\n\n\n".join(classes.values())
        yield f"values/{module}.py", module_text(MODULES[module][0], body, places)
