"""A stream of server-sent events, read one at a time.

It is part of the Python client and handwritten: this file is copied into it as it is. It does not connect again by
itself, because only its caller knows which events it has.
"""

import contextlib
import threading
from dataclasses import dataclass
from typing import Iterator, List, Optional, Protocol

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
        self._bytes_max = event_bytes_max
        self._event_bytes = 0
        self._closed = False
        self._failure: Optional[Exception] = None
        self._events = self._read()

    def __iter__(self) -> "EventStream":
        return self

    def __next__(self) -> StreamEvent:
        if self._failure is not None:
            raise self._failure
        try:
            event = next(self._events)
        except EventTooLarge as failure:
            self._failure = failure
        except (urllib3.exceptions.HTTPError, OSError, EOFError, ValueError) as cause:
            self._failure = StreamCut(self.last_event_id)
            self._failure.__cause__ = cause
        else:
            return event
        if self._closed:
            raise StopIteration
        self._end()
        raise self._failure

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
        self._end()

    def _end(self) -> None:
        with self._body_in_use:
            self._body.close()

    def _read(self) -> Iterator[StreamEvent]:
        """Server-sent events as the HTML standard reads them; other fields mean nothing here, ``retry`` included."""
        name: Optional[str] = None
        own_id: Optional[str] = None
        last_id: Optional[str] = None
        data: List[str] = []
        for number, raw in enumerate(self._lines()):
            line = raw.decode("utf-8", errors="replace")
            field, _, value = (line.removeprefix("\ufeff") if number == 0 else line).partition(":")
            value = value.removeprefix(" ")
            self._event_bytes += len(raw) if field else 0
            if field == "data":
                data.append(value)
            elif field == "event":
                name = value or None
            elif field == "id" and "\0" not in value:
                own_id = last_id = value or None
            elif line == "":
                if data:
                    self.last_event_id = last_id
                    yield StreamEvent(event=name, id=own_id, data="\n".join(data))
                name, own_id, data, self._event_bytes = None, None, [], 0

    def _lines(self) -> Iterator[bytes]:
        """The lines, without their ends. They are decoded whole, so a piece may end within a character."""
        held = bytearray()
        after_return = False
        while not self._closed:
            with self._body_in_use:
                piece = self._body.read1(_PIECE_BYTES)
            if not piece:
                break
            is_second_half = after_return and piece.startswith(b"\n")
            after_return = piece.endswith(b"\r")
            # Of bytes, splitlines knows these three ends of lines and no other.
            for line in piece[is_second_half:].splitlines(keepends=True):
                text = line.rstrip(b"\r\n")
                held += text
                if self._event_bytes + len(held) > self._bytes_max:
                    raise EventTooLarge(f"An event of the stream has more than {self._bytes_max} bytes.")
                if len(text) < len(line):
                    yield bytes(held)
                    held.clear()
                if self._closed:
                    return
        if (held or self._event_bytes) and not self._closed:
            raise EOFError("It ended within an event.")
        self._end()
