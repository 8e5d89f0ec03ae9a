"""The layers as they are deployed, for arm64, under QEMU and without /sys, as in Lambda."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from membrane.adapters.sentence_encoder import SentenceEncoder
from membrane_local.template import read_template
from tests.worlds.pages import ROOT
from tests.worlds.template import TEMPLATE

GUEST = ROOT / ".arm64"
"""The root directory that infra/arm64_root.sh made."""
QEMU = ("/qemu-aarch64-static", "-cpu", "neoverse-n1")
"""Graviton2 has the processor."""
CHROOT = ["chroot", str(GUEST)] if os.geteuid() == 0 else ["unshare", "-r", "chroot", str(GUEST)]
LAYERS = ("membrane", "numeric", "encoder")
FOLDERS = [f"/opt/{each}" for each in LAYERS]

SENTENCES = (
    "The build of the payment service failed because a test ran out of time.",
    "Alice moved from Paris to Berlin in March and works from home on Fridays.",
    "Refunds take up to five working days.",
    "The staging database is reset every Monday at six.",
    "Bob prefers green tea and dislikes coffee.",
    "How long does a refund take?",
    "Where does Alice live now?",
    "Rotate the signing key after the incident.",
    "The customer asked twice for an invoice with the old address.",
    "Deployments are frozen from 20 December to 2 January.",
    "pytest -q tests/unit ended with exit code 1",
    "The queue is full; retry with backoff.",
    "No.",
    "Her daughter starts school in September.",
    "The meeting was moved from Tuesday to Thursday.",
    "An index was added to the table of orders, and the query became ten times faster.",
    "I like hiking in the mountains when it does not rain.",
    "The API answers 429 above one hundred requests a second.",
    "What did we decide about the price of the small plan?",
    "Die Rechnung kam am Montag.",
)


@pytest.fixture(scope="module", autouse=True)
def _layers() -> None:
    """Build the layers into the guest."""
    build = ROOT / "layers/membrane/build_layer.py"
    for each in LAYERS:
        into = GUEST / "opt" / each
        subprocess.run([sys.executable, str(build), str(into), "arm64", each], check=True)


def run(program: str, *arguments: str, given: str = "") -> str:
    """The output of a program in the guest."""
    (python,) = (GUEST / "usr/bin").glob("python3.*")
    command = [*CHROOT, *QEMU, f"/usr/bin/{python.name}", "-c", program, *arguments]
    done = subprocess.run(
        command,
        input=given,
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": "/usr/sbin:/usr/bin"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_sentences_have_nearly_the_vectors_of_this_machine() -> None:
    program = Path(__file__).with_name("encode.py").read_text()

    there = json.loads(run(program, *FOLDERS, given=json.dumps(SENTENCES)))

    here = SentenceEncoder().embed(SENTENCES)
    cosines = (np.array(there) * np.array(here)).sum(axis=1)
    assert cosines.min() >= 0.99, cosines
    assert nearest(there) == nearest(here)


def nearest(vectors: Sequence[Sequence[float]]) -> list[int]:
    """For each sentence, the number of the sentence that is most like it."""
    likeness = np.array(vectors) @ np.array(vectors).T
    np.fill_diagonal(likeness, -1)
    return [int(each) for each in likeness.argmax(axis=1)]


def test_every_handler_is_imported() -> None:
    shutil.copytree(ROOT / "functions", GUEST / "functions", dirs_exist_ok=True)
    folders = [each.folder.name for each in read_template(TEMPLATE).functions]
    program = "import sys, importlib; sys.path[:0] = sys.argv[2:]; "
    program += (
        "[importlib.import_module(f'functions.{each}.handler') for each in sys.argv[1].split(',')]"
    )

    run(program, ",".join(folders), "/", *FOLDERS)
