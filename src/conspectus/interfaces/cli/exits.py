"""Which exit code each family of errors has; the one table of it, and no wording."""

from conspectus.errors import (
    AssemblyError,
    ContextError,
    InputError,
    ModelError,
    ReplayError,
    SpecError,
    StorageError,
    ToolError,
)

UNEXPECTED = 1

EXIT_CODES: tuple[tuple[type[ContextError], int], ...] = (
    (SpecError, 2),
    (InputError, 3),
    (AssemblyError, 4),
    (ReplayError, 5),
    (StorageError, 6),
    (ToolError, 7),
    (ModelError, 8),
)


def exit_code(error: BaseException) -> int:
    """The exit code of `error`; 1 for what no family foresees."""
    return next((code for family, code in EXIT_CODES if isinstance(error, family)), UNEXPECTED)
