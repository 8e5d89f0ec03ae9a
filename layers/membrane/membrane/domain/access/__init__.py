"""The rights of a principal: permissions, scopes and sensitivity."""
