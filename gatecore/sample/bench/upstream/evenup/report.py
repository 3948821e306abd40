"""The book as text."""
from .money import show


def table(heads, rows, right=()):
    """Lines of text with aligned columns; `right` has the heads of the columns set to the right."""
    rows = [heads] + [[str(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(heads))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if head in right else cell.ljust(width)
            for head, cell, width in zip(heads, row, widths)
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def statement(kitty):
    """Expenses, balances and the payments that would even them up."""
    lines = table(
        ["no", "day", "payer", "amount", "what"],
        [[e.number, e.day or "", e.payer, show(e.amount), e.what] for e in kitty.expenses()],
        right=("no", "amount"),
    )
    balances = kitty.balances()
    wide = max([len(name) for name in balances], default=0)
    lines.append("")
    for name, balance in balances.items():
        word = "is even" if balance == 0 else "gets back" if balance > 0 else "owes"
        money = show(abs(balance)) if balance else ""
        lines.append(("%s %-9s  %s" % (name.ljust(wide), word, money)).rstrip())
    payments = ["%s pays %s %s" % (t.debtor, t.creditor, show(t.amount)) for t in kitty.settle()]
    if payments:
        lines += ["", *payments]
    return "\n".join(lines)
