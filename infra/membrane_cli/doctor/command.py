"""`membrane doctor`."""

import argparse
from dataclasses import asdict
from itertools import chain

from membrane_cli.doctor.machine import diagnose_machine
from membrane_cli.options import Parser
from membrane_cli.output import print_json, print_rows


def add_options(parser: Parser) -> None:
    meaning = "a deployed CloudFormation stack, to check the account, the model and storage"
    parser.option("--stack", meaning)
    parser.add_json("a JSON object a line")
    parser.run_by(_doctor, "membrane doctor", "membrane doctor --stack membrane")


def _doctor(options: argparse.Namespace) -> int:
    """1 where the local stack cannot run or the named stack lacks something; the rest are notes."""
    found = list(diagnose_machine())
    if not any(each.is_fatal for each in found):  # the modules below need the packages
        from membrane_cli.doctor import cloud  # noqa: PLC0415

        found += chain(cloud.diagnose_local_stack(), cloud.diagnose_cloud(options.stack))
    if options.json:
        for each in found:
            print_json({**asdict(each), "mark": each.mark})
    else:
        rows = [(each.mark, each.name, each.found, each.advice) for each in found]
        print_rows(("state", "part", "found", "what to do"), rows)
    return int(any(each.is_fatal for each in found))
