"""The services of keyed documents: over the usual ones, with an embedder that is loaded late."""

import subprocess
import sys

SCRIPT = """
import os, sys
os.environ.update(MEMBRANE_TABLE="t", MEMBRANE_BUCKET="b", AWS_DEFAULT_REGION="eu-central-1")
from membrane.wiring.start import world
assert world() is world()
assert world().documents is world().but(pause=None).documents
before = {"numpy", "onnxruntime", "membrane.domain.search.relevance"} & set(sys.modules)
embedder = world().embedders[0]
print(sorted(before), embedder.dimensions, embedder is world().embedders[0])
"""


def test_the_embedder_and_numpy_are_loaded_for_the_first_text_alone() -> None:
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )

    assert said.stdout.strip() == "[] 384 True"
