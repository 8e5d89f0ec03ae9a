"""The routes of infra/openapi.yaml, and those that no request of a run reached."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import yaml

from tests.compare.sides import Step

OPENAPI = Path(__file__).resolve().parents[2] / "infra" / "openapi.yaml"
METHODS = ("get", "put", "post", "patch", "delete")


def routes_without_success(steps: Sequence[Step]) -> list[str]:
    """The routes without a request that succeeded."""
    reached = {
        route
        for each in steps
        if each.status < 300
        for route in [route_of(each.method, each.path.partition("?")[0])]
    }
    return [route for route in routes() if route not in reached]


def route_of(method: str, path: str) -> str | None:
    """The route that takes a request: the one with the fewest parameters, if any."""
    fitting = [
        route
        for route in routes()
        if route.startswith(f"{method} ") and _pattern(route).fullmatch(f"{method} {path}")
    ]
    return min(fitting, key=lambda route: route.count("{"), default=None)


@cache
def routes() -> tuple[str, ...]:
    """Every route, such as `GET /v1/records/{id}`."""
    paths = yaml.safe_load(OPENAPI.read_text("utf-8"))["paths"]
    return tuple(
        f"{method.upper()} {path}"
        for path, item in paths.items()
        for method in item
        if method in METHODS
    )


@cache
def _pattern(route: str) -> re.Pattern[str]:
    """The path of a document has several segments."""
    return re.compile(
        re.sub(r"\{(\w+)\}", lambda each: ".+" if each[1] == "path" else "[^/]+", route)
    )
