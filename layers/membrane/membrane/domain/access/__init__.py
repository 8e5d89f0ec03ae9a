"""What a principal may see and change."""
