"""Every other event that starts a function: bus, queue, stream, schedule, import, direct."""
