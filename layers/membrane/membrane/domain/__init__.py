"""The rules, as functions over frozen values: no clock, no network, no AWS."""
