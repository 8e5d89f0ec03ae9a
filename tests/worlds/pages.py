"""The pages of the repository that tests compare with what they describe."""

from pathlib import Path

_ROOT = Path(__file__).parents[2]

README = (_ROOT / "README.md").read_text()
INFRA_README = (_ROOT / "infra" / "README.md").read_text()
