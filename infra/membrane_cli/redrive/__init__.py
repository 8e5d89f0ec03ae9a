"""What was set aside goes on its way again."""
