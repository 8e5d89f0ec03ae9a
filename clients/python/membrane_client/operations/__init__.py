"""Every operation of the API, and the short verbs, as functions of an `Api`.

A parameter not given stays out of the request, and the service's own default holds. Without `user`
the client's user holds; `idempotency_key=None` means a new key.
"""
