"""Sessions: questions to a policy on this machine, or to a server elsewhere."""

from __future__ import annotations

import getpass
import os
import uuid
import weakref
from typing import TYPE_CHECKING, Any, Protocol

from . import errors
from .answer import Answer, Budget, Curve, Explanation
from .process import Process
from .program import exact
from .transport import Connection

if TYPE_CHECKING:
    from .learn import Model


class Link(Protocol):
    """Where questions go: a process of this machine, or a server."""

    def call(self, verb: str, fields: dict[str, str]) -> Any: ...
    def close(self) -> None: ...


def connect(place: str | os.PathLike[str], *, ledger: str | os.PathLike[str] | None = None,
            key: str | os.PathLike[str] | None = None, witness: str | os.PathLike[str] | None = None, analyst: str | None = None,
            log: str | os.PathLike[str] | None = None, password: str | None = None, ca: str | None = None) -> "Session":
    """A session with a policy's file, or with a server's address.

    connect("policy.yaml", analyst="ann")                     on this machine, as its owner; ann's cap pays
    connect("https://stat.example:8080", analyst="ann")       asks for the password, or takes it from DISCREET_PASSWORD

    `ledger`, `key` and `witness` are the command line's. `log` is a file for what the database says, which may quote rows: it is
    the owner's, and without it nobody hears it. `ca` is the certificate that a server's is checked by.
    """
    where = os.fspath(place)
    if where.startswith(("http://", "https://")):
        if ledger or key or witness or log:
            raise errors.InvalidInput("ledger, key, witness and log are the server's; leave them out")
        connection = Connection(where, ca=ca)
        name = analyst or getpass.getuser()
        secret = password or os.environ.get("DISCREET_PASSWORD") or getpass.getpass(f"password of {name}: ")
        try:
            connection.log_in(name, secret)
        except BaseException:
            connection.close()
            raise
        return Session(connection, name, where)
    if password or ca:
        raise errors.InvalidInput("password and ca are for a server; a policy's file is read as whoever you are")
    options = {"policy": where, "ledger": ledger, "key": key, "witness": witness, "analyst": analyst or "owner"}
    given = {name: os.fspath(value) for name, value in options.items() if value is not None}
    if log is None:
        process = Process(given)
    else:
        with open(log, "ab") as file:
            process = Process(given, file)
    session = Session(process, given["analyst"], where)
    session.options = given
    return session


class Session:
    """Made by connect(). Close it, or use it in a `with`."""

    def __init__(self, link: Link, analyst: str, place: str):
        self._link = link
        self.analyst, self.place = analyst, place
        #: How the command line would be pointed at the same policy; for learn.
        self.options: dict[str, Any] | None = None
        self._last_id: str | None = None
        self._close = weakref.finalize(self, link.close)  # also when it is forgotten

    def query(self, sql: str, *, epsilon: Any = None, error: Any = None, delta: Any = None, about: Any = None, rows: Any = None,
              confidence: Any = None, max_groups: int | None = None, max_rows: int | None = None,
              request_id: str | None = None) -> Answer:
        """Asks, pays, and gives the answer with its intervals.

        `epsilon` is what it may cost, or `error` what half width is wanted: 100, or "5%" of `about`. Numbers may be given as
        texts ("0.1"), which are exact. Asking again with the same `request_id` gives the same answer, free: after an interrupt,
        `session.last_request_id` is the one to use.

        >>> answer = session.query("SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic", epsilon=20)
        >>> [row["clinic"] for row in answer], answer[0]["n"].low <= answer[0]["n"].value
        (['north', 'south', 'east'], True)
        >>> session.query("SELECT clinic, COUNT(*) AS n FROM visits GROUP BY clinic", epsilon=20).repeated     # and free
        True
        """
        self._last_id = request_id or "py-" + uuid.uuid4().hex
        fields = _fields(sql=sql, epsilon=epsilon, error=error, delta=delta, about=about, rows=rows, confidence=confidence,
                         max_groups=max_groups, max_rows=max_rows, request_id=self._last_id)
        return Answer(self._link.call("query", fields), sql)

    @property
    def last_request_id(self) -> str | None:
        """Of the newest query(), also when it was interrupted."""
        return self._last_id

    def explain(self, sql: str, *, epsilon: Any = None, error: Any = None, delta: Any = None, about: Any = None, rows: Any = None,
                confidence: Any = None, max_groups: int | None = None, max_rows: int | None = None) -> Explanation:
        """Price, noise and expected error; costs nothing.

        >>> session.explain("SELECT COUNT(*) FROM visits", epsilon="1/2").price
        'epsilon 0.5'
        """
        fields = _fields(sql=sql, epsilon=epsilon, error=error, delta=delta, about=about, rows=rows, confidence=confidence,
                         max_groups=max_groups, max_rows=max_rows)
        return Explanation(self._link.call("explain", fields))

    def curve(self, sql: str, *, low: Any = None, high: Any = None, delta: Any = None, rows: Any = None) -> Curve:
        """Expected error against epsilon from `low` to `high`; costs nothing.

        >>> curve = session.curve("SELECT COUNT(*) FROM visits", low="0.1", high=1)
        >>> curve[0][1] > curve[-1][1]
        True
        """
        fields = _fields(sql=sql, delta=delta, rows=rows, **{"from": low, "to": high})
        points = self._link.call("curve", fields)["points"]
        return Curve((float(point["epsilon"]), point["half_width"]) for point in points)

    def budget(self) -> Budget:
        """What is left, for each namespace of units.

        >>> [(units["namespace"], units["notion"]) for units in session.budget()]
        [('patients', 'epsilon')]
        """
        return Budget(self._link.call("budget", {})["budgets"])

    def history(self, last: int = 100) -> list[dict[str, Any]]:
        """The newest records of the ledger that this analyst may see.

        >>> session.history(last=1)[0]["analyst"] == session.analyst
        True
        """
        return self._link.call("history", _fields(last=last))["records"]

    def catalog(self) -> list[dict[str, Any]]:
        """Tables and columns that may be asked about.

        >>> [table["name"] for table in session.catalog()]
        ['visits']
        """
        return self._link.call("catalog", {})["tables"]

    def learn(self, task: str, **params: Any) -> "Model":
        """A fitted model: session.learn("classify", target="smoker", epsilon=1) is learn.Classifier(...).fit(session).

        >>> model = session.learn("cluster", features=["age", "cost"], k=2, epsilon=5)
        >>> len(model.predict([{"age": 30, "cost": 10}]))
        1
        """
        from . import learn

        return learn.task(task, **params).fit(self)

    def close(self) -> None:
        """Ends the session. What is under way is charged, and stored."""
        self._close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *unused: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError("a session cannot be copied or pickled; connect again")

    def __repr__(self) -> str:
        return f"<discreet session with {self.place!r} as {self.analyst}>"


def _fields(**given: Any) -> dict[str, str]:
    """
    >>> _fields(sql="SELECT 1", epsilon=0.1, delta=None, max_groups=3)
    {'sql': 'SELECT 1', 'epsilon': '0.1', 'max_groups': '3'}
    """
    return {name: exact(value) for name, value in given.items() if value is not None}
