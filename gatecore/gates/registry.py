"""The gates there are, in the order in which they judge."""

from gatecore.gates.base import Gate
from gatecore.gates.behaviour import Behaviour
from gatecore.gates.review import ReviewGate
from gatecore.gates.ui import UiGate
from gatecore.hook.config import Config

GATES: tuple[Gate, ...] = (Behaviour(), UiGate(), ReviewGate())


def gates_of(config: Config) -> list[Gate]:
    """The gates that a config names."""
    return [gate for gate in GATES if gate.key in config.gates]
