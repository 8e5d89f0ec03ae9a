"""The name of the project that an agent works on, and the tag of the project's memories."""

import re
import subprocess
from pathlib import Path

MAX_NAME_CHARACTERS = 200
"""Below the 256 characters of a tag."""

_TIMEOUT_S = 1.0


def project_tag(name: str) -> str:
    return f"project:{name}"


def project_name(folder: Path) -> str:
    """The last two parts of the git remote `origin`, else the name of the project's folder.

    A remote's host, user, password, query and fragment stay out of the name.
    """
    name = _name_in_remote(_origin(folder)) or _root(folder).name or "root"
    return re.sub(r"[^\w./-]", "-", name.lower())[:MAX_NAME_CHARACTERS]


def _name_in_remote(remote: str) -> str:
    """`acme/billing` of `https://host/acme/billing.git` and of `git@host:acme/billing.git`."""
    remote = re.split("[?#]", remote, maxsplit=1)[0]
    path = re.sub(r"^[a-z0-9+.-]+://[^/]*", "", remote, flags=re.IGNORECASE)
    path = path.rpartition(":")[2] if path == remote else path
    parts = [part for part in path.removesuffix("/").removesuffix(".git").split("/") if part]
    return "/".join(parts[-2:])


def _origin(folder: Path) -> str:
    """The address of the remote; empty without git, repository or remote."""
    try:
        done = subprocess.run(
            ["git", "-C", folder, "config", "--get", "remote.origin.url"],
            capture_output=True, text=True, check=False, timeout=_TIMEOUT_S,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip()


def _root(folder: Path) -> Path:
    """The nearest folder with `.git`, else the folder itself."""
    for each in (folder, *folder.parents):
        if (each / ".git").exists():
            return each
    return folder
