"""gateview: a terminal dashboard and reports on gate ledgers."""
