"""Adapters to AWS: a package for every technology, without imports between the packages."""
