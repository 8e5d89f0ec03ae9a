"""Compares a git revision's behaviour with the working tree's; ends with 1 where they differ.

python -m tests.compare REV
python -m tests.compare --planted

With --planted, each change in `planted.py` must be found in a copy of the working tree, and
nothing without a change.
"""

import argparse
import io
import subprocess
import sys
import tarfile
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.compare import planted
from tests.compare.differences import Comparison, notes_on_calls, units_of
from tests.compare.routes import routes, routes_without_success
from tests.compare.runs import Run, run

ROOT = Path(__file__).resolve().parents[2]
SHOWN = 60


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.compare", description=__doc__)
    parser.add_argument("revision", nargs="?", help="the git revision to compare with")
    parser.add_argument("--planted", action="store_true", help="find what is planted instead")
    options = parser.parse_args()
    if options.planted:
        return find_planted()
    if options.revision is None:
        parser.error("name a git revision")
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        former, present = pool.map(run, (check_out(options.revision, Path(folder)), ROOT))
    return report(former, present)


def check_out(revision: str, folder: Path) -> Path:
    """The sources of a revision, in the folder."""
    archived = subprocess.run(
        ["git", "archive", revision], cwd=ROOT, check=True, stdout=subprocess.PIPE
    )
    with tarfile.open(fileobj=io.BytesIO(archived.stdout)) as archive:
        archive.extractall(folder, filter="data")
    return folder


def report(former: Run, present: Run) -> int:
    """Print what differs, and the figures in one line; 1 where something differs or is missing."""
    compared = Comparison().of_runs(former.steps, present.steps)
    for found in (*compared.found[:SHOWN], *notes_on_calls(former.steps, present.steps)):
        print(found)
    is_whole = True
    for word, side in (("before", former), ("now", present)):
        missing = [f"no request to {each} succeeded" for each in routes_without_success(side.steps)]
        for each in filter(None, (side.failure, *missing)):
            is_whole = False
            print(f"{word}: {each}")
        units = [f"{number:,.1f} {kind}" for kind, number in units_of(side.steps).items()]
        print(f"{word}: {len(side.steps):,} steps, {', '.join(units)}")
    print(
        f"{len(compared.found):,} differences in {compared.values:,} values; "
        f"{'every' if is_whole else 'not every'} route of {len(routes())} was compared"
    )
    return int(bool(compared.found) or not is_whole)


def find_planted() -> int:
    """Print what was found for each planted change; 1 where nothing was found."""
    missed = len(planted.CHANGES)
    with ThreadPoolExecutor(2) as pool:
        sound, again = pool.map(run, (ROOT, ROOT))
        if sound.failure or Comparison().of_runs(sound.steps, again.steps).found:
            print(f"without a change, two runs differ, or end early: {sound.failure}")
            return 1
        for change, changed in zip(
            planted.CHANGES, pool.map(_run_of, planted.CHANGES), strict=True
        ):
            found = Comparison().of_runs(sound.steps, changed.steps).found
            missed -= bool(found)
            word = "found" if found else "MISSED"
            print(f"{word}: {change.what}: {len(found):,} differences", *found[:1], sep="\n")
            sys.stdout.flush()
    print(f"{len(planted.CHANGES) - missed} of {len(planted.CHANGES)} planted changes found")
    return int(bool(missed))


def _run_of(change: planted.Change) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        return run(planted.copy_with(change, ROOT, Path(folder)))


if __name__ == "__main__":
    sys.exit(main())
