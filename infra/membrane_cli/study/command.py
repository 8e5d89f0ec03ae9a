"""`membrane study FILE…`."""

import argparse
from contextlib import suppress
from pathlib import Path

from rich.console import Console

from membrane_cli.options import Parser, add_client, open_client, present_options
from membrane_cli.output import add_json
from membrane_cli.study.files import files_of
from membrane_cli.study.reading import SUFFIXES
from membrane_cli.study.studying import Studying, list_files, note
from membrane_cli.study.watching import Watch, study_changes


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help=f"a document ({', '.join(SUFFIXES)}), or a folder for all documents below",
    )
    parser.add_argument(
        "--title", help="of a single document; if absent, its heading, then the file's name"
    )
    parser.add_argument(
        "--source",
        help="of a single document, the identity in the service; if absent, the path",
    )
    parser.add_argument("--sensitivity", help="if absent, DefaultSensitivity of the deployment")
    parser.add_argument(
        "--no-model", action="store_true", help="sections and paragraphs as they are"
    )
    once = parser.add_mutually_exclusive_group()
    once.add_argument("--dry-run", action="store_true", help="read and list the files, and end")
    once.add_argument(
        "--watch", action="store_true", help="study new and changed files, too, until Ctrl-C"
    )
    add_client(parser)
    add_json(parser, "a JSON object a line: the ended studies")
    parser.show(
        "membrane study README.md docs",
        "membrane study handbook.pdf --title 'The handbook' --scope project:acme",
        "membrane study notes --no-model --watch",
    )
    parser.set_defaults(run=_study, refuse=parser.error)


def _study(options: argparse.Namespace) -> int:
    """Study the files; 0 where every file was read and studied, else 1."""
    own = present_options(title=options.title, source=options.source)
    if own and (len(options.files) > 1 or options.files[0].is_dir()):
        options.refuse("--title and --source go with a single document")
    faults: list[str] = []
    files = files_of(options.files, faults.append)
    for fault in faults:
        note(fault)
    if options.dry_run:
        return int(list_files(files, own, as_json=options.json) + len(faults) > 0)
    given = own | present_options(
        sensitivity=options.sensitivity, with_model=False if options.no_model else None
    )
    watch = Watch()
    if options.watch:
        watch.look(files)
    with open_client(options) as client:
        studying = Studying(client, given, Console(stderr=True), as_json=options.json)
        failures = studying.study_files(files) + len(faults)
        if options.watch:
            with suppress(KeyboardInterrupt):  # the usual end
                study_changes(options.files, watch, studying)
    return int(failures > 0)
