"""Writes the `values` and `operations` of membrane_client from infra/openapi.yaml."""
