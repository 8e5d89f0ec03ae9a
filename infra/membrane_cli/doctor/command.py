"""`membrane doctor`."""

import argparse
from dataclasses import asdict
from itertools import chain

from membrane_cli.doctor.machine import diagnose_machine
from membrane_cli.output import add_json, print_json, print_rows
from membrane_cli.parser import Parser


def add_options(parser: Parser) -> None:
    parser.add_argument(
        "--stack",
        help="a deployed CloudFormation stack, to check the account, the model and storage",
    )
    add_json(parser, "a JSON object a line")
    parser.show("membrane doctor", "membrane doctor --stack membrane")
    parser.set_defaults(run=_doctor)


def _doctor(options: argparse.Namespace) -> int:
    """1 where the local stack cannot run or the named stack lacks something; the rest are notes."""
    found = list(diagnose_machine())
    if not any(each.is_fatal for each in found):  # the modules below need the packages
        from membrane_cli.doctor.cloud import diagnose_cloud  # noqa: PLC0415
        from membrane_cli.doctor.stack import diagnose_local_stack  # noqa: PLC0415

        found += chain(diagnose_local_stack(), diagnose_cloud(options.stack))
    if options.json:
        for each in found:
            print_json({**asdict(each), "mark": each.mark})
    else:
        rows = [(each.mark, each.name, each.found, each.advice) for each in found]
        print_rows(("state", "part", "found", "what to do"), rows)
    return int(any(each.is_fatal for each in found))
