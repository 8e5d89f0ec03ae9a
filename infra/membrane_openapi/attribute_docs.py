"""Descriptions of attributes, read from the docstrings below them in the source of a class.

Pydantic's `use_attribute_docstrings` would read the source whenever a function imports a model;
the document alone needs the text.
"""

import ast
import inspect
from functools import cache
from itertools import pairwise
from textwrap import dedent


@cache
def attribute_docs(model: type) -> dict[str, str]:
    """The description of each documented attribute by name; a class overrides the bases."""
    found: dict[str, str] = {}
    for base in reversed(_bases(model)):
        found |= attribute_docs(base)
    return found | _own_docs(model)


def descriptions(model: type) -> dict[str, str]:
    """The attribute docs as single lines, as the document has descriptions."""
    return {name: " ".join(text.split()) for name, text in attribute_docs(model).items()}


def _bases(model: type) -> list[type]:
    """The direct bases; those of a TypedDict stand in `__orig_bases__` alone."""
    bases = model.__dict__.get("__orig_bases__", model.__bases__)
    return [base for base in bases if isinstance(base, type)]


def _own_docs(model: type) -> dict[str, str]:
    try:
        source = inspect.getsource(model)
    except (OSError, TypeError):  # TypedDict("...") has no class statement, a builtin no source
        return {}
    (tree,) = ast.parse(dedent(source)).body
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        field.target.id: inspect.cleandoc(text.value.value)
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
