"""The project's name for memories: from the remote, without credentials, else from the folder."""

import subprocess
from pathlib import Path

import pytest

from membrane_cli.hooks import MAX_NAME_CHARACTERS, project_name, project_tag


def repository(folder: Path, remote: str) -> Path:
    folder.mkdir()
    for words in (["init", "--quiet"], ["remote", "add", "origin", remote]):
        subprocess.run(["git", "-C", folder, *words], check=True)
    return folder


@pytest.mark.parametrize(
    ("remote", "name"),
    [
        ("https://example.com/Acme/billing.git", "acme/billing"),
        ("https://ada:token@example.com/acme/billing", "acme/billing"),
        ("https://example.com/acme/billing.git?token=abc/d#e", "acme/billing"),
        ("git@example.com:acme/billing.git", "acme/billing"),
        ("ssh://git@example.com:22/group/acme/billing.git/", "acme/billing"),
        ("example.com:billing.git", "billing"),
        ("/srv/git/billing.git", "git/billing"),
        ("https://example.com/acme/b\u00fcro kasse", "acme/b\u00fcro-kasse"),
    ],
)
def test_the_name_is_the_end_of_the_remote(tmp_path: Path, remote: str, name: str) -> None:
    folder = repository(tmp_path / "folder", remote)
    below = folder / "below"
    below.mkdir()

    assert project_name(folder) == name
    assert project_name(below) == name


def test_without_a_remote_the_name_is_that_of_the_folder_with_git(tmp_path: Path) -> None:
    below = tmp_path / "Billing" / "src"
    below.mkdir(parents=True)
    (tmp_path / "Billing" / ".git").mkdir()

    assert project_name(below) == "billing"
    assert project_name(tmp_path / "absent") == "absent"
    assert project_name(Path("/")) == "root"


def test_a_long_name_is_cut_to_fit_a_tag(tmp_path: Path) -> None:
    folder = repository(tmp_path / "folder", f"https://example.com/acme/{'b' * 500}")

    assert len(project_tag(project_name(folder))) < 256
    assert len(project_name(folder)) == MAX_NAME_CHARACTERS
