"""Wrong use, told to the user."""


class UsageError(Exception):
    """Something the user gave cannot be used; the message names it and says what to do. Exit code 2."""
