"""Files of many requests: sent, imported, and what came of them."""
