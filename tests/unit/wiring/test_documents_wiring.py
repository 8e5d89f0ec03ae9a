"""The services of keyed documents: over the usual ones, with an embedder that is loaded late."""

import subprocess
import sys

SCRIPT = """
import os, sys
os.environ.update(MEMBRANE_TABLE="t", MEMBRANE_BUCKET="b", AWS_DEFAULT_REGION="eu-central-1")
from membrane.wiring.documents import document_services
services = document_services()
assert services is document_services()
before = {"numpy", "onnxruntime", "membrane.wiring.search"} & set(sys.modules)
embedder = services.embedder()
print(sorted(before), embedder.dimensions, embedder is services.embedder())
"""


def test_the_embedder_and_numpy_are_loaded_for_the_first_text_alone() -> None:
    said = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True
    )

    assert said.stdout.strip() == "[] 384 True"
