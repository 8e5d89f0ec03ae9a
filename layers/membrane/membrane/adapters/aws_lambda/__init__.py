"""The edge to Lambda: events and replies of handlers, routes, telemetry."""
