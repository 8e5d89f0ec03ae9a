"""The HTTP edge: gateway event to request, result to reply, error to problem document."""
