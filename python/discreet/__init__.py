"""discreet: questions about people, answered without telling on anyone of them.

    >>> import discreet                                             # doctest: +SKIP
    >>> with discreet.connect("policy.yaml") as session:            # doctest: +SKIP
    ...     answer = session.query("SELECT COUNT(*) AS n FROM visits", epsilon=0.1)
    ...     print(answer[0]["n"].value, "between", answer[0]["n"].low, "and", answer[0]["n"].high)

The data is read by the program `discreet`, in a process of its own; what reaches Python is what was released. So there is no
un-noised value in this interpreter to be found, by debuggers or otherwise. See README.md beside this package for why.
"""

from . import account, audit, learn, local
from .answer import Answer, Column, Curve, Explanation, Interval
from .errors import (BudgetError, ConflictError, CorruptError, Error, EngineError, EntropyError, InvalidInput, NotFound, Refused,
                     StorageError, Stopped, Unsupported)
from .session import Session, connect

__all__ = ["Answer", "BudgetError", "Column", "ConflictError", "CorruptError", "Curve", "EngineError", "EntropyError", "Error",
           "Explanation", "Interval", "InvalidInput", "NotFound", "Refused", "Session", "Stopped", "StorageError", "Unsupported",
           "account", "audit", "connect", "learn", "local"]
__version__ = "0.1.0"
