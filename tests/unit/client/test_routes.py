"""The changes of parameters on the way stand at routes that the API has."""

import ast
import inspect
from pathlib import Path

from membrane_client import operations
from membrane_client.core import api


def texts_of(code: ast.AST) -> set[str]:
    return {each.value for each in ast.walk(code) if isinstance(each, ast.Constant)}  # type: ignore[misc]  # of any type


def test_every_route_with_changed_parameters_is_a_route_of_an_operation() -> None:
    tree = ast.parse(inspect.getsource(api))
    cases = [each.pattern for each in ast.walk(tree) if isinstance(each, ast.match_case)]
    changed = set().union(*map(texts_of, cases))

    folder = Path(inspect.getfile(operations)).parent
    routes = set().union(*(texts_of(ast.parse(each.read_text())) for each in folder.glob("*.py")))
    assert len(changed) > 1
    assert changed <= routes
