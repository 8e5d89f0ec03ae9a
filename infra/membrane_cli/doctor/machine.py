"""`membrane doctor`, and the findings about the machine, by the standard library alone."""

import argparse
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import chain
from platform import python_version

from membrane_cli.doctor import Diagnosis
from membrane_cli.options import Parser
from membrane_cli.output import print_json, print_rows
from membrane_local.dev_options import TEMPLATE

OLDEST, NEWEST = (3, 11), (3, 13)
PACKAGES = (
    *("boto3", "httpx2", "membrane_client", "moto", "numpy", "onnxruntime", "pydantic", "rich"),
    *("shtab", "tokenizers", "uvicorn", "yaml"),
)


def diagnose_machine() -> Iterator[Diagnosis]:
    tested = " to ".join(".".join(map(str, each)) for each in (OLDEST, NEWEST))
    is_tested = OLDEST <= sys.version_info[:2] <= NEWEST
    advice = "" if is_tested else f"tested are {tested}; Lambda runs the last"
    yield Diagnosis("python", python_version(), advice, sys.version_info[:2] < OLDEST)
    again = "install the project again: `pip install .`, or `make setup`"
    missing = ", ".join(name for name in PACKAGES if find_spec(name) is None)
    encoder = "" if find_spec("membrane_encoder") else "membrane_encoder"
    template = "" if TEMPLATE.is_file() else str(TEMPLATE)
    for name, lacking, found in (
        ("packages", missing, "all there"),
        ("encoder", encoder, "all-MiniLM-L6-v2"),
        ("template", template, str(TEMPLATE)),
    ):
        if lacking:
            yield Diagnosis(name, f"missing: {lacking}", again, is_fatal=True)
        else:
            yield Diagnosis(name, found)


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
            print_json({**each._asdict(), "mark": each.mark})
    else:
        rows = [(each.mark, each.name, each.found, each.advice) for each in found]
        print_rows(("state", "part", "found", "what to do"), rows)
    return int(any(each.is_fatal for each in found))
