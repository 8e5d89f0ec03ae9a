"""Prints the vectors of the sentences on standard input, as JSON.

The arguments are the folders of the layers. The program imports nothing of the tests.
"""

import json
import sys

sys.path[:0] = sys.argv[1:]

from membrane.adapters.sentence_encoder import SentenceEncoder  # noqa: E402 - of a layer

print(json.dumps(SentenceEncoder().embed(json.load(sys.stdin))))  # noqa: T201 - for the test
