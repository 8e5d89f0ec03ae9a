"""The file of a certificate: written once, and checked later."""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from membrane.domain.language.errors import InvalidArgument
from membrane_cli.output import print_json, print_rows

if TYPE_CHECKING:
    from membrane_client import Certificate


def require_new(path: Path) -> None:
    """Raise InvalidArgument unless the file can be made: before anything is erased."""
    if path.exists():
        raise InvalidArgument(f"{path} exists: name a new file with --certificate")
    if not (path.parent.is_dir() and os.access(path.parent, os.W_OK)):
        raise InvalidArgument(f"{path} cannot be written: name another file with --certificate")


def save(certificate: "Certificate", path: Path) -> None:
    """Write the certificate with all entries; raises FileExistsError."""
    with path.open("x", encoding="utf-8") as file:
        json.dump(certificate.raw, file, ensure_ascii=False, indent=1)
        file.write("\n")


def check_file(path: Path, *, as_json: bool) -> None:
    """Compare the entries with the signed hash, and print the facts of the certificate."""
    from membrane_client import check_certificate  # noqa: PLC0415 - help needs no client

    try:
        saved: Any = json.loads(path.read_text("utf-8"))
    except ValueError as error:
        raise InvalidArgument(f"{path} is not JSON: name the file of a certificate") from error
    check_certificate(saved)
    signed = saved["certificate"]
    shown = {name: signed.get(name) for name in ("erasure", "done_at", "entries", "unreadable")}
    if as_json:
        print_json({**shown, "entries_match": True})
        return
    print_rows(
        ("certificate", ""),
        [
            *((name, str(value)) for name, value in shown.items()),
            ("entries_match", "yes; docs/forget.md checks the signature"),
        ],
    )
