"""The pages of the repository that tests compare with what they describe."""

from pathlib import Path

_ROOT = Path(__file__).parents[2]

README_FILE = _ROOT / "README.md"
INFRA_README_FILE = _ROOT / "infra" / "README.md"

README = README_FILE.read_text()
INFRA_README = INFRA_README_FILE.read_text()
