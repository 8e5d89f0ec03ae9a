"""Parameters of a stack in which the tuned settings stand by name."""

import json
from collections.abc import Mapping

from tests.worlds.agreed import tuned_names


def tuned(settings: Mapping[str, str]) -> dict[str, str]:
    """The parameters: the tuned settings are keys of one of them."""
    tuning = {name: value for name, value in settings.items() if name in tuned_names()}
    others = {name: value for name, value in settings.items() if name not in tuning}
    return {**others, "Tuning": json.dumps(tuning)} if tuning else others
