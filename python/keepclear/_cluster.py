# SPDX-License-Identifier: BSD-3-Clause
"""Chunks of a batch on Dask workers: in flight a few at a time, answered in their order, again
after a worker has died, and cut smaller where one kills its workers."""
from __future__ import annotations

import logging
import math
import shutil
import signal
import tempfile
import threading
import time
from collections import deque
from dataclasses import dataclass
from typing import Any, Callable, Deque, Dict, Iterator, List, Optional

from ._error import Error

# A worker that dies costs its chunk once more; a chunk whose workers die more often is looked into.
_DEATHS = 1
# After so many in a row that nobody could answer, it is not they who are at fault.
_HOPELESS = 8
# What workers of this machine do when they start.
_PRELOAD = "keepclear._cluster"
# Seconds between looks at how many workers there are.
_LOOK = 5.0
_UNANSWERED = "not answered: every worker that tried died, or ran out of memory"

_CONFIGURATION = {
    "distributed.worker.profile.enabled": False,
    # Dask opens these ports in any case: nothing is served there.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    # Workers say nothing: what goes wrong is told here.
    "distributed.nanny.pre-spawn-environ.DASK_LOGGING__DISTRIBUTED": "critical",
}


@dataclass
class Chunk:
    """Consecutive paths or poses; `first` is the number of the first."""

    first: int
    size: int
    payload: Any


def dask_setup(worker: Any) -> None:
    """Dask calls it in a worker that starts: Ctrl-C is for the one who started them all."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


class Cluster:
    """A scheduler that runs somewhere, or workers on this machine for as long as it is entered."""

    def __init__(self, scheduler: Optional[str], workers: Optional[int]) -> None:
        if scheduler is not None and workers is not None:
            raise Error("workers: those of a scheduler are there already; give one of the two")
        if workers is not None and workers < 1:
            raise Error("workers: there must be one or more")
        self._scheduler = scheduler
        self._workers = workers
        self._cluster: Any = None
        self._folder: Optional[str] = None
        self.client: Any = None

    def __enter__(self) -> Cluster:
        try:
            self._connect() if self._scheduler is not None else self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _connect(self) -> None:
        Client: Any = _distributed().Client
        try:
            self.client = Client(self._scheduler, set_as_default=False)
        except (OSError, ValueError) as error:
            raise Error(
                f"{self._scheduler}: no scheduler answers there: {_one_line(error)}", "missing"
            ) from None

    def _start(self) -> None:
        import dask

        distributed = _distributed()
        # Otherwise workers leave a folder where the user is.
        self._folder = tempfile.mkdtemp(prefix="keepclear-batch-")
        # Workers that start now have Ctrl-C blocked from their first moment; here it waits.
        signals = {signal.SIGINT}
        main = threading.current_thread() is threading.main_thread()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signals) if main else set()
        try:
            with dask.config.set(_CONFIGURATION):
                self._cluster = distributed.LocalCluster(
                    n_workers=self._workers,
                    threads_per_worker=1,
                    processes=True,
                    host="127.0.0.1",
                    dashboard_address="127.0.0.1:0",
                    worker_dashboard_address="127.0.0.1:0",
                    memory_limit=0,
                    local_directory=self._folder,
                    silence_logs=logging.CRITICAL,
                    scheduler_kwargs={"allowed_failures": _DEATHS, "dashboard": False},
                    preload=[_PRELOAD],
                )
            self.client = distributed.Client(self._cluster, set_as_default=False)
        finally:
            if main:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def __exit__(self, *ignored: Any) -> None:
        # What happens while all is taken down is nobody's concern any more.
        logger = logging.getLogger("distributed")
        level = logger.level
        logger.setLevel(logging.CRITICAL)
        for part in (self.client, self._cluster):
            if part is not None:
                try:
                    part.close(timeout=5)
                except Exception:
                    pass
        logger.setLevel(level)
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def threads(self) -> int:
        threads: Dict[str, int] = self.client.nthreads()
        return max(1, sum(threads.values()))


def _distributed() -> Any:
    """Only those who need it wait for it, or must have it."""
    try:
        import distributed
    except ImportError:
        raise Error(
            "batches need Dask's distributed; on Debian: apt install python3-distributed", "missing"
        ) from None
    return distributed


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text or type(error).__name__


class Work:
    """`ask(chunk)` runs on a worker and returns rows, one after the other; `split` cuts a chunk in
    two, `give_up` makes rows for a single path or pose that cannot be answered, and why; `done`
    gets rows in the order of the chunks."""

    def __init__(
        self,
        cluster: Cluster,
        ask: Callable[..., bytes],
        arguments: Callable[[Chunk], tuple[Any, ...]],
        split: Callable[[Chunk], List[Chunk]],
        give_up: Callable[[Chunk, str], bytes],
        done: Callable[[Chunk, bytes], None],
    ) -> None:
        self._cluster = cluster
        self._ask = ask
        self._arguments = arguments
        self._split = split
        self._give_up = give_up
        self._done = done
        self._ready: Dict[int, bytes] = {}
        self._asked: Deque[Chunk] = deque()
        self._running: Dict[Any, Chunk] = {}
        self._suspects: List[Chunk] = []
        self._given_up = 0

    def run(self, chunks: Iterator[Chunk]) -> None:
        """Returns when all are answered. What is in flight when it is left is cancelled."""
        try:
            self._run(chunks)
        finally:
            if self._running:
                try:
                    self._cluster.client.cancel(list(self._running), force=True)
                except Exception:
                    pass

    def _run(self, chunks: Iterator[Chunk]) -> None:
        in_flight, looked = 0, -math.inf
        done = _distributed().as_completed(loop=self._cluster.client.loop)
        more = True
        while True:
            # Enough that no worker waits for the next one; workers may come and go.
            if time.monotonic() - looked > _LOOK:
                in_flight, looked = 2 * self._cluster.threads() + 2, time.monotonic()
            while more and not self._suspects and len(self._running) < in_flight:
                # A slow one holds back no other, until as many wait behind it.
                if len(self._asked) >= 4 * in_flight:
                    break
                chunk = next(chunks, None)
                if chunk is None:
                    more = False
                    break
                self._asked.append(chunk)
                future = self._submit(chunk)
                self._running[future] = chunk
                done.add(future)
            if self._running:
                self._take(next(done))
            elif self._suspects:
                # Alone, so that no other chunk is blamed.
                for chunk in sorted(self._suspects, key=lambda chunk: chunk.first):
                    self._ready[chunk.first] = self._alone(chunk)
                self._suspects.clear()
            elif not more:
                self._hand_out()
                return
            self._hand_out()

    def _submit(self, chunk: Chunk) -> Any:
        return self._cluster.client.submit(self._ask, *self._arguments(chunk), pure=False)

    def _take(self, future: Any) -> None:
        chunk = self._running.pop(future)
        rows = self._result(future)
        if rows is None:
            self._suspects.append(chunk)
        else:
            self._ready[chunk.first] = rows

    def _result(self, future: Any) -> Optional[bytes]:
        """None where the workers died, or had not memory enough."""
        from distributed import CancelledError
        from distributed.scheduler import KilledWorker

        try:
            rows: bytes = future.result()
            return rows
        except (KilledWorker, MemoryError):
            return None
        except (Error, KeyboardInterrupt):
            raise
        except CancelledError:
            raise Error("the scheduler went away; start again to go on", "missing") from None
        except OSError as error:
            raise Error(f"the scheduler went away: {_one_line(error)}", "missing") from None
        except Exception as error:
            raise Error(
                f"a worker failed: {type(error).__name__}: {_one_line(error)}", "internal"
            ) from error

    def _alone(self, chunk: Chunk) -> bytes:
        rows = self._result(self._submit(chunk))
        if rows is not None:
            self._given_up = 0
            return rows
        if chunk.size == 1:
            self._given_up += 1
            if self._given_up == _HOPELESS:
                raise Error("workers die of whatever they are asked", "internal")
            return self._give_up(chunk, _UNANSWERED)
        return b"".join(self._alone(part) for part in self._split(chunk))

    def _hand_out(self) -> None:
        while self._asked and self._asked[0].first in self._ready:
            chunk = self._asked.popleft()
            self._done(chunk, self._ready.pop(chunk.first))
