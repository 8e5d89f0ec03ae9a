"""Removes each condition, once-only check, fence and retry of the table's side, one at a time.

`python -m tests.faults.mutants [WORD]` takes each mutant whose place has the word, in an order that
makes the beginning a fair sample, and runs the tests that come to the line, or else to the
function, the quickest first, until one fails. Every test has to pass without a mutant first.
`build/mutants` keeps which tests come where, and the results, so that a run goes on where an
earlier run stopped; remove it after a change of the sources.

The mutants that no test can kill are in `survivors.py`, each with the reason: a survivor that is
not there fails the run, and so does a name there that one of a few tests kills.
"""

import ast
import compileall
import json
import os
import py_compile
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from tests.faults.survivors import SURVIVORS

PROJECT = Path(__file__).resolve().parents[2]
LAYER = Path("layers/membrane")
SOURCES = [LAYER / "membrane" / each for each in ("adapters/dynamodb", "table", "usecases")]
BUILD = PROJECT / "build" / "mutants"
LONGEST_S = 120
"""A mutant has failed its tests after so many seconds and four times what they take without it."""
LONGEST_WITHOUT_S = 3 * 3_600

FEW = 50
"""The most tests of a mutant whose survival is explained: the quickest."""

TESTS = [
    "tests/faults",
    "tests/contract",
    "tests/unit/adapters",
    "tests/unit/usecases",
    "tests/integration/archive",
    "tests/integration/erasure",
    "tests/integration/events",
    "tests/integration/http",
    "tests/integration/integrity",
]

ALWAYS = " OR attribute_exists(pk) OR attribute_not_exists(pk)"

LOST = {"LostRace", "NotWritten"}
"""The errors of a write that another write came before."""

TAKEN = {"IdTaken", "KeyUsed", "TopicIdTaken", "ReceiptTaken"}
"""The errors by which a write learns that something was written before."""


class Mutant(NamedTuple):
    """A part of a file, and what takes the part's place."""

    kind: str
    path: str
    line: int
    function: int
    """The first line of the function around the part; 0 for a part of the module."""
    start: int
    end: int
    replacement: str
    name: str
    """The file, the function, the kind, and which of several: as `survivors.py` names the part."""

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}:{self.start} {self.kind}"

    @property
    def places(self) -> list[str]:
        """What a test runs that comes to the part: the line, or else the function."""
        return [f"{self.path}:{self.line}", f"{self.path}:{self.function}()"]


def mutants_in(path: Path) -> Iterator[Mutant]:
    """The mutants of a source file, by its path in the project."""
    source = (PROJECT / path).read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def text(node: ast.expr) -> tuple[int, int, str]:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        return start, end, source[start:end].decode()

    tree = ast.parse(source)
    functions = [each for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)]
    names = {first_line(each): each.name for each in functions}
    counts = Counter[str]()
    for node in ast.walk(tree):
        for kind, part, replacement in changes_of(node):
            start, end, before = text(part)
            after = replacement.replace("{}", before)
            around = max(
                (
                    first_line(each)
                    for each in functions
                    if each.lineno <= part.lineno <= (each.end_lineno or 0)
                ),
                default=0,
            )
            name = f"{path.relative_to(LAYER / 'membrane')} {names.get(around, '-')} {kind}"
            counts[name] += 1
            yield Mutant(
                kind, str(path), part.lineno, around, start, end, after, f"{name} {counts[name]}"
            )


def first_line(function: ast.FunctionDef) -> int:
    """As the code object has it: with the decorators."""
    return min([function.lineno, *(each.lineno for each in function.decorator_list)])


def changes_of(node: ast.AST) -> Iterator[tuple[str, ast.expr, str]]:
    """The kind, the part to change, and the change, in which `{}` is the part."""
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "ConditionExpression":
                    yield "condition", value, f"({{}}) + {ALWAYS!r}"
        case ast.ExceptHandler(type=ast.expr() as caught):
            if names_in(caught) & {*LOST, *TAKEN}:
                kind = "race" if names_in(caught) & LOST else "once"
                yield kind, caught, "()"
            elif "ScopeFenced" in names_in(caught):
                yield "fence", caught, "()"
        case ast.Call():
            yield from changes_of_call(node)
        case _:
            pass


def conditions_of(call: ast.Call) -> Iterator[tuple[str, ast.expr, str]]:
    conditions = [
        each.value for each in call.keywords if each.arg in ("condition", "ConditionExpression")
    ]
    if name_of(call.func) == "Write":
        conditions += call.args[2:3]
    for each in conditions:
        if not (isinstance(each, ast.Constant) and not each.value):
            yield "condition", each, f"(lambda found: found and found + {ALWAYS!r})({{}})"


def changes_of_call(call: ast.Call) -> Iterator[tuple[str, ast.expr, str]]:
    name, given = name_of(call.func), call.args
    yield from conditions_of(call)
    if name == "until_won" and len(given) >= 2:
        yield "retry", given[-1], "1" if len(given) == 3 else "{}, max_tries=1"
    if name == "partial" and given and name_of(given[0]) == "until_won":
        yield "retry", given[-1], "{}, max_tries=1"
    if name == "suppress" and names_in(call) & {"LostRace"}:
        yield "race", call, "suppress()"
    if name == "were_written":
        yield "once", call, "False"
    if name in ("require_open", "_require_open"):
        yield "fence", call, "None"


def name_of(called: ast.expr) -> str:
    match called:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def names_in(node: ast.AST) -> set[str]:
    return {name_of(each) for each in ast.walk(node) if isinstance(each, ast.expr)}


def every_mutant() -> list[Mutant]:
    """Those of all sources."""
    paths = chain.from_iterable(sorted((PROJECT / each).rglob("*.py")) for each in SOURCES)
    return [each for path in paths for each in mutants_in(path.relative_to(PROJECT))]


def copy_project(tree: Path) -> None:
    """A project that shares everything but the layer and the tests."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    for each in (
        "clients",
        "template.yaml",
        "pyproject.toml",
        "docs",
        "README.md",
    ):
        (tree / each).symlink_to(PROJECT / each)
    for each in ("tests", "infra", "functions"):
        shutil.copytree(PROJECT / each, tree / each)
    shutil.copytree(PROJECT / LAYER, tree / LAYER)
    (tree / "layers" / "encoder").symlink_to(PROJECT / "layers" / "encoder")
    by_content = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(tree, quiet=1, invalidation_mode=by_content, force=True)


def reached(tree: Path) -> dict[str, Any]:
    """Where each test comes, and how long that takes; every test passes. Kept in files."""
    kept = BUILD / "reached"
    if not kept.exists():
        shutil.rmtree(made := kept.with_name("reached.new"), ignore_errors=True)
        made.mkdir()
        options = ["-n", "auto", "--dist", "worksteal", "-p", "tests.faults.reached"]
        if found := failure([*options, *TESTS], tree, LONGEST_WITHOUT_S, REACHED=str(made)):
            sys.exit(f"a test fails without a mutant: {found}")
        made.rename(kept)
    noted: dict[str, Any] = {}
    for each in kept.iterdir():
        noted |= json.loads(each.read_text())
    return noted


def verdict(mutant: Mutant, tests: dict[str, Any], tree: Path) -> str:
    """The test that fails, or `survived`."""
    chosen: list[str] = []
    for place in mutant.places:
        chosen = chosen or [name for name, seen in tests.items() if place in seen["places"]]
    if not chosen:
        return "survived (no test comes here)"
    chosen.sort(key=lambda name: float(tests[name]["seconds"]))
    if mutant.name in SURVIVORS:
        del chosen[FEW:]
    longest_s = LONGEST_S + 4 * sum(float(tests[name]["seconds"]) for name in chosen)
    file, names = tree / mutant.path, tree / "tests.txt"
    names.write_text("\n".join(chosen))
    source = file.read_bytes()
    changed = source[: mutant.start] + mutant.replacement.encode() + source[mutant.end :]
    file.write_bytes(changed)
    try:
        return failure([f"@{names}"], tree, longest_s) or f"survived {len(chosen)} tests"
    finally:
        file.write_bytes(source)


def failure(arguments: list[str], tree: Path, longest_s: float, **more: str) -> str:
    """The first test that fails; empty where all pass. Raises RuntimeError for no verdict."""
    options = ["-x", "-q", "-p", "no:randomly", "-p", "no:cacheprovider", "--no-header"]
    options += ["--tb=no", "-rfE"]  # a traceback may show gigabytes of a changed state
    command = [sys.executable, "-B", "-m", "pytest", *options, *arguments]
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    try:
        done = subprocess.run(
            command,
            cwd=tree,
            env={**kept, **more},
            capture_output=True,
            text=True,
            timeout=longest_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "no end"
    if done.returncode == 0:
        return ""
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode not in (1, 2) or not failed:  # 2: workers stopped at the first failure
        raise RuntimeError(f"the tests did not run: {done.stdout[-2_000:]}{done.stderr[-2_000:]}")
    return failed[0][:200]


def main(word: str = "") -> None:
    """Run what has no result yet, and count the results."""
    results, tree = BUILD / "results.jsonl", BUILD / f"tree{word.replace('/', '-')}"
    copy_project(tree)
    tests = reached(tree)
    known = {}
    if results.exists():
        known = dict(json.loads(line) for line in results.read_text().splitlines())
    found = every_mutant()
    for mutant in sorted(found, key=lambda each: crc32(each.place.encode())):
        if word not in mutant.place or mutant.place in known:
            continue
        known[mutant.place] = verdict(mutant, tests, tree)
        with results.open("a") as file:
            file.write(json.dumps([mutant.place, known[mutant.place]]) + "\n")
        print(f"{mutant.place}: {known[mutant.place]}", flush=True)
    shutil.rmtree(tree)
    survived = {each.name for each in found if known.get(each.place, "").startswith("survived")}
    tried = {each.name for each in found if each.place in known}
    print(f"{len(found)} mutants, {len(tried)} tried, {len(survived)} survived")
    wrong = [
        *(
            f"survived, and is not explained: {each}"
            for each in sorted(survived - SURVIVORS.keys())
        ),
        *(
            f"is explained, and was killed: {each}"
            for each in sorted(SURVIVORS.keys() & tried - survived)
        ),
        *(
            f"is explained, and is no mutant: {each}"
            for each in sorted(SURVIVORS.keys() - {each.name for each in found})
        ),
    ]
    if wrong:
        sys.exit("\n".join(wrong))


if __name__ == "__main__":
    main(*sys.argv[1:])
