"""Holds a published suite to its list of cases that cannot pass, and to the number that pass."""

import os
import tomllib
from collections import Counter
from pathlib import Path
from urllib.request import urlopen

import pytest

pytest_plugins = ["local_stack"]

_PASSES = int(os.environ["SUITE_PASSES"])
_seen: Counter[str] = Counter()
_unknown: list[str] = []
_silent: list[str] = []


def _reasons() -> dict[str, str]:
    """By the name of a case, or of a test for all its cases, the reason why it cannot pass."""
    path = os.environ["SUITE_FAILURES"]
    return tomllib.loads(Path(path).read_text(encoding="utf-8"))["failures"] if path else {}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A named case must fail: one that passes fails the run, and so does an unknown name."""
    reasons, used = _reasons(), set()
    for item in items:
        for name in (item.nodeid, item.nodeid.partition("[")[0]):
            if name in reasons:
                used.add(name)
                item.add_marker(pytest.mark.xfail(reason=reasons[name], strict=True))
                break
    _unknown.extend(sorted(reasons.keys() - used))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call":
        _seen["xfailed" if hasattr(report, "wasxfail") else report.outcome] += 1


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Fail a run in which fewer cases pass than stated, or a listed case does not exist.

    Without a stack every listed case fails for another reason: such a run fails, too.
    """
    _silent.extend(_without_answer())
    if _silent or _unknown or _seen["passed"] < _PASSES:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _without_answer() -> list[str]:
    """Why the stack does not answer; empty for a stack that answers."""
    try:
        with urlopen(f"{os.environ['MEMBRANE_URL']}/health", timeout=30):  # noqa: S310 - loopback
            return []
    except OSError as error:
        return [f"the stack does not answer at the end of the run: {error}"]


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    write = terminalreporter.write_line
    write(f"{_seen['passed']} of {_PASSES} stated cases passed, {_seen['xfailed']} listed failed")
    for reason in _silent:
        write(reason)
    for name in _unknown:
        write(f"listed as a failure, but there is no such case: {name}")
