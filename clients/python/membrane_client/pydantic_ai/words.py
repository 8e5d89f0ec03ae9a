"""Find words in files, within bounds: the scores and snippets of the stores of the harness."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from anyio.lowlevel import checkpoint
from pydantic_ai_harness.memory import MemorySearchMatch, MemorySearchResult

_CUT = "..."
"""Stands for the text before or behind a snippet."""


class File(NamedTuple):
    path: str
    content: str


class _Scored(NamedTuple):
    score: float
    file: File


async def find_words(
    files: Sequence[File], query: str, *, limit: int, max_chars: int, prefix: str
) -> MemorySearchResult:
    """The `limit` best files, the best first; paths and snippets have `max_chars` characters.

    A word counts wherever the text has the letters, and double in the path behind the prefix. Other
    tasks run between two files: a file takes milliseconds.
    """
    words = query.lower().split()
    hits: list[_Scored] = []
    for file in files:
        if score := _score(file, words, prefix):
            hits.append(_Scored(score, file))
        await checkpoint()
    hits.sort(key=lambda each: (-each.score, each.file.path))
    matches = [*_matches(hits[:limit], words, max_chars, prefix)]
    return MemorySearchResult(
        matches=matches, scanned=len(files), truncated=len(hits) > len(matches)
    )


def _score(file: File, words: Sequence[str], prefix: str) -> float:
    path, content = file.path.removeprefix(prefix).lower(), file.content.lower()
    return float(sum(content.count(word) + 2 * path.count(word) for word in words))


def _matches(
    hits: Sequence[_Scored], words: Sequence[str], max_chars: int, prefix: str
) -> Iterator[MemorySearchMatch]:
    left = max_chars
    for score, file in hits:
        left -= len(file.path.removeprefix(prefix))
        if left <= 0:
            return
        snippet = _snippet(file.content, words, left)
        left -= len(snippet)
        yield MemorySearchMatch(path=file.path, snippet=snippet, score=score)


def _snippet(content: str, words: Sequence[str], size: int) -> str:
    """Up to `size` characters around the first word; `...` where the content goes on."""
    lower = content.lower()
    places = [place for place in map(lower.find, words) if place >= 0]
    start = max(0, min(places, default=0) - size // 3)
    end = min(len(content), start + size)
    start = max(0, end - size)
    snippet = content[start:end]
    if start:
        snippet = (_CUT + snippet[len(_CUT) :])[: len(snippet)]
    if end < len(content):
        snippet = (snippet[: -len(_CUT)] + _CUT)[-len(snippet) :]
    return snippet
