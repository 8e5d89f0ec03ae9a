"""What `make artefacts` makes of a build: zips, template, SBOMs and hashes that agree."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from build_encoder import MODEL_SHA256
from membrane_local.template import read_document
from tests.e2e.once import made_once
from tests.e2e.runtime_api import ENCODER_LAYER, LAYER, NUMERIC_LAYER
from tests.worlds.pages import ROOT, manual
from tests.worlds.serving import serving

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="sha256sum is a program of Linux")

LOCKS = {LAYER: "runtime", NUMERIC_LAYER: "numeric", ENCODER_LAYER: "encoder"}
PYTHON = ROOT / ".venv-release/bin/python"
SUMS = "SHA256SUMS"
ZIP = r"[0-9a-f]{64}\.zip"


@pytest.fixture(scope="session")
def release(built: Path) -> Path:
    """The folder of a release of the build: once, whatever the number of workers."""

    def make(folder: Path) -> None:
        done = ["--old-file=.venv/.ready", "--old-file=.venv-release/.ready", "--old-file=build"]
        places = [f"BUILD={built.parent}", f"RELEASE={folder}"]
        made = subprocess.run(
            ["make", *done, "artefacts", *places],
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr

    return made_once(built.parent / "release", make)


@pytest.mark.parametrize("layer", LOCKS)
def test_the_wheels_of_a_layer_stand_in_its_sbom_with_hashes_of_the_lock_and_nothing_else_does(
    release: Path, layer: str
) -> None:
    sbom = json.loads((release / f"{layer}.cdx.json").read_text())
    wheels, models = (
        {named(each["name"], each.get("version", "")): sha256(each) for each in sbom["components"]
         if each["type"] == kind}
        for kind in ("library", "machine-learning-model")
    )  # fmt: skip
    lock = pinned((ROOT / f"requirements/{LOCKS[layer]}.txt").read_text())

    with zipfile.ZipFile(release / f"{sha256(sbom['metadata']['component'])}.zip") as archive:
        inside = re.findall(r"^python/(\S+)-(\S+)\.dist-info/METADATA$",
                            "\n".join(archive.namelist()), re.MULTILINE)  # fmt: skip
    assert wheels.keys() == lock.keys() == {named(*each) for each in inside}
    assert [each for each, found in wheels.items() if found not in lock[each]] == []
    assert [*models.values()] == ([MODEL_SHA256] if layer == ENCODER_LAYER else [])


def named(name: str, version: str) -> tuple[str, str]:
    return re.sub(r"[-_.]+", "-", name).lower(), version


def sha256(component: Mapping[str, Any]) -> str:
    (found,) = component["hashes"]
    assert found["alg"] == "SHA-256"
    return str(found["content"])


def pinned(lock: str) -> dict[tuple[str, str], set[str]]:
    """The hashes of each release in a lock file."""
    entries = re.findall(r"^([\w.-]+)==(\S+)((?:.*\\\n)+.*)", lock, re.MULTILINE)
    return {
        named(name, version): set(re.findall(r"--hash=sha256:(\w{64})", rest))
        for name, version, rest in entries
    }


def test_a_changed_byte_of_any_file_is_found(release: Path, tmp_path: Path) -> None:
    files = {path.name for path in release.iterdir()} - {SUMS}
    for name in (SUMS, *files):
        (tmp_path / name).symlink_to(release / name)
    check = ["sha256sum", "--check", "--quiet", SUMS]
    subprocess.run(check, cwd=tmp_path, check=True)

    for name in files:
        changed = bytearray((release / name).read_bytes())
        changed[len(changed) // 2] ^= 1
        (tmp_path / name).unlink()
        (tmp_path / name).write_bytes(changed)

    found = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 1
    assert {line.removesuffix(": FAILED") for line in found.stdout.splitlines()} == files
    kinds = {re.sub(ZIP, ".zip", name) for name in files}
    assert {"template.json", ".zip", "CHANGELOG.md"} < kinds
    assert sorted(Path(name).suffix for name in kinds if "membrane" in name) == [
        *(".gz", ".gz", ".tgz", ".whl", ".whl")
    ]


def test_the_template_names_the_zip_of_each_folder(release: Path, built: Path) -> None:
    resources = json.loads((release / "template.json").read_text())["Resources"]
    kinds = {"AWS::Lambda::Function": "Code", "AWS::Lambda::LayerVersion": "Content"}
    places = {
        name: each["Properties"][kinds[each["Type"]]]
        for name, each in resources.items()
        if each["Type"] in kinds
    }

    folders = [path for path in built.iterdir() if path.is_dir()]
    for folder in folders:
        (place,) = (each for name, each in places.items() if name.startswith(folder.name))
        prefix, name = place["S3Key"]["Fn::Sub"].split("}")
        assert (prefix, place["S3Bucket"]) == ("${ArtifactPrefix", {"Ref": "ArtifactBucket"})
        with zipfile.ZipFile(release / name) as archive:
            for entry in archive.infolist():
                file = folder / entry.filename
                assert entry.external_attr >> 16 & 0o100 == file.stat().st_mode & 0o100
                assert entry.file_size == file.stat().st_size
            files = {each for each in folder.rglob("*") if each.is_file()}
            assert {folder / each for each in archive.namelist()} == files
    assert len(folders) == len(places)


def test_a_build_at_another_time_gives_the_same_bytes(
    release: Path, built: Path, tmp_path: Path
) -> None:
    copy, again = tmp_path / "built", tmp_path / "release"
    shutil.copytree(built, copy, copy_function=shutil.copy)  # the permissions, not the times
    again.mkdir()
    shutil.copy(ROOT / "CHANGELOG.md", again)
    committed = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True)

    subprocess.run(
        [PYTHON, ROOT / "infra/release.py", copy, again],
        check=True, env={**os.environ, "SOURCE_DATE_EPOCH": committed},
    )  # fmt: skip

    before, after = (set((each / SUMS).read_text().splitlines()) for each in (release, again))
    assert {line for line in before if "membrane" not in line} == after


def test_the_lines_for_terraform_name_parameters_of_the_template(release: Path) -> None:
    (lines,) = (each for each in manual("deploy-elsewhere").snippets if each.language == "hcl")
    code = "import hcl2, json, sys; print(json.dumps(hcl2.load(sys.stdin)))"
    read = subprocess.check_output([PYTHON, "-c", code], input=lines.text, text=True)
    template = json.loads((release / "template.json").read_text())

    (resource,) = json.loads(read.replace('\\"', ""))["resource"]
    (stack,) = resource["aws_cloudformation_stack"].values()
    needed = {name for name, each in template["Parameters"].items() if "Default" not in each}
    assert needed <= stack["parameters"].keys() <= template["Parameters"].keys()
    own = template["Parameters"].keys() - read_document(ROOT / "template.yaml")["Parameters"].keys()
    assert stack["parameters"].keys() == own
    assert stack["template_url"].endswith(f"/{stack['parameters']['ArtifactPrefix']}template.json")


def test_the_template_holds_in_every_partition_and_keeps_the_reference_to_the_origins(
    release: Path,
) -> None:
    text = (release / "template.json").read_text()
    body = json.loads(text)["Resources"]["HttpApi"]["Properties"]["Body"]

    (scheme,) = body["components"]["securitySchemes"].values()
    uri, _ = scheme["x-amazon-apigateway-authorizer"]["authorizerUri"]["Fn::Sub"]
    assert uri.startswith("arn:${AWS::Partition}:apigateway:${AWS::Region}:")
    assert "arn:aws:" not in text
    _, cors, _ = body["x-amazon-apigateway-cors"]["Fn::If"]
    assert cors["allowOrigins"] == {"Fn::Split": [",", {"Ref": "CorsOrigins"}]}


def test_a_template_that_names_a_partition_is_refused(release: Path) -> None:
    template = json.loads((release / "template.json").read_text())
    template["Description"] = "arn:aws:s3:::my-artifacts"
    code = "import json, release, sys; release.transform(json.load(sys.stdin))"

    done = subprocess.run(
        [PYTHON, "-c", code],
        input=json.dumps(template), cwd=ROOT / "infra",
        capture_output=True, text=True, check=False,
    )  # fmt: skip

    assert done.returncode == 1
    assert "names the partition aws" in done.stderr


class Empty(BaseHTTPRequestHandler):
    """Answers each question with an empty object, as a registry without a list of advisories."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(200)
        self.send_header("content-length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def empty() -> Iterator[str]:
    """The address of a registry that knows no vulnerability."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Empty)
    with serving(server):
        yield f"http://127.0.0.1:{server.server_port}"


def audited(registry: str) -> "subprocess.CompletedProcess[str]":
    """An audit that asks a registry in place of PyPI's advisories and npm's."""
    places = {
        "PIP_AUDIT_VULNERABILITY_SERVICE": "osv",  # pip-audit knows no other address for PyPI
        "PIP_AUDIT_OSV_URL": registry,
        "npm_config_registry": registry,
        "npm_config_fetch_retries": "0",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
    }
    return subprocess.run(
        [ROOT / "infra/audit.sh"],
        capture_output=True, text=True, check=False, env={**os.environ, **places},
    )  # fmt: skip


def test_an_audit_that_gets_an_empty_answer_is_a_refusal(empty: str) -> None:
    done = audited(empty)

    assert "No known vulnerabilities found" in done.stderr  # of a release with vulnerabilities
    assert "PyPI did not answer" in done.stderr
    assert "npm's registry did not answer" in done.stderr
    assert (done.returncode, done.stdout) == (1, "")


def test_an_audit_that_gets_no_answer_is_a_refusal() -> None:
    done = audited("http://127.0.0.1:9")

    assert "PyPI did not answer" in done.stderr
    assert "npm's registry did not answer" in done.stderr
    assert (done.returncode, done.stdout) == (1, "")
