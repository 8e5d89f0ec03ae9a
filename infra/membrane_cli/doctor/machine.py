"""A finding, and the findings about the machine; looks by the standard library alone."""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from platform import python_version

from membrane_local.dev_options import TEMPLATE


@dataclass(frozen=True, slots=True)
class Diagnosis:
    name: str
    found: str
    advice: str = ""
    is_fatal: bool = False
    """Whether the local stack cannot run, or a named stack lacks something, because of it."""

    @property
    def mark(self) -> str:
        """The first word of the line."""
        return "wrong" if self.is_fatal else "note" if self.advice else "ok"


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
    missing = [name for name in PACKAGES if find_spec(name) is None]
    again = "install the project again: `pip install .`, or `make setup`"
    yield _requirement("packages", ", ".join(missing), "all there", again)
    encoder = "" if find_spec("membrane_encoder") else "membrane_encoder"
    yield _requirement("encoder", encoder, "all-MiniLM-L6-v2", again)
    template = "" if TEMPLATE.is_file() else str(TEMPLATE)
    yield _requirement("template", template, str(TEMPLATE), again)


def _requirement(name: str, missing: str, found: str, advice: str) -> Diagnosis:
    if missing:
        return Diagnosis(name, f"missing: {missing}", advice, is_fatal=True)
    return Diagnosis(name, found)
