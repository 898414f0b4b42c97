# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from typing import Union

from ._keepclear import ErrorKind, _comments

__all__ = ["Error"]


class Error(RuntimeError):
    """str() is one line: `file:line: what; what to do`."""

    file: str
    line: int
    kind: ErrorKind

    def __init__(
        self,
        message: str,
        kind: Union[ErrorKind, str] = ErrorKind.usage,
        file: str = "",
        line: int = 0,
    ) -> None:
        super().__init__(message)
        self.file = file
        self.line = line
        self.kind = ErrorKind[kind] if isinstance(kind, str) else ErrorKind(kind)

    @property
    def exit_code(self) -> int:
        """That of the command line."""
        return int(self.kind)

    def __reduce__(self) -> tuple[type[Error], tuple[str, ErrorKind, str, int]]:
        return type(self), (str(self), self.kind, self.file, self.line)


Error.__doc__ = f"{_comments['Error']}\n\n{Error.__doc__}"
