"""Which published tests run on which adapter; the sources are pinned in requirements/suites.txt."""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Suite:
    """Tests in the source distribution of a framework, which stay as they are."""

    name: str
    source: str
    """The folder of the unpacked source distribution."""
    paths: tuple[str, ...]
    """Within the source."""
    plugin: str
    """The module in `plugins` that puts the adapter in the place of the framework's own class."""
    passes: int
    """How many cases pass; fewer fail the run."""
    options: tuple[str, ...] = ()

    @property
    def failures(self) -> Path:
        """The cases that cannot pass, by name, each with the reason."""
        return HERE / f"{self.plugin}.toml"


SUITES: tuple[Suite, ...] = (
    Suite(
        name="LangGraph store",
        source="langgraph_checkpoint_sqlite-3.1.2",
        paths=("tests/test_store.py", "tests/test_async_store.py", "tests/test_ttl.py"),
        plugin="langgraph_suite",
        passes=138,
    ),
    Suite(
        name="Claude's memory tool",
        source="anthropic-2.10.0",
        paths=("tests/lib/tools/memory_tools/test_filesystem.py",),
        plugin="claude_memory",
        passes=74,
        options=("--noconftest", "-o", "addopts="),
    ),
    Suite(
        name="Strands sessions",
        source="strands_agents-1.62.0",
        paths=("tests/strands/session/test_repository_session_manager.py",),
        plugin="strands_sessions",
        passes=51,
    ),
    Suite(
        name="Strands snapshots",
        source="strands_agents-1.62.0",
        paths=(
            "tests/strands/session/test_snapshot_session_manager.py",
            "tests/strands/storage/test_in_memory_storage.py",
            "tests/strands/storage/test_storage.py",
        ),
        plugin="strands_snapshots",
        passes=172,
    ),
    Suite(
        name="OpenAI Agents sessions",
        source="openai_agents-0.24.0",
        paths=("tests/memory/test_session.py",),
        plugin="openai_agents_suite",
        passes=38,
    ),
    Suite(
        name="Pydantic AI memory stores",
        source="pydantic_ai_memory_core-0.1.0",
        paths=("tests/test_core.py",),
        plugin="pydantic_ai_suite",
        passes=15,
        options=(
            *("-c", "pyproject.toml", "-o", "asyncio_mode=auto"),
            *("-o", "asyncio_default_fixture_loop_scope=function"),
        ),
    ),
)
