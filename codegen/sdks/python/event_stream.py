"""A stream of server-sent events, read one at a time.

It is part of the Python client and handwritten: this file is copied into it as it is. It does not connect again by
itself, because only its caller knows which events it has.
"""

import contextlib
import threading
from collections import deque
from dataclasses import dataclass
from typing import Deque, Iterator, List, Optional, Protocol, Tuple

import urllib3

EVENT_BYTES_MAX = 64 * 1024 * 1024
"""The most bytes that the lines of one event may have together: eight times the largest request by default."""

_PIECE_BYTES = 64 * 1024


@dataclass(frozen=True)
class StreamEvent:
    """One event of a stream."""

    event: Optional[str]
    """Its name; None when it has none."""
    id: Optional[str]
    """The number or name by which a stream goes on after it; None when it has none."""
    data: str
    """Its text: JSON or, at the end of some streams, ``[DONE]``."""


class StreamCut(Exception):
    """The connection ended in the middle of a stream, which can go on after ``last_event_id``.

    ``__cause__`` says how it ended; ``last_event_id`` is None when no event had one.
    """

    def __init__(self, last_event_id: Optional[str]) -> None:
        place = "no event" if last_event_id is None else f"event {last_event_id}"
        super().__init__(f"The stream was cut after {place}.")
        self.last_event_id = last_event_id


class EventTooLarge(Exception):
    """An event that is larger than the bound; the stream was closed."""


class Body(Protocol):
    """What an EventStream reads: a response of urllib3 that was not read yet."""

    def read1(self, amt: int, /) -> bytes: ...

    def shutdown(self) -> None: ...

    def close(self) -> None: ...


class EventStream(Iterator[StreamEvent]):
    """The events of a response, in order; iterate over it once.

    Leave the ``with`` block, or call ``close``, to end the connection; another thread may do that, and the one that
    waits gets the end of the stream. Keeps one event and what came in the same piece. Raises StreamCut and
    EventTooLarge, after the events that came before.
    """

    last_event_id: Optional[str]
    """That of the last returned event that had one; None when none had."""

    def __init__(self, body: Body, event_bytes_max: int = EVENT_BYTES_MAX) -> None:
        self.last_event_id = None
        self._body = body
        self._body_in_use = threading.RLock()
        self._parser = _EventParser(event_bytes_max)
        self._arrived: Deque[_Arrived] = deque()
        self._ended = False
        self._closed = False
        self._failure: Optional[Exception] = None

    def __iter__(self) -> "EventStream":
        return self

    def __next__(self) -> StreamEvent:
        while not self._arrived and not self._ended and not self._closed:
            self._read()
        if self._closed:
            raise StopIteration
        if self._arrived:
            event, self.last_event_id = self._arrived.popleft()
            return event
        if self._failure is not None:
            raise self._failure
        raise StopIteration

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection. The stream has no more events then."""
        self._closed = True
        # Ends a read that waits in another thread, during which the body cannot be closed; impossible after its end.
        with contextlib.suppress(OSError, ValueError, RuntimeError):
            self._body.shutdown()
        with self._body_in_use:
            self._body.close()

    def _read(self) -> None:
        try:
            with self._body_in_use:
                piece = self._body.read1(_PIECE_BYTES)
            if piece:
                self._parser.feed(piece, self._arrived)
                return
            if self._parser.in_event:
                raise EOFError("It ended within an event.")
        except EventTooLarge as failure:
            self._failure = failure
        except (urllib3.exceptions.HTTPError, OSError, EOFError, ValueError) as cause:
            self._failure = StreamCut(self.last_event_id)
            self._failure.__cause__ = cause
        self._ended = True
        with self._body_in_use:
            self._body.close()


_Arrived = Tuple[StreamEvent, Optional[str]]
"""An event, and the last id when it came, which may be that of an earlier one."""


class _EventParser:
    """Server-sent events as the HTML standard reads them.

    Lines are decoded whole, so a piece may end within a character.
    """

    def __init__(self, bytes_max: int) -> None:
        self._bytes_max = bytes_max
        self._line = bytearray()
        self._first_line = True
        self._after_return = False
        self._event: Optional[str] = None
        self._id: Optional[str] = None
        self._data: List[str] = []
        self._event_bytes = 0
        self._last_event_id: Optional[str] = None

    @property
    def in_event(self) -> bool:
        """Whether an event has begun and not ended."""
        return len(self._line) > 0 or self._event_bytes > 0

    def feed(self, piece: bytes, arrived: Deque[_Arrived]) -> None:
        """Adds the events that end in this piece to ``arrived``. Raises EventTooLarge."""
        if self._after_return and piece.startswith(b"\n"):
            piece = piece[1:]
            self._after_return = False
        if not piece:
            return
        self._after_return = piece.endswith(b"\r")
        # Of bytes, splitlines knows these three ends of lines and no other.
        for line in piece.splitlines(keepends=True):
            text = line.rstrip(b"\r\n")
            self._line += text
            if self._event_bytes + len(self._line) > self._bytes_max:
                raise EventTooLarge(f"An event of the stream has more than {self._bytes_max} bytes.")
            if len(text) < len(line):
                self._end_line(arrived)

    def _end_line(self, arrived: Deque[_Arrived]) -> None:
        size = len(self._line)
        line = self._line.decode("utf-8", errors="replace")
        self._line = bytearray()
        if self._first_line:
            line = line.removeprefix("\ufeff")
        self._first_line = False
        if line == "":
            self._dispatch(arrived)
        elif not line.startswith(":"):
            self._event_bytes += size
            self._field(line)

    def _field(self, line: str) -> None:
        """Other fields mean nothing here, ``retry`` included."""
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value or None
        elif name == "id" and "\0" not in value:
            self._id = value or None
            self._last_event_id = self._id

    def _dispatch(self, arrived: Deque[_Arrived]) -> None:
        if self._data:
            event = StreamEvent(event=self._event, id=self._id, data="\n".join(self._data))
            arrived.append((event, self._last_event_id))
        self._event = None
        self._id = None
        self._data = []
        self._event_bytes = 0
