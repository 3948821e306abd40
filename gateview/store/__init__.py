"""What the dashboard knows, folded from run directories; nothing here draws."""
