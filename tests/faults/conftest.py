"""Every call in an order of its own: work that threads share is done by one."""

import pytest

from membrane.usecases.imports import import_lines
from membrane.usecases.machinery import calls


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the n-th call be the same call in every run."""
    monkeypatch.setattr(calls, "MAX_WORKERS", 1)
    monkeypatch.setattr(import_lines, "WORKERS", 1)
