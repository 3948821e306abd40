"""gatecore: Stop-hook gates for coding agents, every stop judged by a hidden oracle and put on record."""

__version__ = "0.1.0"
