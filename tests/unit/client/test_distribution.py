"""The client's own distribution."""

from pathlib import Path

ROOT = Path(__file__).parents[3]


def test_the_licence_of_the_client_is_the_licence_of_the_repository() -> None:
    own = (ROOT / "clients" / "python" / "LICENSE").read_text()

    assert own == (ROOT / "LICENSE").read_text()
