"""The emulated account, and the stack that docs/operate.md deploys into it."""

import os
import platform
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.rehearsal.deployed import Deployed
from tests.rehearsal.terminal import OWNER, Terminal, without_aws
from tests.worlds.pages import ROOT
from tests.worlds.quick_folders import quick_folder

EMULATOR = [str(ROOT / ".venv-rehearsal/bin/python"), str(Path(__file__).with_name("emulator.py"))]
PROCESSOR = "arm64" if platform.machine() in {"arm64", "aarch64"} else "x86_64"
"""Of the layers: functions run on this machine."""
READY_WITHIN_S = 60
BESIDE = "membrane-bedrock"
"""A second stack, with Bedrock as its embedder and a key of its own."""


@pytest.fixture(scope="session")
def folder() -> Iterator[Path]:
    """The place of layers, workers and logs."""
    with quick_folder() as made:
        yield made


@pytest.fixture(scope="session")
def endpoint(folder: Path) -> Iterator[str]:
    """The address of the emulated account, which checks the rights of every caller."""
    port = free_port()
    environment = {
        "AUTH": "true",
        "USE_SSL": "1",  # the policies of the template refuse requests without TLS
        "GATEWAY_PORT": str(port),
        "TMPDIR": str(folder),
        "LAMBDA_ACCOUNT_CONCURRENCY": "1000",
        "IOT_MTLS_ENABLED": "0",
        **{name.upper(): text for name, text in OWNER.items()},
    }
    log = folder / "emulator.log"
    with log.open("w") as output:
        process = subprocess.Popen(
            EMULATOR,
            env=without_aws() | environment,
            stdout=output,
            stderr=output,
            start_new_session=True,
        )
    try:
        until_open(port, process, log)
        with pytest.MonkeyPatch.context() as patch:
            trusted = folder / "trusted.pem"
            system = Path(ssl.get_default_verify_paths().cafile or os.devnull)
            own = folder / "ministack-tls/server.crt"
            trusted.write_bytes(system.read_bytes() + own.read_bytes())
            patch.setenv("SSL_CERT_FILE", str(trusted))
            yield f"https://localhost:{port}"
        assert process.poll() is None, log.read_text()
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def until_open(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    end = time.monotonic() + READY_WITHIN_S
    while True:
        with socket.socket() as caller:
            if caller.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert process.poll() is None, log.read_text()
        assert time.monotonic() < end, log.read_text()
        time.sleep(0.1)


@pytest.fixture(scope="session")
def terminal(folder: Path, endpoint: str) -> Terminal:
    return Terminal(folder / "terminal", endpoint)


@pytest.fixture(scope="session")
def stack(terminal: Terminal, endpoint: str) -> Iterator[Deployed]:
    """The stack `membrane`; beside it a stack with Bedrock as its embedder, as the page shows."""
    sam = "sam deploy --config-file infra/samconfig.toml"
    terminal.follow(
        "Deploy",
        {
            "make build": f"make build ARCHITECTURE={PROCESSOR}",
            f"{sam} --parameter-overrides": f"{sam} --stack-name {BESIDE} --parameter-overrides"
            " UseCustomerKey=true",
        },
    )
    deployed = Deployed("membrane", endpoint, terminal)
    with deployed.memory:
        yield deployed
