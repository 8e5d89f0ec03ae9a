"""Texts become vectors by a model on this machine, where a package that runs models is installed.

The packages are hundreds of megabytes and their models are fetched from elsewhere, so what stands
here in their places has their interface alone; its vectors are lengths of texts.
"""

import math
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from membrane.adapters.embedders import local
from membrane.adapters.embedders.local import LocalEmbedder, UnusableModel

SENTENCE_TRANSFORMERS = """
import numpy as np

LOADED = []

class SentenceTransformer:
    def __init__(self, model_name_or_path=None, *, device=None):
        LOADED.append(model_name_or_path)

    def encode(self, inputs, batch_size=32, show_progress_bar=None, normalize_embeddings=False):
        assert type(inputs) is list and show_progress_bar is False
        return np.array([[len(text), 4.0, 0.0] for text in inputs], dtype=np.float32)
"""

FASTEMBED = """
import numpy as np

LOADED = []

class TextEmbedding:
    def __init__(self, model_name="BAAI/bge-small-en-v1.5", cache_dir=None, threads=None):
        LOADED.append(model_name)

    def embed(self, documents, batch_size=256, parallel=None):
        for text in documents:
            yield np.array([len(text), 4.0, 0.0], dtype=np.float32)
"""

Install = Callable[[str, str], None]


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A model of the test's own: what is loaded stays."""
    return str(tmp_path / "model")


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Nothing is installed but what is asked for."""
    monkeypatch.setattr(local, "find_spec", lambda name: (tmp_path / f"{name}.py").exists() or None)
    monkeypatch.syspath_prepend(tmp_path)

    def install(module: str, source: str) -> None:
        (tmp_path / f"{module}.py").write_text(source)
        monkeypatch.delitem(sys.modules, module, raising=False)

    yield install

    for module in ("sentence_transformers", "fastembed"):
        sys.modules.pop(module, None)


PACKAGES = pytest.mark.parametrize(
    ("module", "source"),
    [("sentence_transformers", SENTENCE_TRANSFORMERS), ("fastembed", FASTEMBED)],
)


@PACKAGES
def test_texts_become_vectors_of_length_1_in_their_order(
    install: Install, model: str, module: str, source: str
) -> None:
    install(module, source)

    vectors = LocalEmbedder.installed(model, 3).embed(["abc", "", "abcd", " \n"])

    assert vectors[0] == pytest.approx([0.6, 0.8, 0])
    assert vectors[2] == pytest.approx([math.sqrt(0.5), math.sqrt(0.5), 0])
    assert [list(vectors[empty]) for empty in (1, 3)] == [[0, 0, 0], [0, 0, 0]]


@PACKAGES
def test_the_model_is_loaded_once_and_not_before_there_is_a_text(
    install: Install, model: str, module: str, source: str
) -> None:
    install(module, source)
    embedder = LocalEmbedder.installed(model, 3)

    embedder.embed(["", " "])
    early = module in sys.modules
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(embedder.embed, [["a"], ["b"], ["c"], ["d"]]))

    loaded: list[str] = sys.modules[module].LOADED
    assert not early
    assert loaded == [model]


@PACKAGES
def test_another_number_of_dimensions_than_the_models_names_the_right_one(
    install: Install, model: str, module: str, source: str
) -> None:
    install(module, source)
    embedder = LocalEmbedder.installed(model, 256)

    with pytest.raises(UnusableModel, match="set MEMBRANE_EMBEDDING_DIMENSIONS to 3"):
        embedder.embed(["a"])


@pytest.mark.usefixtures("install")
def test_without_a_package_it_is_said_how_to_install_one(model: str) -> None:
    with pytest.raises(UnusableModel, match="run `pip install sentence-transformers`"):
        LocalEmbedder.installed(model, 384)


def test_its_name_tells_the_package_the_model_and_the_size(install: Install, model: str) -> None:
    install("fastembed", FASTEMBED)
    by_one = LocalEmbedder.installed(model, 384).name

    install("sentence_transformers", SENTENCE_TRANSFORMERS)
    by_the_other = LocalEmbedder.installed(model, 384).name

    assert by_one == f"fastembed-{model}-384"
    assert by_the_other == f"sentence-transformers-{model}-384"
