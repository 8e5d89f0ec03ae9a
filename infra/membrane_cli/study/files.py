"""The documents that files and folders of the command line name."""

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from membrane.domain.language.errors import InvalidArgument
from membrane_cli.options import utf8_text
from membrane_cli.study.reading import is_readable


class File(NamedTuple):
    """A file, and the name of the document in the service."""

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
        if is_readable(path) and path.is_file() and _is_visible_in(root, path):
            source = (root.name / path.relative_to(folder)).as_posix()
            yield File(path, utf8_text(source))


def _is_visible_in(root: Path, path: Path) -> bool:
    """Whether the target of the path, which may be a link, lies in the root and is not hidden."""
    target = path.resolve()
    if not target.is_relative_to(root):
        return False
    return not any(part.startswith(".") for part in target.relative_to(root).parts)
