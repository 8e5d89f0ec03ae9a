"""The terminal of somebody who works through docs/operate.md."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from tests.worlds.pages import ROOT, manual, snippets_of

PAGE = manual("operate")
CURL = ROOT / "tests/e2e/curl.py"
AWS = ROOT / ".venv-rehearsal/bin/aws"
PROFILE = "membrane"
"""The profile that the page selects."""
OWNER: Mapping[str, Any] = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
"""The credentials of the account's owner."""
SHOWN_WITHIN_S = 120
"""A vector comes some seconds after its record, and a function starts slowly on a busy machine."""


def without_aws() -> dict[str, str]:
    """The environment of the tests without their account."""
    return {name: text for name, text in os.environ.items() if not name.startswith("AWS_")}


class Terminal:
    """Runs the commands of the page in bash, each block with the variables of the blocks before."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        """Take the profile that the page selects, and the programs `aws` and `curl`."""
        programs = folder / "bin"
        programs.mkdir(parents=True)
        (programs / "aws").symlink_to(AWS)
        curl = programs / "curl"
        curl.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{CURL}" "$@"\n')
        curl.chmod(0o755)
        profile = folder / "aws"
        settings = {"endpoint_url": endpoint, **OWNER}
        lines = [f"{name} = {text}" for name, text in settings.items()]
        profile.write_text("\n".join([f"[profile {PROFILE}]", *lines, ""]))
        self._environment = without_aws() | {
            "AWS_CONFIG_FILE": str(profile),
            "AWS_CA_BUNDLE": os.environ["SSL_CERT_FILE"],
            "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
            "SAM_CLI_TELEMETRY": "0",
        }
        self._variables = folder / "variables"
        self._variables.touch()

    def follow(self, title: str, changes: Mapping[str, str] | None = None) -> list[str]:
        """Run the commands of a section; the output of each block.

        A block with an `output` block below is repeated until it prints these lines. `changes`
        replaces what a reader replaces, such as the id of a key.
        """
        text = f"{PAGE.section(title)}\n"
        for before, after in (changes or {}).items():
            assert before in text, f"docs/operate.md, {title}: no {before}"
            text = text.replace(before, after)
        snippets = snippets_of(text)
        outputs = []
        for snippet, next_one in pairwise([*snippets, None]):
            if snippet is not None and snippet.language == "sh":
                shown = next_one and next_one.language == "output"
                lines = next_one.text.splitlines() if next_one and shown else []
                outputs.append(self.until(snippet.text, lines))
        assert outputs, f"docs/operate.md, {title}: no commands"
        return outputs

    def until(self, commands: str, lines: list[str]) -> str:
        """Run commands until their output has the lines."""
        end = time.monotonic() + SHOWN_WITHIN_S
        while True:
            output = self.run(commands)
            missing = [line for line in lines if line not in output]
            if not missing:
                return output
            assert time.monotonic() < end, f"{commands}\nlacks {missing}:\n{output}"
            time.sleep(1)

    def run(self, commands: str) -> str:
        """The output of commands, each of which must succeed; questions are answered with yes."""
        script = f"set -a; . {self._variables}\n{commands}\nset +a; export -p >{self._variables}\n"
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            input="y\n" * 9, capture_output=True, text=True, check=False, cwd=ROOT,
            env=self._environment,
        )  # fmt: skip
        assert done.returncode == 0, f"{commands}\n{done.stdout}\n{done.stderr}"
        return done.stdout
