"""Requests to services outside AWS: models behind an endpoint, issuers of access tokens."""
