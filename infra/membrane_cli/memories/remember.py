"""`membrane remember`."""

import argparse

from membrane_cli.memories.client_options import add_client, open_client, present_options
from membrane_cli.output import add_json, print_json, print_rows
from membrane_cli.parser import Parser

A_TEXT, A_FACT = 1, 3
"""Numbers of words."""


def remember_options(parser: Parser) -> None:
    parser.add_argument(
        "words", nargs="+", metavar="WORD", help="a text in quotes, or subject, predicate, object"
    )
    parser.add_argument(
        "--on-conflict",
        choices=("keep", "replace", "fork", "contest"),
        help="the answer to conflicting facts; if absent, as in ConflictPolicies",
    )
    parser.add_argument("--tag", action="append", help="may be given more than once")
    parser.add_argument("--sensitivity", help="if absent, DefaultSensitivity of the deployment")
    add_client(parser)
    add_json(parser, "the record as one JSON object")
    parser.show(
        "membrane remember 'The staging database is reset every Monday'",
        "membrane remember billing runs_on Lambda --on-conflict replace",
    )
    parser.set_defaults(run=_remember, refuse=parser.error)


def _remember(options: argparse.Namespace) -> None:
    if len(options.words) not in (A_TEXT, A_FACT):
        options.refuse("expected a text in quotes, or a subject, a predicate and an object")
    with open_client(options) as client:
        record = client.remember(
            *options.words,
            **present_options(
                on_conflict=options.on_conflict, tags=options.tag, sensitivity=options.sensitivity
            ),
        )
    if options.json:
        print_json(record.raw)
    else:
        print_rows(("id", "remembered"), [(record.id, " ".join(options.words))])
