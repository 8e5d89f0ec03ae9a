"""`membrane correct`."""

import argparse

from membrane_cli.memories.client_options import add_client, open_client
from membrane_cli.memories.reading import AN_ID
from membrane_cli.output import add_json, print_json, print_rows
from membrane_cli.parser import Parser
from membrane_cli.shown_ids import AN_ID_HELP, whole_id


def correct_options(parser: Parser) -> None:
    parser.add_argument("id", help=AN_ID_HELP)
    parser.add_argument("object", help="the right object of the fact, as text")
    parser.add_argument("--why", required=True, help="the reason, for the history")
    add_client(parser)
    add_json(parser, "the new record as one JSON object")
    parser.show(f"membrane correct {AN_ID} 'MySQL 8' --why 'it was migrated in May'")
    parser.set_defaults(run=_correct)


def _correct(options: argparse.Namespace) -> None:
    with open_client(options) as client:
        own = whole_id(options, options.id)
        record = client.correct(own, options.object, why=options.why)
    if options.json:
        print_json(record.raw)
    else:
        print_rows(("id", "now"), [(record.id, options.object)])
