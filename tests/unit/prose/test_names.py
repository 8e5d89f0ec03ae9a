"""Functions are named by a verb phrase or a noun phrase, never by a lone participle."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PRODUCT = ("layers", "functions", "infra", "clients/python")

IRREGULAR_PARTICIPLES = frozenset(
    {
        "begun", "become", "borne", "bought", "brought", "built", "caught", "chosen",
        "come", "done", "drawn", "fed", "felt", "found", "given", "gone", "grown",
        "heard", "held", "hidden", "kept", "known", "laid", "left", "lent", "lost",
        "made", "meant", "met", "paid", "risen", "said", "seen", "sent", "shown", "sold",
        "spent", "stolen", "struck", "sought", "sunk", "swept", "taken", "taught",
        "thought", "told", "torn", "understood", "withdrawn", "won", "written",
    }
)  # fmt: skip

VERBS = frozenset(
    {"bleed", "breed", "embed", "exceed", "feed", "need"}
    | {"proceed", "seed", "shed", "speed", "succeed"}
)
"""Words that look like participles, and are verbs: `embed(text)` names what the function does."""


def functions(root: str) -> Iterator[tuple[Path, int, str]]:
    for file in sorted(Path(root).rglob("*.py")):
        if "node_modules" in file.parts or "build" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not is_flag(node):
                yield file, node.lineno, node.name


def is_flag(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether the function is a property that answers yes or no, such as `reply.replayed`."""
    decorators = {ast.unparse(each) for each in function.decorator_list}
    returned = function.returns and ast.unparse(function.returns)
    return "property" in decorators and returned == "bool"


def is_lone_participle(name: str) -> bool:
    word = name.strip("_")
    if "_" in word or word in VERBS:
        return False
    return word.endswith("ed") or word in IRREGULAR_PARTICIPLES


@pytest.mark.parametrize("name", ["told", "_settled", "begun", "indexed"])
def test_a_lone_participle_is_found(name: str) -> None:
    assert is_lone_participle(name)


@pytest.mark.parametrize("name", ["claim_head", "revived_event", "embed", "read", "rank"])
def test_verbs_and_noun_phrases_pass(name: str) -> None:
    assert not is_lone_participle(name)


@pytest.mark.parametrize("root", PRODUCT)
def test_no_function_is_named_by_a_lone_participle(root: str) -> None:
    found = [
        f"{file}:{line} {name}" for file, line, name in functions(root) if is_lone_participle(name)
    ]

    assert not found
