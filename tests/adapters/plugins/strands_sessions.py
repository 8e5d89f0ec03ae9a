"""Puts MembraneSessionRepository in the place of the repository in Strands' fixtures."""

import sys
from types import ModuleType

import suite_without_moto  # noqa: F401 - before tests/conftest.py
from local_stack import new_client, new_scope

from membrane_client.strands import MembraneSessionRepository

FIXTURE = "tests.fixtures.mock_session_repository"


class MockedSessionRepository(MembraneSessionRepository):
    """Each in a scope of its own."""

    def __init__(self) -> None:
        super().__init__(new_client(), scope=new_scope())


_fixture = ModuleType(FIXTURE)
_fixture.MockedSessionRepository = MockedSessionRepository  # type: ignore[attr-defined]
sys.modules[FIXTURE] = _fixture
