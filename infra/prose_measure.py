"""Measure how much the project's prose points instead of naming.

A pointing word (`it`, `that`, `which`, `such`, `told` …) makes a reader look back for the noun.
The figure is the number of pointing words in 100 words of prose: of docstrings in Python files, of
paragraphs in Markdown files. Code, links' addresses, tables and headings do not count.

usage: prose_measure.py [--files] [PATH ...]

Prints a line for each package and each document below the paths, by default below PROSE; with
`--files` a line for each file. Exits with 1 where a figure is above LIMIT.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path

LIMIT = 7.0
"""Pointing words in 100; the docstrings and documents of well-read projects have 1.6 to 6.5."""
LEAST_WORDS = 60
"""Prose of fewer words is too short for a share to mean much."""
PROSE = ("layers", "functions", "infra", "clients", "integrations", "docs", "README.md")
_NOT_OURS = {"node_modules", "__pycache__", "build", "dist", "_site"}
_POINTING = re.compile(
    r"\b(it|its|that|those|these|this|them|they|what|which|whatever|whoever|one|ones|other|others"
    r"|another|such|so|there|then|each|told|tells|tell|anew|else)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n\n")
_LEAST_OF_A_SENTENCE = 4


def main(arguments: Sequence[str]) -> int:
    by_file = "--files" in arguments
    paths = [each for each in arguments if each != "--files"] or PROSE
    figures = measure(chain.from_iterable(map(files_below, paths)), by_file=by_file)
    worst_first = sorted(figures.items(), key=lambda each: -each[1][1])
    for name, (words, share) in worst_first:
        mark = "ABOVE" if is_above_limit(words, share) else ""
        print(f"{mark:5} {share:5.1f} {words:6d} words  {name}")
    return int(any(is_above_limit(*each) for each in figures.values()))


def is_above_limit(words: int, share: float) -> bool:
    return words >= LEAST_WORDS and share > LIMIT


def files_below(path: str) -> Iterator[Path]:
    """The Python and Markdown files of the project at or below a path."""
    root = Path(path)
    for file in [root] if root.is_file() else sorted(root.rglob("*")):
        if file.suffix in {".py", ".md"} and not _NOT_OURS.intersection(file.parts):
            yield file


def measure(files: Iterator[Path], *, by_file: bool) -> Mapping[str, tuple[int, float]]:
    """The words of prose and the pointing words in 100 of each package and document, by path."""
    counts: dict[str, tuple[int, int]] = {}
    for file in files:
        is_whole = by_file or file.suffix == ".md"
        name = str(file if is_whole else file.parent)
        words, pointing = counts.get(name, (0, 0))
        for sentence in sentences(file):
            words += len(_WORD.findall(sentence))
            pointing += len(_POINTING.findall(sentence))
        counts[name] = (words, pointing)
    return {
        name: (words, 100 * pointing / words) for name, (words, pointing) in counts.items() if words
    }


def sentences(file: Path) -> Iterator[str]:
    """The sentences of a file's prose, without those of fewer than four words."""
    text = file.read_text()
    for prose in docstrings(text) if file.suffix == ".py" else [text]:
        for sentence in _SENTENCE_END.split(_plain(prose)):
            if len(_WORD.findall(sentence)) >= _LEAST_OF_A_SENTENCE:
                yield sentence


def docstrings(source: str) -> Iterator[str]:
    """The docstrings of the module, its classes, functions and attributes."""
    for node in ast.walk(ast.parse(source)):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            match statement:
                case ast.Expr(value=ast.Constant(value=str() as text)):
                    yield text


def _plain(text: str) -> str:
    """The text without code, links' addresses, tables, headings and line breaks in paragraphs."""
    text = re.sub(r"```.*?```", " ", text, flags=re.DOTALL)
    text = re.sub(r"`[^`]*`", " CODE ", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"^(\s*\||#).*$", " ", text, flags=re.MULTILINE)
    return re.sub(r"[ \t]*\n(?!\n)", " ", text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
