"""Memory files as keyed documents: directories are labels of the namespace, the name is the key.

The functions below the files show and change texts.
"""

import json
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from posixpath import normpath
from typing import Any, NamedTuple

from anthropic.lib.tools import ToolError

from membrane_client.core.adapters import MAX_LABEL_BYTES, MAX_LABELS, batches, refusal_of
from membrane_client.core.encoding import size_in_json
from membrane_client.core.protocol import Steps
from membrane_client.errors import APIError, Conflict, NotFound, PayloadTooLarge, is_absent
from membrane_client.operations import Routes
from membrane_client.value import JsonObject
from membrane_client.values.documents import DocumentResult, ShownDocument

ROOT = "/memories"
TEXT = "text"  # The field of a document's value that holds the file
NO_DOCUMENT = 0  # The expected version of an absent document
HIDDEN = "ALREADY_EXISTS"
"""The code of a refusal where a document above the key's ceiling holds the place."""

PAGE_SIZE = 100
MAX_OPERATIONS = 50
MAX_BATCH_BYTES = 2 * 1024 * 1024
"""Of a batch, so that the request needs no uploads; a larger file is a batch by itself."""

MAX_RATIONALE_CHARACTERS = 1_000
MAX_LINES = 999_999  # As many as line numbers of six digits count
LEVELS = 2  # The depth of a listing
CONTEXT_LINES = 2  # Lines that an answer shows before and behind a change

_KILO = 1024
_TO_THE_END = -1


class MemoryPath(NamedTuple):
    """A path of a command: as given, for the answer, and its parts."""

    given: str
    names: tuple[str, ...]
    """The directories and the file below /memories; empty for /memories itself."""


def path_of(names: Sequence[str]) -> MemoryPath:
    return MemoryPath("/".join((ROOT, *names)), tuple(names))


def parse_path(path: str) -> MemoryPath:
    """The path in its shortest form; raises ToolError for a path outside of /memories."""
    if path != ROOT and not path.startswith(f"{ROOT}/"):
        raise ToolError(f"Path must start with {ROOT}, got: {path}")
    normal = normpath(path)
    if normal != ROOT and not normal.startswith(f"{ROOT}/"):
        raise ToolError(f"Path {path} would escape {ROOT} directory")
    return MemoryPath(path, tuple(normal.split("/")[2:]))


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one tool."""

    api: Routes
    namespace: tuple[str, ...]
    place: Mapping[str, Any]
    """Further fields of each operation: the scope, if the tool has a scope."""
    properties: Mapping[str, Any]
    """Further fields of each put."""
    erase: bool

    def look(self, path: MemoryPath) -> Steps[ShownDocument | None]:
        """The document at the path; None for a directory and for an absent file."""
        if not path.names:
            return None
        try:
            return (yield from self.api.get_document(*self._document_at(path), **self.place))
        except NotFound as error:
            if is_absent(error):
                return None
            raise

    def look_at_each(self, paths: Sequence[MemoryPath]) -> Steps[Sequence[ShownDocument]]:
        found: list[ShownDocument] = []
        for path in paths:
            document = yield from self.look(path)
            found += [document] if document else []
        return found

    def all_at(self, path: MemoryPath) -> Steps[Sequence[ShownDocument]]:
        """The document at the path, or else all documents within the directory."""
        document = yield from self.look(path)
        return (yield from self.all_within(path)) if document is None else [document]

    def is_directory(self, path: MemoryPath) -> Steps[bool]:
        """Whether there is a file below; /memories always is a directory."""
        return not path.names or bool((yield from self.all_within(path, limit=1)))

    def all_within(
        self, path: MemoryPath, limit: int | None = None
    ) -> Steps[Sequence[ShownDocument]]:
        """The documents within the directory at any depth; at most `limit`, None = all."""
        prefix, found, cursor = (*self.namespace, *path.names), list[ShownDocument](), None
        if not is_namespace(prefix):
            return found
        while True:
            page = yield from self.api.search_documents(
                prefix, limit=limit or PAGE_SIZE, cursor=cursor, **self.place
            )
            found += page.documents
            cursor = page.next_cursor
            if cursor is None or len(found) == limit:
                return found

    def put(self, path: MemoryPath, text: str, *, expected_version: int) -> Steps[None]:
        """Raises Conflict unless the file has the version, ToolError for a file too large."""
        fields = {**self.place, **self.properties, "expected_version": expected_version}
        try:
            yield from self.api.put_document(*self._document_at(path), {TEXT: text}, **fields)
        except PayloadTooLarge as error:
            raise ToolError(
                f"The memory refuses {path.given}: {error}. "
                "The size is of the file as JSON text, where an escaped character counts more."
            ) from error

    def perform(
        self, operations: Sequence[JsonObject], *, check_first: bool
    ) -> Steps[Sequence[DocumentResult]]:
        """The results of operations in batches; `check_first` refuses a batch before any effect."""
        results, refusal = yield from self.attempt(operations, check_first=check_first)
        if refusal is not None:
            raise refusal
        return results

    def attempt(
        self, operations: Sequence[JsonObject], *, check_first: bool = False
    ) -> Steps[tuple[Sequence[DocumentResult], APIError | None]]:
        """The results of the batches up to the refusal of a whole batch, and the refusal."""
        results: list[DocumentResult] = []
        try:
            for batch in batches(operations, size_in_json, MAX_OPERATIONS, MAX_BATCH_BYTES):
                results += yield from self.api.batch_documents(
                    batch, check_first=check_first or None
                )
        except APIError as error:
            return results, error
        return results, None

    def operation(self, op: str, path: MemoryPath, **fields: Any) -> JsonObject:
        namespace, name = self._document_at(path)
        return {"op": op, "namespace": [*namespace], "key": name, **self.place, **fields}

    def deletion(
        self, path: MemoryPath, version: int, why: str, *, erase: bool = False
    ) -> JsonObject:
        fields = {"expected_version": version, "erase": erase, "rationale": why}
        return self.operation("delete", path, **fields)

    def path_to(self, document: ShownDocument) -> MemoryPath:
        return path_of((*document.namespace, document.key)[len(self.namespace) :])

    def _document_at(self, path: MemoryPath) -> tuple[Sequence[str], str]:
        *directories, name = path.names
        return (*self.namespace, *directories), name


def is_namespace(labels: Sequence[str]) -> bool:
    """Whether the service may have documents in and below a namespace of these labels."""
    sizes = [len(each.encode(errors="surrogatepass")) for each in labels]
    return len(sizes) <= MAX_LABELS and max(sizes) <= MAX_LABEL_BYTES


def is_text(document: ShownDocument) -> bool:
    value = document.value
    return isinstance(value, dict) and value.keys() == {TEXT} and isinstance(value[TEXT], str)


def text_of(document: ShownDocument, path: MemoryPath) -> str:
    """Raises ToolError for a document that another program made."""
    if not is_text(document):
        raise ToolError(f"Unsupported file type for {path.given}")
    return str(document.value[TEXT])


def size_of(document: ShownDocument) -> int:
    """Bytes of the text, in UTF-8; of any other value as JSON."""
    text = document.value[TEXT] if is_text(document) else json.dumps(document.value)
    return len(text.encode(errors="surrogatepass"))


def require_done_or_edited(results: Sequence[DocumentResult]) -> None:
    """Raises the first refusal for a reason other than the expected version."""
    for refusal in filter(None, map(refusal_of, results)):
        if not isinstance(refusal, Conflict):
            raise refusal


def show_file(path: str, text: str, view_range: Sequence[int] | None) -> str:
    """The lines of the range, from 1, -1 = to the end; ToolError for more than 999,999 lines."""
    lines = text.split("\n")
    if len(lines) > MAX_LINES:
        raise ToolError(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
    first, last = view_range or (1, _TO_THE_END)
    first = max(first, 1)
    shown = lines[first - 1 : None if last == _TO_THE_END else max(last, 0)]
    return f"Here's the content of {path} with line numbers:\n{_number_lines(shown, first)}"


def show_directory(path: str, files: Iterable[tuple[Sequence[str], int]]) -> str:
    """Two levels, without hidden names, of `files`: names below the directory, and bytes."""
    total, sizes = 0, Counter[tuple[tuple[str, ...], bool]]()
    for names, size in files:
        total += size
        for depth in range(1, min(len(names), LEVELS) + 1):
            sizes[tuple(names[:depth]), depth < len(names)] += size
    lines = [f"{format_size(total)}\t{path}"]
    for (names, is_directory), size in sorted(sizes.items()):
        if not any(name.startswith(".") for name in names):
            entry = "/".join((path.rstrip("/"), *names)) + ("/" if is_directory else "")
            lines.append(f"{format_size(size)}\t{entry}")
    title = f"Here're the files and directories up to {LEVELS} levels deep in {path}"
    return "\n".join([f"{title}, excluding hidden items:", *lines])


def format_size(size: int) -> str:
    """Bytes in the largest unit that is not above the size: 12B, 1K, 2.5M."""
    amount, units = float(size), list("BKMG")
    while amount >= _KILO and len(units) > 1:
        amount /= _KILO
        del units[0]
    return f"{amount:.0f}{units[0]}" if amount.is_integer() else f"{amount:.1f}{units[0]}"


def replace_once(path: str, text: str, old: str, new: str) -> tuple[str, str]:
    """The changed text and the answer; raises ToolError unless the old text occurs once."""
    count = text.count(old)
    if count == 0:
        raise ToolError(
            f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        )
    if count > 1:
        breaks = [each.start() for each in re.finditer("\n", text)]
        starts = [each.start() for each in re.finditer(f"(?={re.escape(old)})", text)]
        lines = ", ".join(str(bisect_left(breaks, at) + 1) for at in starts)
        raise ToolError(
            f"No replacement was performed. Multiple occurrences of old_str `{old}` "
            f"in lines: {lines}. Please ensure it is unique"
        )
    at = text.count("\n", 0, text.index(old))
    changed = text.replace(old, new)
    first = max(0, at - CONTEXT_LINES)
    snippet = _number_lines(changed.split("\n")[first : at + CONTEXT_LINES + 1], first + 1)
    return changed, (
        "The memory file has been edited. "
        f"Here is the snippet showing the change (with line numbers):\n{snippet}"
    )


def insert_behind(path: str, text: str, line: int, insertion: str) -> tuple[str, str]:
    """The changed text and the answer; line 0 is the beginning, ToolError for no such line."""
    lines = text.removesuffix("\n").split("\n") if text else []
    if not 0 <= line <= len(lines):
        raise ToolError(
            f"Invalid `insert_line` parameter: {line}. "
            f"It should be within the range [0, {len(lines)}]."
        )
    lines.insert(line, insertion.rstrip("\n"))
    changed = "\n".join(lines).removesuffix("\n")
    return f"{changed}\n", f"The file {path} has been edited."


def _number_lines(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(lines, first))
