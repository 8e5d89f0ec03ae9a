"""Documents: the files that are meant, and the text and the title of each."""

import json
import os
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

from membrane.domain.language.errors import InvalidArgument
from membrane.domain.study.hierarchy import FrontMatter, front_matter_of
from membrane.domain.study.requests import MAX_DOCUMENT_BYTES, MAX_DOCUMENT_TITLE_CHARACTERS
from membrane_cli.options import utf8_text
from membrane_cli.study import conversion


class File(NamedTuple):
    path: Path
    source: str


def files_of(arguments: Sequence[Path], note: Callable[[str], None]) -> list[File]:
    """The files, and the readable files of the folders, in the order of the arguments.

    The source is the path from the parent of a folder on, or the path of a file as named: a later
    study of the same file finds the document by the source. `note` gets a sentence about each
    argument and each folder that cannot be read. Raises InvalidArgument where two files have one
    source, for the second would pass for a newer edition of the first.
    """
    found: dict[str, File] = {}
    for argument in arguments:
        for file in _files_in(argument, note):
            before = found.setdefault(file.source, file)
            if before.path.resolve() != file.path.resolve():
                raise InvalidArgument(
                    f"{before.path} and {file.path} would be one document, {file.source}"
                )
    return [*found.values()]


def _files_in(argument: Path, note: Callable[[str], None]) -> Iterator[File]:
    if argument.is_file():
        yield File(argument, utf8_text(argument.as_posix()))
    elif argument.is_dir():
        within = [*_below(argument, note)]
        if not within:
            note(f"{argument} has no documents")
        yield from within
    else:
        note(f"{argument} is no file and no folder")


def _below(folder: Path, note: Callable[[str], None]) -> Iterator[File]:
    """The documents in a folder, by path; nothing hidden, and nothing outside of the folder."""
    root = folder.resolve()
    paths = []
    for place, folders, names in os.walk(
        folder, onerror=lambda error: note(f"{error.filename}: {error.strerror}")
    ):
        folders[:] = [each for each in folders if not each.startswith(".")]
        paths += [Path(place, each) for each in names if not each.startswith(".")]
    for path in sorted(paths):
        if path.suffix.lower() in _KINDS and path.is_file():
            target = path.resolve()  # of a link: within the folder, and not hidden
            within = target.parts[len(root.parts) :]
            if target.is_relative_to(root) and not any(each.startswith(".") for each in within):
                source = (root.name / path.relative_to(folder)).as_posix()
                yield File(path, utf8_text(source))


MAX_FILE_BYTES = 100 * 1024 * 1024
_SUFFIXES = {"text": (".md", ".markdown", ".txt"), "html": (".html", ".htm"), "pdf": (".pdf",)}
_KINDS = {suffix: kind for kind, suffixes in _SUFFIXES.items() for suffix in suffixes}
SUFFIXES = tuple(_KINDS)


class Content(NamedTuple):
    title: str
    text: str


def read_document(file: Path, *, limit_s: float = conversion.LIMIT_S) -> Content:
    """Raises InvalidArgument for a file that is no document within the limits, and OSError."""
    kind = _KINDS.get(file.suffix.lower())
    if kind is None:
        raise InvalidArgument(f"is none of {', '.join(SUFFIXES)}")
    with file.open("rb") as content:
        if kind == "text":
            title, text = "", _text_of(content)
        else:
            title, text = _convert(kind, content, limit_s)
    if len(text.encode()) > MAX_DOCUMENT_BYTES:
        raise InvalidArgument(f"has more than {_mib(MAX_DOCUMENT_BYTES)} of text")
    if not text.strip():
        hint = ": a scan needs text recognition first" if kind == "pdf" else ""
        raise InvalidArgument(f"has no text{hint}")
    if kind == "text":
        title = title_of(text)
    title = " ".join(title.split())[:MAX_DOCUMENT_TITLE_CHARACTERS].strip()
    return Content(title or utf8_text(file.stem), text)


def title_of(markdown: str) -> str:
    """`title` of the front matter, else the first heading of level 1, else `name`; or empty."""
    front = front_matter_of(markdown)
    if front is None:
        return heading_of(markdown)
    fields = _fields_in(markdown[slice(*front.text)], front)
    return fields.get("title") or heading_of(markdown[front.end :]) or fields.get("name", "")


def _fields_in(text: str, front: FrontMatter) -> Mapping[str, str]:
    """The texts, numbers and dates of the metadata; empty for no object in YAML, TOML or JSON."""
    import yaml  # noqa: PLC0415 - help reads no document

    # PyYAML takes no tab behind a colon, and TOML no CR alone
    text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs()
    try:
        fields = tomllib.loads(text) if front.is_toml else _yaml_fields(text)
        return {
            name: str(each)
            for name, each in fields.items()
            if isinstance(each, str | int | float | date) and not isinstance(each, bool)
        }
    except (OverflowError, RecursionError, ValueError, yaml.YAMLError):
        return {}


def _yaml_fields(text: str) -> Mapping[str, str]:
    """The scalars as written: an alias may stand for megabytes, and a tag for any type."""
    import yaml  # noqa: PLC0415 - help reads no document

    types = [f"tag:yaml.org,2002:{each}" for each in ("str", "int", "float", "timestamp")]
    node = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(node, yaml.MappingNode):
        return {}
    return {
        name.value: each.value
        for name, each in node.value
        if isinstance(name, yaml.ScalarNode)
        and isinstance(each, yaml.ScalarNode)
        and each.tag in types
    }


def heading_of(markdown: str) -> str:
    """The first heading of level 1 near the beginning; empty without one."""
    from markdown_it import MarkdownIt  # noqa: PLC0415 - help reads no document

    blocks = MarkdownIt("commonmark").disable("inline").parse(markdown[:100_000])
    for opening, heading in pairwise(blocks):
        if opening.tag == "h1" and opening.level == 0 and heading.content:
            return heading.content
    return ""


def _text_of(content: BinaryIO) -> str:
    data = content.read(MAX_DOCUMENT_BYTES + 4)  # a mark of the byte order has 3
    if len(data) > MAX_DOCUMENT_BYTES + 3:
        raise InvalidArgument(f"has more than {_mib(MAX_DOCUMENT_BYTES)} of text")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InvalidArgument(f"is not UTF-8 (byte {error.start})") from error


def _convert(kind: str, content: BinaryIO, limit_s: float) -> Content:
    libraries = {"html": ("bs4", "markdownify"), "pdf": ("pypdf",)}
    missing = [each for each in libraries[kind] if find_spec(each) is None]
    if missing:
        raise InvalidArgument(
            f"needs {' and '.join(missing)}: in the clone, pip install '.[study]'"
        )
    if content.seek(0, 2) > MAX_FILE_BYTES:
        raise InvalidArgument(f"has more than {_mib(MAX_FILE_BYTES)}")
    content.seek(0)
    # -P: no module of the folder at hand takes the place of a library.
    program = [sys.executable, "-BP", conversion.__file__, kind]
    try:
        done = subprocess.run(
            program, stdin=content, capture_output=True, timeout=limit_s, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise InvalidArgument(f"takes more than {limit_s:g} s to read") from error
    if done.returncode:
        raise InvalidArgument(_failure(kind, done))
    return Content(**json.loads(done.stdout))


def _failure(kind: str, done: "subprocess.CompletedProcess[bytes]") -> str:
    """Why the child failed: its own words, or the last line of a trace."""
    lines = done.stderr.decode(errors="replace").strip().splitlines()
    if done.returncode == conversion.REFUSED:
        return lines[-1]
    if done.returncode < 0:
        return f"takes more than {conversion.LIMIT_S} s, or more memory than allowed, to read"
    return f"is no {kind.upper()} that can be read ({lines[-1] if lines else 'without a reason'})"


def _mib(size: int) -> str:
    return f"{size // 1024**2} MiB"
