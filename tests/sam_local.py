"""Every sample event through `sam local invoke`, in the container that SAM runs a function in."""

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import yaml

from membrane.wiring import services as wiring
from membrane_local.storage.table import ensure_table
from membrane_local.template import read_template
from tests.e2e.bucket import s3
from tests.sample_events import (
    PROJECT,
    SampleEvent,
    is_answer,
    keep_sample_erasure,
    keep_sample_key,
    keep_sample_receipt,
    keep_sample_studies,
    sample_events,
    sample_objects,
)
from tests.worlds import dynoxide_server

SAM = PROJECT / ".venv-sam/bin/sam"
BUILD = PROJECT / ".aws-sam/local"
NOTHING_RUN = (
    "make test-sam: Docker is not running here, so nothing was run. "
    "`make test` runs the same events through the same built functions, under AWS's runtime client."
)


NOT_LINUX = (
    "make test-sam: only on Linux do containers share the network of the machine, where table and "
    "bucket are, so nothing was run."
)


def main() -> int:
    """0 where every function answered, else 1; also where they cannot be run."""
    if platform.system() != "Linux":
        print(NOT_LINUX, file=sys.stderr)
        return 1
    if not _docker_runs():
        print(NOTHING_RUN, file=sys.stderr)
        return 1
    architecture = "arm64" if platform.machine() in ("arm64", "aarch64") else "x86_64"
    make = ["make", "build", f"ARCHITECTURE={architecture}", f"BUILD={BUILD}"]
    subprocess.run(make, cwd=PROJECT, check=True)
    with local_cloud() as environment:
        template = local_template(BUILD / "build", environment)
        failed = [each.name for each in sample_events() if not _answers(each, template)]
    print(f"{len(sample_events()) - len(failed)} events answered; failed: {failed or 'none'}")
    return 1 if failed else 0


def local_template(built: Path, environment: Mapping[str, str]) -> Path:
    """The built template with more variables, for SAM hands on only what a template declares."""
    document = yaml.safe_load((built / "template.yaml").read_text("utf-8"))
    document["Globals"]["Function"]["Environment"]["Variables"] |= environment
    parameters = document["Parameters"]
    parameters["DirectPrincipal"]["Default"] = parameters["BusPrincipal"]["Default"]
    path = built / "template-local.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False), "utf-8")
    return path


@contextmanager
def local_cloud() -> Iterator[dict[str, str]]:
    """A table and a bucket on this machine, as a function's environment names them."""
    template = read_template(PROJECT / "template.yaml")
    os.environ |= {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
    os.environ |= {"AWS_DEFAULT_REGION": "us-east-1", "SAM_CLI_TELEMETRY": "0"}
    with ExitStack() as stack:
        table = stack.enter_context(dynoxide_server.run_server(None))
        bucket = stack.enter_context(s3(sample_objects()))
        client = wiring.dynamodb_client(table)
        ensure_table(client, template.table_id, template.table)
        keep_sample_key(client, template.table_id)
        keep_sample_receipt(client, template.table_id)
        keep_sample_erasure(client, template.table_id)
        keep_sample_studies(client, template.table_id)
        yield {
            "AWS_ENDPOINT_URL_DYNAMODB": table,
            "AWS_ENDPOINT_URL_S3": bucket,
            "AWS_ENDPOINT_URL_KMS": bucket,  # signs, too
            "AWS_ENDPOINT_URL_SFN": bucket,  # starts executions, too
        }


def invocation(event: SampleEvent, template: Path) -> list[str]:
    """The command; containers share the machine's network, where table and bucket are."""
    return [
        *(str(SAM), "local", "invoke", event.function.logical_id),
        *("--event", str(event.path), "--template", str(template), "--docker-network", "host"),
    ]


def _answers(event: SampleEvent, template: Path) -> bool:
    done = subprocess.run(
        invocation(event, template), stdout=subprocess.PIPE, text=True, check=False
    )
    print(f"{event.name}: {done.stdout.strip()[:200]}")
    return done.returncode == 0 and is_answer(_reply(done.stdout))


def _reply(said: str) -> Any:
    try:
        return json.loads(said.strip().splitlines()[-1])
    except (IndexError, ValueError):
        return None


def _docker_runs() -> bool:
    try:
        return subprocess.run(["docker", "info"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


if __name__ == "__main__":
    sys.exit(main())
