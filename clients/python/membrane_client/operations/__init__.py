"""Every operation of the API, and the short verbs over them, as functions of an `Api`.

A parameter that is not given stays out of the request, so that the service's own default holds.
`user` and `idempotency_key`: None means the client's user, and a key that the client makes.
"""
