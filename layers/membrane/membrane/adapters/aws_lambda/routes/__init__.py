"""The routes by capability: method and path of every operation."""
