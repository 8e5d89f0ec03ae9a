"""What is promised of every function's code: its size, its imports, its start."""

import ast
import os
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.worlds.agreed import ROWS, errors, problems
from tests.worlds.depth import cases

ROOT = Path(__file__).parents[3]
HANDLERS = sorted((ROOT / "functions").glob("*/handler.py"))
TOO_COSTLY = (
    "aws_xray_sdk",
    "boto3",
    "jwt",
    "membrane_cli",
    "membrane_local",
    "membrane_openapi",
    "moto",
    "numpy",
    "requests",
    "s3transfer",
    "yaml",
)
"""What would lengthen every cold start, or is not in the layer."""

SEARCHING = (
    "chat",
    "index",
    "mcp",
    "query",
    "reason",
    "retrieve",
    "studies",
    "study",
    "topics",
)
"""The functions that search, or index."""

JOBS = {
    "archive.write_export": "export",
    "capture.interpret_capture": "interpret",
    "erasure.run_erasure": "erase",
    "collect_blobs": "collect_blobs",
    "integrity.anchor_table": "anchor",
    "integrity.verify_table": "verify",
    "lifecycle.sweep_due": "decay",
    "topics.reasoning.reason_in_background": "reason",
}
"""By use case the function that does the job."""

RANKING = (*SEARCHING, "preview_decay")
"""The functions that load numpy, when they are imported."""

OF_THE_SEARCH = (
    "membrane.adapters.dynamodb.search.vector_index",
    "membrane.adapters.dynamodb.search.vector_items",
    "membrane.adapters.sentence_encoder",
    "membrane.adapters.models",
    "membrane.domain.search",
    "numpy",
    "onnxruntime",
    "snowballstemmer",
    "tokenizers",
)
"""What no other function should load, to start or to answer."""

REQUESTS = {"membrane.domain.search", "membrane.domain.search.requests"}
"""The request of a retrieval, which the edge of every HTTP function can read."""

RECEIPTS = {"membrane.domain.search", "membrane.domain.search.answer_receipts"}
"""Receipts: an erasure reads the questions, an outcome gives credit to the records."""

MODELS = {
    "membrane.domain.search",
    "membrane.domain.search.prompts",
    "membrane.domain.search.rendering",
}
"""The words of records and the size of prompts, for the function that asks a model."""

WORDS = ("membrane.domain.search.entries", "snowballstemmer")
"""The stems of words, by which the consolidation compares tasks."""

OF_TOPICS = (
    "membrane.adapters.dynamodb.topics",
    "membrane.domain.topics",
)

CLEANING = ("collect_blobs", "verify")
"""What reads topics, and nothing that searches."""

ERASING = ("erase", "erasures")
"""What removes records and topics, and searches nothing."""

CREDITING = ("import_lines", "ingest_batch", "ingest_outcome")
"""The functions that take outcomes."""

ARCHIVING = ("export", "restore")
"""The functions that read or write every record and topic, and search nothing."""

CURSORS = {
    "membrane.domain.search",
    "membrane.domain.search.filters",
}
"""The filters of a list, by which the cursors of a search for documents are bound, too."""

OBSERVING = (
    *(
        "capture",
        "consolidate",
        "import_lines",
        "ingest_batch",
        "ingest_observation",
        "interpret",
        "mcp",
        "chat",
        "study",
    ),
)
"""The functions that write facts under the policies for conflicts."""


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda path: path.parent.name)
def test_a_handler_is_a_docstring_imports_its_rows_and_one_function(handler: Path) -> None:
    source = handler.read_text()

    docstring, *imports, function = ast.parse(source).body
    folder = handler.parent.name
    if any(row.function == folder for row in ROWS):
        assert ast.unparse(imports.pop()) == f"ROWS = rows_of({folder!r})"

    assert len(source.splitlines()) <= 15
    assert isinstance(docstring, ast.Expr)
    assert all(isinstance(node, ast.ImportFrom) for node in imports)
    assert isinstance(function, ast.FunctionDef)


@pytest.mark.parametrize(
    "handler", cases(HANDLERS, HANDLERS[::5]), ids=lambda path: path.parent.name
)
def test_a_function_loads_nothing_costly_to_start(handler: Path) -> None:
    costly = {*TOO_COSTLY} - ({"numpy"} if handler.parent.name in RANKING else set())

    assert not started(handler) & costly


def test_handlers_need_no_settings_to_be_imported_and_those_alone_that_rank_need_numpy() -> None:
    others_first = sorted(HANDLERS, key=lambda path: path.parent.name in RANKING)
    script = f"""
import importlib.util, sys
sys.path.insert(0, {str(ROOT / "layers/membrane")!r})
for path in {list(map(str, others_first))!r}:
    found = importlib.util.spec_from_file_location("handler", path)
    found.loader.exec_module(importlib.util.module_from_spec(found))
    folder = path.split("/")[-2]
    if "numpy" in sys.modules and folder not in {RANKING!r}:
        print(folder)
"""

    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )

    assert loaded.stdout == ""


@pytest.mark.parametrize("handler", HANDLERS, ids=lambda path: path.parent.name)
def test_what_search_topics_and_conflicts_need_is_loaded_by_their_own_functions_alone(
    handler: Path,
) -> None:
    loaded, function = started(handler), handler.parent.name
    known = REQUESTS | (RECEIPTS if function in (*ERASING, *CREDITING) else set())
    known |= MODELS if function == "interpret" else set()
    known |= CURSORS if function == "documents" else set()
    if function == "preview_decay":
        known |= {each for each in loaded if each.split(".")[0] == "numpy"}
    if function == "consolidate":
        known |= {"membrane.domain.search"} | {each for each in loaded if each.startswith(WORDS)}

    found = {
        "search": any(name.startswith(OF_THE_SEARCH) for name in loaded - known),
        "topics": any(name.startswith(OF_TOPICS) for name in loaded),
        "conflicts": "membrane.usecases.revision.facts" in loaded,
    }
    assert found == {
        "search": function in SEARCHING,
        "topics": function in {*SEARCHING, *CLEANING, *ERASING, *ARCHIVING} - {"retrieve"},
        "conflicts": function in OBSERVING,
    }


@pytest.mark.parametrize("function", SEARCHING)
def test_a_function_of_the_search_has_all_of_it_ready_when_it_has_started(function: str) -> None:
    loaded = started(ROOT / "functions" / function / "handler.py")

    assert {"numpy", "onnxruntime", "tokenizers", "membrane_encoder"} <= loaded
    assert "membrane.adapters.dynamodb.search.vector_index" in loaded
    assert "membrane.adapters.models" not in loaded


@pytest.mark.parametrize("use_case", JOBS)
def test_a_job_has_its_use_case_ready_when_its_function_has_started(use_case: str) -> None:
    loaded = started(ROOT / "functions" / JOBS[use_case] / "handler.py")

    assert f"membrane.usecases.{use_case}" in loaded


def test_the_function_of_mcp_loads_at_most_a_quarter_more_than_that_of_retrieval() -> None:
    """`python -m tests.bench agents-start` holds the CPU of both starts to the same limit."""
    ours, theirs = (
        started(ROOT / "functions" / name / "handler.py") for name in ("mcp", "retrieve")
    )

    assert len(theirs) < len(ours) <= 1.25 * len(theirs)


def test_health_loads_five_modules_of_the_layer_at_most() -> None:
    loaded = started(ROOT / "functions" / "health" / "handler.py")

    assert len([name for name in loaded if name.split(".")[0] == "membrane"]) <= 5


@cache
def started(handler: Path) -> frozenset[str]:
    """What is loaded when the function has started as Lambda starts it."""
    script = (
        f"import sys; sys.path[:0] = {[str(handler.parent), str(ROOT / 'layers/membrane')]!r}; "
        "import handler; print(*sys.modules)"
    )
    environment = {
        **os.environ,
        "AWS_LAMBDA_RUNTIME_API": "127.0.0.1:9",
        "MEMBRANE_TABLE": "memory",
        "MEMBRANE_BUCKET": "blobs",
    }
    said = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env=environment
    )
    return frozenset(said.stdout.split())


def test_every_domain_error_has_a_row_in_the_error_table() -> None:
    def descendants(base: type[errors.DomainError]) -> set[type[errors.DomainError]]:
        return {base}.union(*(descendants(each) for each in base.__subclasses__()))

    # Other tests define errors of their own, which live as long as the process.
    own = {each for each in descendants(errors.DomainError) if each.__module__ == errors.__name__}
    assert set(problems.KINDS) == own - {errors.DomainError}
