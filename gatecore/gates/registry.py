"""The gates there are, in the order in which they judge. Each is loaded only where a config names it."""

from collections.abc import Callable

from gatecore.gates.base import Gate
from gatecore.hook.config import Config


def gates_of(config: Config) -> list[Gate]:
    """The gates that a config names."""
    return [load() for key, load in _GATES.items() if key in config.gates]


def _behaviour() -> Gate:
    from gatecore.gates.behaviour import Behaviour

    return Behaviour()


def _ui() -> Gate:
    from gatecore.gates.ui import UiGate

    return UiGate()


def _review() -> Gate:
    from gatecore.gates.review import ReviewGate

    return ReviewGate()


_GATES: dict[str, Callable[[], Gate]] = {"gate1": _behaviour, "gate2": _ui, "gate3": _review}
