"""`membrane dev`."""

import argparse
import re
from pathlib import Path
from typing import Any

from membrane_cli.options import Parser, number_from
from membrane_local.dev_options import DEFAULT_PORT, TEMPLATE, DevOptions


def add_options(parser: Parser) -> None:
    port = number_from(0, 65_535)
    parser.option("--port", "0 takes a free port", type=port, default=DEFAULT_PORT)
    meaning = "a file, the URL of a DynamoDB endpoint, or moto; if absent in memory"
    parser.option("--store", meaning)
    meaning = "folder of large documents; if absent beside the store"
    parser.option("--blobs", meaning, type=Path)
    parser.option("--api-key", "a key with every right; if absent a new key")
    parser.flag("--no-auth", "answer without keys")
    parser.option("--template", "the SAM template to run", type=Path, default=TEMPLATE)
    meaning = "how late the table removes expired items, such as 48h, as AWS may; if absent at once"
    parser.option("--ttl-lag", meaning, type=_seconds, default=0, metavar="TIME")
    parser.add_parameters("a parameter of the template, may be repeated")
    parser.run_by(
        _dev,
        "membrane dev",
        "membrane dev --port 9000 --store memory.db --api-key local-key",
        """membrane dev --parameter 'Tuning={"EpisodicHalfLifeSeconds": 86400}'""",
        "membrane dev --ttl-lag 48h",
    )


def _dev(options: argparse.Namespace) -> None:
    print(f"membrane dev: opening {options.store or 'a store in memory'}", flush=True)
    from membrane_local.dev import run_dev  # noqa: PLC0415 - the stack takes seconds to load

    alike = ("port", "store", "blobs", "api_key", "template")
    given: Any = {name: getattr(options, name) for name in alike}
    given |= {"requires_keys": not options.no_auth, "ttl_lag_s": options.ttl_lag}
    dev_options = DevOptions(**given, parameters=dict(options.parameter))
    run_dev(dev_options, say=lambda line: print(line, flush=True))


def _seconds(text: str) -> int:
    found = re.fullmatch(r"([0-9]{1,6})([smhd])", text)
    if found is None:
        raise argparse.ArgumentTypeError("expected a whole number and s, m, h or d, such as 48h")
    return int(found[1]) * {"s": 1, "m": 60, "h": 3_600, "d": 86_400}[found[2]]
