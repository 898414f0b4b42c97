# SPDX-License-Identifier: BSD-3-Clause
"""A worker with a fault: what would be a crash in a library is played by a signal."""
import os
import signal

from keepclear import _batch_worker as worker_side


class Dies:
    def __init__(self, tool):
        self._tool = tool

    def rows(self, file, lines):
        if any(text is not None and b'"poison"' in text for _, _, text in lines):
            os.kill(os.getpid(), signal.SIGKILL)
        return self._tool.rows(file, lines)


def dask_setup(worker):
    tool = worker_side._tool
    worker_side._tool = lambda question: (
        Dies(tool(question)) if question.kind == "certify" else tool(question)
    )
