"""Every operation of the API, and the short verbs, as functions of an `Api`.

A parameter not given stays out of the request, and the service's own default holds. `user=None`
means the client's user, `idempotency_key=None` a new key.
"""
