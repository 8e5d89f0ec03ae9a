"""Build a layer for Lambda's Python and a processor: the package, numpy or the encoder.

    python build_layer.py FOLDER (arm64 | x86_64) (membrane | numeric | encoder)

Any Python from 3.11 on with pip 23 or later can build a layer. Bytecode needs an interpreter of
Lambda's version; the model of the encoder needs the packages of requirements/dev.txt.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterable
from importlib.metadata import Distribution
from pathlib import Path

LAMBDA_PYTHON = "3.13"
PLATFORMS = {
    "arm64": ("manylinux2014_aarch64", "manylinux_2_28_aarch64"),
    "x86_64": ("manylinux2014_x86_64", "manylinux_2_28_x86_64"),
}
"""Wheel platforms for Amazon Linux 2023, which has glibc 2.34."""

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
NOT_SHIPPED = ("RECORD", "INSTALLER", "REQUESTED")
"""Files in `dist-info` about this installation by pip; licences and versions are shipped."""
WHEEL_HASH = "WHEEL.sha256"
"""In `dist-info`, the SHA-256 of the installed wheel; a lock pins the wheels of every platform."""
UNUSED_OF_NUMPY = ("**/tests", "**/include", "**/*.a", "**/*.pyi")
"""Files for the development of numpy."""
UNUSED_OF_ONNXRUNTIME = (
    *("backend", "datasets", "quantization", "tools", "transformers"),
    "capi/libonnxruntime.so.*",  # for callers in C; the Python module has a copy of the library
)


def build(into: Path, architecture: str, layer: str) -> None:
    """Fill the folder, and print the size of the layer and the kind of bytecode."""
    if architecture not in PLATFORMS:
        raise SystemExit(f"a layer is built for {' or '.join(PLATFORMS)}, not {architecture!r}")
    if layer not in LAYERS:
        raise SystemExit(f"the layers are {', '.join(LAYERS)}; there is no {layer!r}")
    shutil.rmtree(into, ignore_errors=True)
    LAYERS[layer](into, PLATFORMS[architecture])
    bytecode = compile_for_lambda(into, interpreters())
    print(f"layer {layer} for {architecture}: {size(into)}; {bytecode}")


def fill_membrane(into: Path, platforms: Iterable[str]) -> None:
    """Install the package and its dependencies."""
    install(into, platforms, PROJECT / "requirements/runtime.txt")
    (sentencex,) = into.glob("sentencex-*.dist-info")  # the wheel has no licence file
    shutil.copy(HERE / "LICENSE.sentencex", sentencex)
    shutil.copytree(HERE / "membrane", into / "membrane", ignore=lambda *_: ["__pycache__"])
    trim(into)


def fill_numeric(into: Path, platforms: Iterable[str]) -> None:
    """Install numpy without the files that no function needs."""
    install(into, platforms, PROJECT / "requirements/numeric.txt")
    remove(path for name in UNUSED_OF_NUMPY for path in into.glob(f"numpy/{name}"))


def fill_encoder(into: Path, platforms: Iterable[str]) -> None:
    """Install the model and its runtime; numpy has a layer of its own."""
    encoder = PROJECT / "layers/encoder"
    install(into, platforms, PROJECT / "requirements/encoder.txt")
    remove(path for name in UNUSED_OF_ONNXRUNTIME for path in into.glob(f"onnxruntime/{name}"))
    (tokenizers,) = into.glob("tokenizers-*.dist-info")  # the wheel has no licence file
    shutil.copy(encoder / "LICENSE.APACHE", tokenizers)
    subprocess.run([sys.executable, "-B", encoder / "build_encoder.py"], check=True)
    model = Path(sysconfig.get_path("purelib")) / "membrane_encoder"
    shutil.copytree(model, into / "membrane_encoder", ignore=lambda *_: ["__pycache__"])


def remove(unused: Iterable[Path]) -> None:
    """Delete files and whole folders."""
    for path in list(unused):
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


LAYERS = {"membrane": fill_membrane, "numeric": fill_numeric, "encoder": fill_encoder}


def install(into: Path, platforms: Iterable[str], requirements: Path) -> None:
    """Install the locked requirements with the hashes, without files about this installation."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.json")
        subprocess.run(
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
                *("--no-compile", "--no-deps", "--require-hashes", "--only-binary", ":all:"),
                *(word for platform in platforms for word in ("--platform", platform)),
                *("--python-version", LAMBDA_PYTHON, "--target", into),
                *("--requirement", requirements, "--report", report),
            ],
            check=True,
        )
        installed = json.loads(report.read_text("utf-8"))["install"]
    sha256 = {
        each["metadata"]["name"]: each["download_info"]["archive_info"]["hashes"]["sha256"]
        for each in installed
    }
    for path in into.glob("*.dist-info"):
        (path / WHEEL_HASH).write_text(sha256[Distribution.at(path).metadata["Name"]])
    shutil.rmtree(into / "bin", ignore_errors=True)
    for name in NOT_SHIPPED:
        for path in into.glob(f"*.dist-info/{name}"):
            path.unlink()


def trim(into: Path) -> None:
    """Trim botocore's data with the locked botocore; the building interpreter may have none."""
    script = HERE / "trim_botocore.py"
    subprocess.run(
        [sys.executable, "-B", script, into / "membrane", into / "botocore/data"],
        check=True,
        env={**os.environ, "PYTHONPATH": str(into)},
    )


def interpreters() -> list[str]:
    """The running interpreter, and places of an interpreter of Lambda's version: PATH, pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    return [
        sys.executable,
        str(PROJECT / ".venv/bin/python"),
        f"python{LAMBDA_PYTHON}",
        *map(str, sorted(pyenv.glob(f"versions/{LAMBDA_PYTHON}.*/bin/python"))),
    ]


def is_lambdas(python: str) -> bool:
    """Whether the interpreter runs and has Lambda's version; pyenv's shims may do neither."""
    ask = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        said = subprocess.run([python, "-c", ask], capture_output=True, text=True, check=False)
    except OSError:
        return False
    return said.stdout.strip() == LAMBDA_PYTHON


def compile_for_lambda(into: Path, interpreters: Iterable[str]) -> str:
    """Compile with the first interpreter of Lambda's version; a sentence about the bytecode."""
    python = next(filter(is_lambdas, interpreters), None)
    if python is None:
        return (
            f"NO BYTECODE: there is no Python {LAMBDA_PYTHON} here to compile it, "
            "so every cold start takes about twice as long"
        )
    compile_all(into, python)
    return f"bytecode of {python}"


def compile_all(into: Path, python: str) -> None:
    """Compile bytecode that ignores file times, with the paths at which Lambda mounts the files."""
    subprocess.run(
        [
            *(python, "-m", "compileall", "-q", "-j", "0", "--invalidation-mode", "unchecked-hash"),
            *("-s", into, "-p", "/opt/python", into),
        ],
        check=True,
    )


def size(into: Path) -> str:
    """The size of the unpacked layer, and of the archive that `sam package` uploads."""
    files = [path for path in into.rglob("*") if path.is_file()]
    with tempfile.TemporaryFile() as sent:
        with zipfile.ZipFile(sent, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in files:
                archive.write(path, path.relative_to(into))
        zipped = sent.tell()
    unzipped = sum(path.stat().st_size for path in files)
    return f"{unzipped / 1e6:.1f} MB, zipped {zipped / 1e6:.1f} MB"


if __name__ == "__main__":
    build(Path(sys.argv[1]).absolute(), *sys.argv[2:])
