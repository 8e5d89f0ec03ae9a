"""Programs that the tests start: of the environment, or of the machine."""

import os
import shutil
import sys
from pathlib import Path

import pytest

NODE, NPM = (str(Path(sys.executable).with_name(name)) for name in ("node", "npm"))

WITH_NODE = {"PATH": os.pathsep.join((str(Path(NODE).parent), os.environ["PATH"]))}
"""The environment of a program that looks for `node` or `npm` itself, as a script of npm does."""


def shell(name: str) -> str:
    """The path of a shell; without the shell CI fails, and another machine skips the test."""
    found = shutil.which(name)
    if found is None:
        (pytest.fail if "CI" in os.environ else pytest.skip)(f"{name} is not installed")
    return found
