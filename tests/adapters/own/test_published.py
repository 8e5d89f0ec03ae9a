"""The plugin that holds a published suite to its list of failures."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CASE = """
def test_that_cannot_pass():
    raise OSError
"""


@pytest.mark.parametrize("is_alive", [True, False])
def test_listed_failures_pass_for_as_much_only_while_the_stack_answers(
    tmp_path: Path, *, is_alive: bool
) -> None:
    (tmp_path / "test_case.py").write_text(CASE, encoding="utf-8")
    failures = tmp_path / "failures.toml"
    failures.write_text(
        '[failures]\n"test_case.py::test_that_cannot_pass" = "no"\n', encoding="utf-8"
    )
    asked = {"SUITE_PASSES": "0", "SUITE_FAILURES": str(failures)}
    dead = {} if is_alive else {"MEMBRANE_URL": "http://127.0.0.1:9"}

    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "published", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**os.environ, **asked, **dead},
        check=False,
        capture_output=True,
        text=True,
    )

    assert "0 of 0 stated cases passed, 1 listed failed" in run.stdout
    assert (run.returncode == 0) == is_alive
    assert ("the stack does not answer" in run.stdout) == (not is_alive)
