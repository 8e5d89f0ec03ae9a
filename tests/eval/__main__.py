"""Runs the lifecycle evaluations, named or all, and prints a line for each; ends with 1 on failure.

python -m tests.eval [retraction] [reinforcement] [supersession] [decay]
    [contest] [validity] [restore] [conflict]
"""

import sys
from collections.abc import Sequence

import tests.conftest  # noqa: F401 - as in every test, no real account can be touched
from tests.e2e.stack import dev
from tests.eval.evaluations import EVALUATIONS, evaluated
from tests.eval.verdict import shown


def main(chosen: Sequence[str]) -> int:
    """Run the evaluations on a local stack of their own."""
    unknown = set(chosen) - EVALUATIONS.keys()
    if unknown:
        raise SystemExit(f"eval: there is no evaluation {', '.join(sorted(unknown))}")
    with dev("--api-key", "local-key") as stack:
        return shown(evaluated(chosen or list(EVALUATIONS), stack))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
