"""How many requirements the runs of each config met."""

from gatecore.ledger.order import config_order
from gateview.lines.glyphs import Glyphs
from gateview.lines.numbers import rate_spans, share
from gateview.lines.spans import Column, Span, Spans, say, table
from gateview.report.figures import money, rate
from gateview.store.view import Requirements, View

_COLUMNS = (
    Column("config"),
    Column("requirements", drop=1),
    Column(""),
    Column("clean runs", right=True, drop=2),
    Column("s/run", right=True, drop=3),
    Column("$/run", right=True, drop=4),
)


def config_table(view: View, glyphs: Glyphs, width: int) -> list[Spans]:
    """One line for each config that is planned or there, heads first; of scored runs that count."""
    known = {cell.cfg for cell in view.plan.cells.values()} | view.configs.keys()
    if not known:
        return [say(Span("no run yet", "dim"))]
    configs = [(cfg, view.configs.get(cfg, Requirements())) for cfg in sorted(known, key=config_order)]
    return table(_COLUMNS, [_cells(cfg, sums, glyphs, interval=width >= 58) for cfg, sums in configs], width)


def _cells(cfg: str, sums: Requirements, glyphs: Glyphs, *, interval: bool) -> list[Spans]:
    met = sums.met / sums.judged if sums.judged else 0.0
    return [
        say(cfg),
        glyphs.gauge(met, 10),
        rate_spans(rate(sums.met, sums.judged), interval=interval),
        say(share(sums.clean, sums.runs)),
        say(f"{sums.seconds.seconds / sums.seconds.known:.0f}" if sums.seconds.known else "n/a"),
        say(money(sums.cost, sums.runs)),
    ]
