"""Run every published suite, then our own tests of the adapters, against one local stack.

    python -m tests.adapters [NAME ...]

NAME is a suite of `tests/adapters/suites.py` by its plugin, or `own`; all of them without a name.
The tests run in `.venv-adapters`, which has the frameworks and the client, without the service.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.adapters.suites import HERE, SUITES, Suite
from tests.e2e.stack import Stack, dev

ROOT = HERE.parent.parent
ENVIRONMENT = ROOT / ".venv-adapters"
SOURCES = ENVIRONMENT / "suites"
OWN = "own"


def main(names: Sequence[str]) -> int:
    """The number of suites that failed; exits with a message for an unknown name."""
    known = {suite.plugin: suite for suite in SUITES}
    every = [*known, OWN]
    wanted = names or every
    if unknown := [name for name in wanted if name not in every]:
        sys.exit(f"no suite {', '.join(unknown)}; there are {', '.join(every)}")
    failed = []
    with dev() as stack:
        for name in wanted:
            sys.stdout.write(f"== {name}\n")
            sys.stdout.flush()
            if _run_own(stack) if name == OWN else _run(known[name], stack):
                failed.append(name)
    for name in failed:
        sys.stdout.write(f"failed: {name}\n")
    return len(failed)


def _run(suite: Suite, stack: Stack) -> int:
    """The exit status of pytest."""
    source = SOURCES / suite.source
    asked = ["-p", "published", "-p", suite.plugin, *suite.options, *suite.paths]
    told = {
        "SUITE_FAILURES": str(suite.failures) if suite.failures.exists() else "",
        "SUITE_PASSES": str(suite.passes),
    }
    return _pytest(asked, source, stack, told)


def _run_own(stack: Stack) -> int:
    folder = str(HERE / OWN)
    options = ["-c", str(HERE / "own.ini"), "--rootdir", folder, "--confcutdir", folder]
    return _pytest(["-p", "local_stack", *options, folder], ROOT, stack, {})


def _pytest(asked: Sequence[str], folder: Path, stack: Stack, told: dict[str, str]) -> int:
    path = os.pathsep.join([str(HERE / "plugins"), str(ROOT / "clients" / "python")])
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_DEFAULT_REGION": "eu-central-1",
        "AWS_EC2_METADATA_DISABLED": "true",
        "MEMBRANE_URL": stack.url,
        "MEMBRANE_API_KEY": stack.secret,
        "PYTHONPATH": path,
        **told,
    }
    command = [str(ENVIRONMENT / "bin" / "python"), "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    return subprocess.run([*command, *asked], cwd=folder, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
