"""discreet: questions about people, answered without telling on anyone of them.

    >>> import discreet                                             # doctest: +SKIP
    >>> with discreet.connect("policy.yaml") as session:            # doctest: +SKIP
    ...     answer = session.query("SELECT COUNT(*) AS n FROM visits", epsilon=0.1)
    ...     print(answer[0]["n"].value, "between", answer[0]["n"].low, "and", answer[0]["n"].high)

The data is read in a process of its own; what reaches this one is what was released. So there is no un-noised value in this
interpreter to be found, by debuggers or otherwise. See README.md beside this package for how.
"""

from . import account, audit, learn, local, noise
from .answer import Answer, Budget, Column, Curve, Explanation, Interval
from .errors import (BudgetError, ConflictError, CorruptError, EngineError, EntropyError, Error, InvalidInput, NotFound, Refused,
                     StorageError, Stopped, Unsupported)
from .session import Session, connect

__all__ = ["Answer", "Budget", "BudgetError", "Column", "ConflictError", "CorruptError", "Curve", "EngineError", "EntropyError",
           "Error", "Explanation", "Interval", "InvalidInput", "NotFound", "Refused", "Session", "Stopped", "StorageError",
           "Unsupported", "account", "audit", "connect", "learn", "local", "noise"]
__version__ = "0.10.0"
