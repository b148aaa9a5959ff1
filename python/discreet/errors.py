"""One exception for each line of the program's table of errors; each is also the Python exception of the same meaning.

>>> issubclass(BudgetError, Error), issubclass(InvalidInput, ValueError), issubclass(NotFound, LookupError)
(True, True, True)
"""


class Error(Exception):
    """What the program says when it does not answer. `code` is its short name, such as "budget"."""

    code = "bug"


class InvalidInput(Error, ValueError):
    """The question, or an option of it, cannot be understood."""

    code = "invalid_input"


class NotFound(Error, LookupError):
    """A table, column, file, analyst or model that is not there."""

    code = "not_found"


class Unsupported(Error, NotImplementedError):
    """Understood, but not offered."""

    code = "unsupported"


class ConflictError(Error):
    """The request id belongs to another question; the file exists."""

    code = "conflict"


class Refused(Error, PermissionError):
    """The policy does not allow it."""

    code = "refused"


class BudgetError(Error):
    """There is not enough budget left; nothing was charged."""

    code = "budget"


class EntropyError(Error):
    """The random source failed."""

    code = "no_entropy"


class StorageError(Error, OSError):
    """The disk, or the ledger's database."""

    code = "storage"


class CorruptError(Error):
    """A file is damaged, or was rolled back."""

    code = "corrupt"


class EngineError(Error):
    """The database that holds the data. What was charged stays charged, and the same question tries again with it."""

    code = "engine"


class Stopped(Error, InterruptedError):
    """Stopped before the end. What was charged stays charged; the same question tries again with it."""

    code = "interrupted"


_BY_CODE = {each.code: each for each in (InvalidInput, NotFound, Unsupported, ConflictError, Refused, BudgetError, EntropyError,
                                         StorageError, CorruptError, EngineError, Stopped)}
# The program's exit status, where it says no code.
_BY_STATUS = {2: InvalidInput, 3: Refused, 4: BudgetError, 5: EngineError, 130: Stopped}


def from_code(code: str, message: str) -> Error:
    return _BY_CODE.get(code, Error)(message)


def from_status(status: int, message: str) -> Error:
    return _BY_STATUS.get(status, Error)(message)
