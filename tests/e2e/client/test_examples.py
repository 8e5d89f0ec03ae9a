"""The examples of the client's README run, unchanged, in processes of their own."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.stack import Stack

README = Path(__file__).parents[3] / "clients" / "python" / "README.md"
EXAMPLES: list[str] = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
SAID = (
    r"three servers[\s\S]*moved in November Lambda",
    r"'score': 3[\s\S]*Good morning[\s\S]*'ada'[\s\S]*version 1, not the expected version 2",
    r"(.+ \d\n){10}",
    r"404 NOT_FOUND record",
)
"""The least output of the examples."""


@pytest.mark.parametrize(("example", "said"), [*zip(EXAMPLES, SAID, strict=True)])
def test_an_example_does_what_it_says(stack: Stack, example: str, said: str) -> None:
    environment = {**os.environ, "MEMBRANE_URL": stack.url, "MEMBRANE_API_KEY": stack.secret}

    done = subprocess.run(
        [sys.executable, "-c", example],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 0, done.stderr
    assert re.search(said, done.stdout), done.stdout
