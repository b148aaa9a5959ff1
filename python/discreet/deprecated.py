"""Functions under old names, as docs/deprecations.md lists them."""

import functools
import warnings
from typing import Any, Callable


def renamed(old: str, new: Callable[..., Any], since: str, goes: str) -> Callable[..., Any]:
    """The function `new` under its old name: `ask = renamed("ask", query, "0.10", "0.12")`.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("default")
    ...     for _ in range(3):
    ...         renamed("largest", max, "0.10", "0.12")(1, 2)
    2
    2
    2
    >>> [str(one.message) for one in told]
    ["'largest' is deprecated since version 0.10 and goes in 0.12; use 'max'"]
    """

    @functools.wraps(new)
    def call(*arguments: Any, **options: Any) -> Any:
        warnings.warn(f"'{old}' is deprecated since version {since} and goes in {goes}; use '{new.__name__}'",
                      DeprecationWarning, stacklevel=2)
        return new(*arguments, **options)

    return call
