"""A process that takes the place of the `claude` command and plays a scenario instead of asking a model."""
