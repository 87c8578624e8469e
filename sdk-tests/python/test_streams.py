"""The Python client's streams: its reader of events, and its methods against servers that behave oddly."""

import contextlib
import json
import socket
import threading
import unittest
from typing import Callable, Iterator, List, NamedTuple, Optional

import sluice
from sluice import StreamsApi
from sluice.event_stream import EventStream, EventTooLarge, StreamCut, StreamEvent
from sluice.exceptions import ApiException, NotFoundException

# Far longer than anything here takes; a test that would wait for ever fails instead.
PATIENCE_SECONDS = 60

with open("events.json", encoding="utf-8") as file:
    SAMPLE = json.load(file)
WHOLE = "".join(part["text"] for part in SAMPLE).encode()
EXPECTED = [StreamEvent(**part["event"]) for part in SAMPLE if part["event"]]


class Pieces:
    """A body that arrives in these pieces, and then ends."""

    def __init__(self, *pieces: bytes, failure: Optional[Exception] = None) -> None:
        self.pieces = [piece for piece in pieces if piece]
        self.failure = failure
        self.closed = False

    def read1(self, amt: int, /) -> bytes:
        if self.pieces:
            return self.pieces.pop(0)
        if self.failure:
            raise self.failure
        return b""

    def shutdown(self) -> None:
        pass

    def close(self) -> None:
        self.closed = True


class Read(NamedTuple):
    events: List[StreamEvent]
    error: Optional[Exception]


def read(stream: EventStream) -> Read:
    events: List[StreamEvent] = []
    try:
        for event in stream:
            events.append(event)
    except (StreamCut, EventTooLarge) as error:
        return Read(events, error)
    return Read(events, None)


def read_pieces(*pieces: bytes) -> Read:
    return read(EventStream(Pieces(*pieces)))


class Events(unittest.TestCase):
    def test_are_the_same_in_two_pieces_wherever_it_is_cut_in_two(self) -> None:
        for at in range(len(WHOLE) + 1):
            self.assertEqual(read_pieces(WHOLE[:at], WHOLE[at:]), Read(EXPECTED, None), f"cut at byte {at}")

    def test_are_the_same_byte_by_byte(self) -> None:
        pieces = [WHOLE[at : at + 1] for at in range(len(WHOLE))]
        self.assertEqual(read_pieces(*pieces), Read(EXPECTED, None))

    def test_are_those_that_were_whole_when_the_connection_ended_and_then_stream_cut(self) -> None:
        begin = 0
        before: List[StreamEvent] = []
        for part in SAMPLE:
            text = part["text"]
            end = begin + len(text.encode())
            for at in range(begin + 1, end + 1):
                whole = at == end or (text.endswith("\r\n") and at == end - 1)
                between = whole or text.strip() == ""
                events = [*before, StreamEvent(**part["event"])] if part["event"] and whole else before
                got = read_pieces(WHOLE[:at])
                self.assertEqual(got.events, events, f"ended at byte {at}")
                self.assertEqual(isinstance(got.error, StreamCut), not between, f"ended at byte {at}")
            begin = end
            if part["event"]:
                before.append(StreamEvent(**part["event"]))

    def test_have_what_is_not_utf_8_replaced(self) -> None:
        self.assertEqual(read_pieces(b"data: a\xffb\n\n").events[0].data, "a\ufffdb")

    def test_are_returned_before_a_failure_which_says_where_to_go_on(self) -> None:
        cause = ConnectionResetError()
        body = Pieces(b"id: 7\ndata: a\n\ndata: b\n\n", b"id: 8\nda", failure=cause)
        stream = EventStream(body)
        self.assertIsNone(stream.last_event_id)
        events, error = read(stream)
        self.assertEqual([event.data for event in events], ["a", "b"])
        assert isinstance(error, StreamCut)
        self.assertEqual((error.last_event_id, error.__cause__, stream.last_event_id), ("7", cause, "7"))
        self.assertTrue(body.closed)
        with self.assertRaises(StreamCut):
            next(stream)

    def test_have_a_bound_beyond_which_the_connection_is_closed(self) -> None:
        comment = b":" + b" " * 29 + b"\n"
        body = Pieces(comment * 2 + b"data: 23456789\ndata: 2345\n\ndata: 234567890", b"1234567", b"data: 234567890")
        events, error = read(EventStream(body, 30))
        self.assertEqual(len(events), 1)
        self.assertIsInstance(error, EventTooLarge)
        self.assertTrue(body.closed)
        self.assertIsInstance(read(EventStream(Pieces(b"x" * 31), 30)).error, EventTooLarge)
        self.assertEqual(len(read(EventStream(Pieces(b"data: 23456789\ndata: 234567890\n\n"), 30)).events), 1)


@contextlib.contextmanager
def served(
    answer: bytes, then: Callable[[socket.socket], None], requests: Optional[List[bytes]] = None
) -> Iterator[StreamsApi]:
    """A client of a server that gives one answer, and what it does after that."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(PATIENCE_SECONDS)

    def serve() -> None:
        connection, _ = listener.accept()
        connection.settimeout(PATIENCE_SECONDS)
        with connection:
            request = b""
            while not request.endswith(b"\r\n\r\n"):
                request += connection.recv(65536)
            if requests is not None:
                requests.append(request)
            connection.sendall(answer)
            then(connection)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        host = f"http://127.0.0.1:{listener.getsockname()[1]}"
        yield StreamsApi(sluice.ApiClient(sluice.Configuration(host=host, access_token="sk")))
    finally:
        thread.join(PATIENCE_SECONDS)
        listener.close()


def chunked(content_type: str) -> bytes:
    event = b"id: 3\ndata: a\n\n"
    head = f"HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\n\r\n"
    return head.encode() + b"%x\r\n%s\r\n" % (len(event), event)


STREAM = chunked("text/event-stream")


def was_closed(connection: socket.socket) -> bool:
    """Waits until the other side closes; what it had not read makes that a reset."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


class StreamOverHttp(unittest.TestCase):
    def test_sends_its_parameters_and_the_key(self) -> None:
        requests: List[bytes] = []
        with served(STREAM, lambda connection: None, requests) as streams:
            streams.stream_order("a/b", starting_after=0, last_event_id=7).close()
        line, *headers = requests[0].decode().rstrip().split("\r\n")
        self.assertEqual(line, "GET /v1/orders/a%2Fb/stream?starting_after=0 HTTP/1.1")
        for header in ("Accept: text/event-stream", "Authorization: Bearer sk", "Last-Event-ID: 7"):
            self.assertIn(header, headers)

    def test_closes_its_connection_when_its_reader_leaves(self) -> None:
        left: List[bool] = []
        with served(STREAM, lambda connection: left.append(was_closed(connection))) as streams:
            with streams.stream_order("1") as stream:
                self.assertEqual(next(stream).data, "a")
            self.assertEqual(list(stream), [])
        self.assertEqual(left, [True])

    def test_ends_for_a_reader_that_waits_when_another_thread_closes_it(self) -> None:
        left: List[bool] = []
        with served(STREAM, lambda connection: left.append(was_closed(connection))) as streams:
            stream = streams.stream_order("1")
            next(stream)
            rest: List[Read] = []
            reader = threading.Thread(target=lambda: rest.append(read(stream)), daemon=True)
            reader.start()
            closer = threading.Thread(target=stream.close, daemon=True)
            closer.start()
            for thread in (closer, reader):
                thread.join(PATIENCE_SECONDS)
                self.assertFalse(thread.is_alive())
        self.assertEqual((rest, left), ([Read([], None)], [True]))

    def test_is_cut_when_the_connection_is_also_between_two_events(self) -> None:
        with served(STREAM, lambda connection: None) as streams:
            events, error = read(streams.stream_order("1"))
        self.assertEqual(len(events), 1)
        assert isinstance(error, StreamCut)
        self.assertEqual(error.last_event_id, "3")

    def test_ends_when_the_answer_does(self) -> None:
        with served(STREAM, lambda connection: connection.sendall(b"0\r\n\r\n")) as streams:
            self.assertEqual(read(streams.stream_order("1")), Read([StreamEvent(None, "3", "a")], None))

    def test_is_refused_like_any_other_operation(self) -> None:
        body = b'{"error": {"message": "No.", "type": "invalid_request_error", "code": "order_not_found", "param": null}}'
        head = f"HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        with served(head.encode() + body, lambda connection: None) as streams:
            with self.assertRaises(NotFoundException) as refusal:
                streams.stream_order("1")
        assert refusal.exception.data is not None
        self.assertEqual(refusal.exception.data.error.code, "order_not_found")

    def test_is_not_whatever_else_answers(self) -> None:
        with served(chunked("text/html"), lambda connection: None) as streams:
            with self.assertRaisesRegex(ApiException, "not a stream"):
                streams.stream_order("1")


if __name__ == "__main__":
    unittest.main()
