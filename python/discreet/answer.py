"""What is released, as Python values."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterator, Mapping, NamedTuple, Sequence

if TYPE_CHECKING:
    import pandas
    import pyarrow
    from matplotlib.axes import Axes


class Interval(NamedTuple):
    """A released number and the ends of its interval; None where an end is unbounded or nothing could be said."""

    value: float | int | None
    low: float | int | None
    high: float | int | None

    def __str__(self) -> str:
        return f"{self.value} [{self.low}, {self.high}]"


@dataclass(frozen=True)
class Column:
    name: str
    type: str
    is_key: bool
    has_interval: bool


def number(text: str | None, kind: str) -> float | int | None:
    """
    >>> number("12", "integer"), number("1.50", "decimal"), number(None, "integer")
    (12, 1.5, None)
    """
    if text is None:
        return None
    try:
        return int(text) if kind == "integer" else float(text)
    except ValueError:
        return float(text)


def _value(cell: Any, column: Mapping[str, Any]) -> Any:
    if isinstance(cell, list):
        return Interval(*(number(part, column["type"]) for part in cell))
    if cell is None or not column["number"]:
        return (cell == "true") if column["type"] == "boolean" and cell is not None else cell
    return number(cell, column["type"])


def _table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """
    >>> _table(["n"], [["<b>"], [None]])
    '<table><thead><tr><th>n</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr><tr><td></td></tr></tbody></table>'
    """
    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join("<tr>" + "".join(f"<td>{html.escape('' if cell is None else str(cell))}</td>" for cell in row) + "</tr>"
                   for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Answer(Sequence[Mapping[str, Any]]):
    """A released table: a sequence of rows, each a mapping from column to value; aggregates are Intervals.

    >>> answer = session.query("SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic", epsilon=20)
    >>> len(answer), answer[2]["clinic"], type(answer[2]["n"]).__name__, answer.epsilon
    (3, 'east', 'Interval', '20')
    """

    def __init__(self, reply: Mapping[str, Any], sql: str = ""):
        facts = reply["answer"]
        self.sql = sql
        #: Whether it was answered before, and cost nothing now.
        self.repeated: bool = reply["repeated"]
        #: The record of the ledger that paid for it.
        self.charge: int = reply["charge"]
        self.epsilon: str = facts["epsilon"]
        self.delta: str = facts["delta"]
        self.confidence: str = facts["confidence"]
        self.units: str = facts["units"]
        self.neighbours: str = facts["neighbours"]
        self.noise: list[str] = list(facts["noise"])
        self.notes: list[str] = [*reply["notes"], *reply.get("made", []), *facts["notes"]]
        #: For each row, whether the group is so small that its relative error is useless.
        self.small: list[bool] = list(facts["small"])
        self.drawing: str = facts["drawing"]
        self.columns = [Column(c["name"], c["type"], c["key"], c["interval"]) for c in facts["columns"]]
        self._rows = [{c["name"]: _value(cell, c) for c, cell in zip(facts["columns"], row)} for row in facts["rows"]]

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: Any) -> Any:
        return self._rows[index]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self._rows)

    def scalar(self) -> Interval:
        """The only number of an answer with one row and one aggregate.

        >>> abs(session.query("SELECT COUNT(*) AS n FROM visits", epsilon=20).scalar().value - 3000) < 5
        True
        """
        numbers = [c.name for c in self.columns if not c.is_key]
        if len(self) != 1 or len(numbers) != 1:
            raise ValueError(f"the answer has {len(self)} rows and {len(numbers)} aggregates, not one of each")
        return self._rows[0][numbers[0]]

    def flat(self) -> tuple[list[str], list[list[Any]]]:
        """Names and rows with the ends of an interval in columns of their own: n, n_low, n_high."""
        names: list[str] = []
        for column in self.columns:
            names += [column.name, f"{column.name}_low", f"{column.name}_high"] if column.has_interval else [column.name]
        rows = []
        for row in self._rows:
            cells: list[Any] = []
            for column in self.columns:
                cell = row[column.name]
                cells += (list(cell) if isinstance(cell, Interval) else [cell, None, None]) if column.has_interval else [cell]
            rows.append(cells)
        return names, rows

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame with columns n, n_low, n_high.

        >>> list(session.query("SELECT COUNT(*) AS n FROM visits", epsilon=20).to_pandas().columns)
        ['n', 'n_low', 'n_high']
        """
        import pandas  # optional

        names, rows = self.flat()
        return pandas.DataFrame(rows, columns=names)

    def to_arrow(self) -> pyarrow.Table:
        """A pyarrow Table with columns n, n_low, n_high.

        >>> session.query("SELECT COUNT(*) AS n FROM visits", epsilon=20).to_arrow().schema.field("n").type
        DataType(int64)
        """
        import pyarrow  # optional

        names, rows = self.flat()
        return pyarrow.table({name: [row[i] for row in rows] for i, name in enumerate(names)})

    def plot(self, ax: Axes | None = None) -> Axes:
        """Bars with error bars, one group of them for each aggregate; matplotlib's axes.

        >>> axes = session.query("SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic", epsilon=20).plot()
        >>> len(axes.patches)
        3
        """
        from matplotlib import pyplot  # optional

        if ax is None:
            _, ax = pyplot.subplots()
        keys = [c.name for c in self.columns if c.is_key]
        numbers = [c for c in self.columns if not c.is_key and c.has_interval]
        labels = [", ".join(str(row[k]) for k in keys) or self.units for row in self._rows]
        width = 0.8 / max(1, len(numbers))
        for i, column in enumerate(numbers):
            cells = [row[column.name] for row in self._rows]
            values = [0 if c.value is None else c.value for c in cells]
            below = [0 if c.low is None else max(0, v - c.low) for c, v in zip(cells, values)]
            above = [0 if c.high is None else max(0, c.high - v) for c, v in zip(cells, values)]
            places = [j + i * width for j in range(len(cells))]
            ax.bar(places, values, width, yerr=[below, above], capsize=3, label=column.name)
        ax.set_xticks([j + 0.4 - width / 2 for j in range(len(labels))], labels, rotation=30 if len(labels) > 4 else 0)
        ax.set_title(f"epsilon {self.epsilon}, intervals at {self.confidence}")
        if len(numbers) > 1:
            ax.legend()
        return ax

    def __repr__(self) -> str:
        names, rows = self.flat()
        texts = [names, *[["" if cell is None else str(cell) for cell in row] for row in rows[:50]]]
        widths = [max(len(row[i]) for row in texts) for i in range(len(names))]
        lines = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in texts]
        more = [f"... {len(rows) - 50} more rows"] if len(rows) > 50 else []
        price = f"epsilon {self.epsilon}" + (f", delta {self.delta}" if self.delta != "0" else "")
        paid = "answered before, free" if self.repeated else f"price {price}"
        return "\n".join([*lines, *more, f"({paid}; intervals at {self.confidence}; protects one of {self.units})"])

    def _repr_html_(self) -> str:
        names, rows = self.flat()
        paid = "answered before, free" if self.repeated else f"price epsilon {self.epsilon}, delta {self.delta}"
        return (f"{_table(names, rows)}"
                f"<p>{html.escape(paid)}; intervals at {html.escape(self.confidence)}; "
                f"protects one of {html.escape(self.units)}</p>")


class Explanation(dict):  # type: ignore[type-arg]
    """What a question would cost, and how accurate it would be; free."""

    @property
    def price(self) -> str:
        return str(self["price"])

    @property
    def fits(self) -> bool:
        """Whether there is budget for it."""
        return bool(self["fits"])

    def __repr__(self) -> str:
        steps = "".join(f"\n  {s['measurement']}: {s['error']} by {s['noise']}, {s['price']}" for s in self["steps"])
        notes = "".join(f"\n  note: {note}" for note in self["notes"])
        return f"{self['price']}; {self['bounds']}; keys: {self['keys']}{steps}{notes}"

    def _repr_html_(self) -> str:
        names = ["measurement", "error", "noise", "price"]
        verdict = "already answered: free" if self["repeat"] else f"costs {self.price}" + ("" if self.fits else ", more than is left")
        notes = "".join(f"<li>{html.escape(note)}</li>" for note in [self["bounds"], "keys: " + self["keys"], *self["notes"]])
        return f"{_table(names, [[s[n] for n in names] for s in self['steps']])}<p>{html.escape(verdict)}</p><ul>{notes}</ul>"


class Budget(list):  # type: ignore[type-arg]
    """Accounts by namespace of units: cap, spent and left, as exact texts."""

    def rows(self) -> list[dict[str, str]]:
        """One mapping for each account.

        >>> Budget([{"namespace": "people", "notion": "epsilon", "accounts": [{"account": "ann", "cap": "2", "left": "1"}]}]).rows()
        [{'namespace': 'people', 'notion': 'epsilon', 'account': 'ann', 'cap': '2', 'left': '1'}]
        """
        return [{"namespace": units["namespace"], "notion": units["notion"],
                 **{name: value for name, value in account.items() if isinstance(value, str)}}
                for units in self for account in units["accounts"]]

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas DataFrame with one row for each account."""
        import pandas  # optional

        return pandas.DataFrame(self.rows())

    def _repr_html_(self) -> str:
        rows = self.rows()
        names = list(rows[0]) if rows else []
        return _table(names, [[row.get(name) for name in names] for row in rows])


class Curve(list):  # type: ignore[type-arg]
    """Points (epsilon, half width of the interval); None where it is unbounded."""

    def plot(self, ax: Axes | None = None) -> Axes:
        """Error against epsilon; matplotlib's axes."""
        from matplotlib import pyplot  # optional

        if ax is None:
            _, ax = pyplot.subplots()
        points = [(e, w) for e, w in self if w is not None]
        ax.plot([e for e, _ in points], [w for _, w in points])
        ax.set_xlabel("epsilon")
        ax.set_ylabel("half width")
        return ax
