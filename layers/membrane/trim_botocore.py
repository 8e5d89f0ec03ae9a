"""Cut botocore's service descriptions down to the operations that a package calls.

The descriptions take 27 MB, and reading them takes a third of a cold start. Kept are: the services
of the clients that the package makes; the operations whose names occur anywhere in the code, with
the reachable shapes, without documentation, and with the paginators; every partition and Region.
Waiters are removed, because a waiting function costs money.
"""

import ast
import json
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from botocore import xform_name
from botocore.exceptions import DataNotFoundError, UnknownServiceError
from botocore.loaders import Loader

COMMON = ("partitions", "sdk-default-configuration", "_retry")
OF_BOTOCORE = {"s3": {"HeadBucket"}}
"""Operations that botocore calls itself: HeadBucket finds the Region of a bucket."""

WITHOUT_RULES = frozenset({"dynamodb"})
"""Services with endpoints from endpoints.json alone, which saves evaluating rules at each call."""

Json = dict[str, Any]


class UnknowableCallError(Exception):
    """A client is made without a literal name of the service."""


def trim(package: Path, data: Path, into: Path) -> None:
    """Write the descriptions that `package` needs from botocore's folder `data` to `into`."""
    loader = Loader(extra_search_paths=[str(data)], include_default_search_paths=False)
    services, names = services_of(_modules(package)), names_in(_modules(package))
    for name in COMMON:
        _write(into / f"{name}.json", loader.load_data(name))
    _write(into / "endpoints.json", _endpoints(loader.load_data("endpoints"), services))
    for service in services:
        folder = into / service / loader.determine_latest_version(service, "service-2")
        model = loader.load_service_model(service, "service-2")
        called = {
            name
            for name in model["operations"]
            if xform_name(name) in names or name in OF_BOTOCORE.get(service, ())
        }
        _write(folder / "service-2.json", _model(model, called))
        if service not in WITHOUT_RULES:
            _write(
                folder / "endpoint-rule-set-1.json",
                loader.load_service_model(service, "endpoint-rule-set-1"),
            )
        _write(folder / "paginators-1.json", _paginators(loader, service, called))


def services_of(modules: Iterable[ast.Module]) -> list[str]:
    """The services whose clients the code makes; raises UnknowableCallError."""
    found = set()
    for node in _nodes(modules):
        if not isinstance(node, ast.Call) or _name(node.func) != "create_client":
            continue
        match node.args:
            case [ast.Constant(value=str(service)), *_]:
                found.add(service)
            case _:
                raise UnknowableCallError(
                    f"create_client must name its service in the call: {ast.unparse(node)}"
                )
    return sorted(found)


def names_in(modules: Iterable[ast.Module]) -> set[str]:
    """Every attribute and text that may be an operation's name; `get_paginator` takes a text."""
    names = set()
    for node in _nodes(modules):
        match node:
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                names.add(name)
            case _:
                pass
    return names


def _modules(package: Path) -> Iterator[ast.Module]:
    """One after the other: the trees of all modules together take 140 MB."""
    return (ast.parse(path.read_bytes(), path) for path in sorted(package.rglob("*.py")))


def _nodes(modules: Iterable[ast.Module]) -> Iterator[ast.AST]:
    return (node for module in modules for node in ast.walk(module))


def _name(function: ast.expr) -> str:
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
        case _:
            return ""


def _endpoints(endpoints: Json, services: Iterable[str]) -> Json:
    partitions = [
        {
            **partition,
            "services": {
                name: service for name, service in partition["services"].items() if name in services
            },
        }
        for partition in endpoints["partitions"]
    ]
    return {**endpoints, "partitions": partitions}


def _model(model: Json, called: set[str]) -> Json:
    operations = {name: model["operations"][name] for name in sorted(called)}
    reached = _reachable_shapes(operations, model["shapes"])
    shapes = {name: model["shapes"][name] for name in sorted(reached)}
    trimmed = dict(_without_documentation({**model, "operations": operations, "shapes": shapes}))
    for parameter in trimmed.get("clientContextParams", {}).values():
        parameter["documentation"] = ""  # the single place where botocore requires the key
    return trimmed


def _reachable_shapes(operations: Json, shapes: Json) -> set[str]:
    """The names of the shapes of requests, replies and errors, and of all nested shapes."""
    reached: set[str] = set()
    pending = _shapes_named_in(operations)
    while pending:
        reached |= pending
        pending = _shapes_named_in([shapes[name] for name in pending]) - reached
    return reached


def _shapes_named_in(value: Any) -> set[str]:
    named = set()
    match value:
        case dict():
            shape = value.get("shape")
            if isinstance(shape, str):
                named.add(shape)
            for inner in value.values():
                named |= _shapes_named_in(inner)
        case list():
            for inner in value:
                named |= _shapes_named_in(inner)
        case _:
            pass
    return named


def _without_documentation(value: Any) -> Any:
    """The value without documentation texts; a shape's member named so is no text, and stays."""
    match value:
        case dict():
            return {
                name: _without_documentation(inner)
                for name, inner in value.items()
                if not (name.startswith("documentation") and isinstance(inner, str))
            }
        case list():
            return [_without_documentation(inner) for inner in value]
        case _:
            return value


def _paginators(loader: Loader, service: str, called: set[str]) -> Json:
    try:
        paginators = loader.load_service_model(service, "paginators-1")["pagination"]
    except (DataNotFoundError, UnknownServiceError):
        paginators = {}
    return {"pagination": {name: paginators[name] for name in paginators if name in called}}


def _write(path: Path, content: Mapping[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, separators=(",", ":")), "utf-8")


if __name__ == "__main__":
    package, data = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        trimmed = Path(folder, "data")
        trim(package, data, trimmed)
        shutil.rmtree(data)
        shutil.move(trimmed, data)
