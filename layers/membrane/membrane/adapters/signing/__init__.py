"""Signatures by a key in AWS KMS."""
