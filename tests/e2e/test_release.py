"""What a release must not be made without."""

import os
import subprocess

from tests.worlds.pages import ROOT


def test_an_audit_that_gets_no_answer_is_a_refusal() -> None:
    nobody = "http://127.0.0.1:9"
    closed = {"HTTPS_PROXY": nobody, "NO_PROXY": "", "no_proxy": "", "npm_config_registry": nobody}

    done = subprocess.run(
        [ROOT / "infra/audit.sh"],
        capture_output=True, text=True, check=False, env={**os.environ, **closed},
    )  # fmt: skip

    assert done.returncode == 1
    assert "PyPI did not answer" in done.stderr
    assert "npm's registry did not answer" in done.stderr
    assert "No known vulnerabilities" not in done.stdout
