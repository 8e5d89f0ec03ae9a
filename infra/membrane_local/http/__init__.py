"""The local stack's HTTP: the server, API Gateway's part, and the routes under `/_dev/`."""
