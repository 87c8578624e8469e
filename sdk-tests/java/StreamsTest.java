import com.google.gson.Gson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import okio.BufferedSource;
import okio.Okio;
import sluice.client.ApiClient;
import sluice.client.ApiException;
import sluice.client.EventStream;
import sluice.client.api.StreamsApi;

/** The Java client's streams: its reader of events, and its methods against servers that behave oddly. */
public class StreamsTest {
    /** Far longer than anything here takes; what would wait for ever fails instead. */
    private static final int PATIENCE_SECONDS = 60;

    public static void main(String[] arguments) throws Exception {
        List<Part> sample = List.of(new Gson().fromJson(Files.readString(Path.of("events.json")), Part[].class));
        theSameWhereverTheStreamIsCutInTwo(sample);
        theSameByteByByte(sample);
        wholeEventsAndThenAnErrorUnlessItEndsBetweenTwo(sample);
        whatIsNotUtf8IsReplaced();
        eventsComeBeforeAFailureThatSaysWhereToGoOn();
        anEventHasABoundBeyondWhichTheConnectionIsClosed();
        aRequestSendsItsParametersAndTheKey();
        aStreamThatIsClosedClosesItsConnection();
        aStreamThatAnotherThreadClosesEnds();
        aStreamOverHttpThatAnotherThreadClosesEnds();
        aStreamIsNotLoggedBecauseThatWouldWaitForItsEnd();
        aStreamIsCutWhenItsConnectionIsAlsoBetweenTwoEvents();
        aStreamEndsWhenTheAnswerDoes();
        aStreamIsRefusedLikeAnyOtherOperation();
        anAnswerOfAnotherTypeIsNoStream();
        // OkHttp keeps threads for a minute after the last call.
        System.exit(0);
    }

    private static void theSameWhereverTheStreamIsCutInTwo(List<Part> sample) {
        byte[] whole = joined(sample);
        for (int at = 0; at <= whole.length; at++) {
            Read read = read(part(whole, 0, at), part(whole, at, whole.length));
            check(read.error == null && read.events.equals(eventsOf(sample)), "cut at byte " + at + ": " + read);
        }
    }

    private static void theSameByteByByte(List<Part> sample) {
        byte[] whole = joined(sample);
        byte[][] bytes = new byte[whole.length][];
        for (int at = 0; at < whole.length; at++) bytes[at] = part(whole, at, at + 1);
        Read read = read(bytes);
        check(read.error == null && read.events.equals(eventsOf(sample)), read);
    }

    private static void wholeEventsAndThenAnErrorUnlessItEndsBetweenTwo(List<Part> sample) {
        byte[] whole = joined(sample);
        int begin = 0;
        for (int index = 0; index < sample.size(); index++) {
            Part part = sample.get(index);
            int end = begin + part.bytes().length;
            for (int at = begin + 1; at <= end; at++) {
                boolean isWhole = at == end || part.text.endsWith("\r\n") && at == end - 1;
                boolean isBetween = isWhole || part.text.isBlank();
                Read read = read(part(whole, 0, at));
                List<String> expected = eventsOf(sample.subList(0, isWhole ? index + 1 : index));
                check(read.events.equals(expected), "ended at byte " + at + ": " + read);
                check(read.error instanceof EventStream.CutException == !isBetween, "ended at byte " + at + ": " + read);
            }
            begin = end;
        }
    }

    private static void whatIsNotUtf8IsReplaced() {
        byte[] text = "data: a?b\n\n".getBytes(StandardCharsets.UTF_8);
        text[7] = (byte) 0xff;
        check(read(text).events.get(0).endsWith("data=a\uFFFDb]"), read(text));
    }

    private static void eventsComeBeforeAFailureThatSaysWhereToGoOn() {
        Pieces body = new Pieces(bytes("id: 7\ndata: a\n\ndata: b\n\n"), bytes("id: 8\nda"));
        body.failure = new IOException("reset");
        EventStream stream = new EventStream(sourceOf(body), body, EventStream.EVENT_BYTES_MAX);
        check(stream.getLastEventId() == null, stream.getLastEventId());
        Read read = new Read(stream);
        check(read.events.size() == 2 && read.events.get(1).endsWith("data=b]"), read);
        EventStream.CutException cut = (EventStream.CutException) read.error;
        check(cut.getLastEventId().equals("7") && cut.getCause() == body.failure, cut);
        check(stream.getLastEventId().equals("7") && body.closed, stream.getLastEventId());
    }

    private static void anEventHasABoundBeyondWhichTheConnectionIsClosed() {
        String comment = ":" + " ".repeat(29) + "\n";
        String begin = comment + comment + "data: 23456789\ndata: 2345\n\ndata: 234567890";
        Pieces body = new Pieces(bytes(begin), bytes("1234567"), bytes("data: 234567890"));
        Read read = new Read(new EventStream(sourceOf(body), body, 30));
        check(read.events.size() == 1 && read.error instanceof EventStream.TooLargeException && body.closed, read);
        Pieces unended = new Pieces(bytes("x".repeat(31)));
        check(new Read(new EventStream(sourceOf(unended), unended, 30)).error instanceof EventStream.TooLargeException, "unended");
        Pieces fits = new Pieces(bytes("data: 23456789\ndata: 234567890\n\n"));
        Read fitting = new Read(new EventStream(sourceOf(fits), fits, 30));
        check(fitting.events.size() == 1 && fitting.error == null, fitting);
    }

    private static void aRequestSendsItsParametersAndTheKey() throws Exception {
        try (Server server = new Server(chunked("text/event-stream"), true)) {
            server.streams().streamOrder("a/b").startingAfter(0).lastEventID(7).execute().close();
            List<String> lines = List.of(server.request.get(PATIENCE_SECONDS, TimeUnit.SECONDS).split("\r\n"));
            check(lines.get(0).equals("GET /v1/orders/a%2Fb/stream?starting_after=0 HTTP/1.1"), lines);
            check(lines.contains("Accept: text/event-stream") && lines.contains("Last-Event-ID: 7"), lines);
            check(lines.contains("Authorization: Bearer sk"), lines);
        }
    }

    private static void aStreamThatIsClosedClosesItsConnection() throws Exception {
        try (Server server = new Server(chunked("text/event-stream"), false)) {
            EventStream stream = server.streams().streamOrder("1").execute();
            check(stream.next().data().equals("a"), "the first event");
            stream.close();
            check(server.wasClosed.get(PATIENCE_SECONDS, TimeUnit.SECONDS), "It was not closed.");
            check(!stream.hasNext(), "It goes on.");
        }
    }

    private static void aStreamThatAnotherThreadClosesEnds() throws Exception {
        Waiting body = new Waiting();
        EventStream stream = new EventStream(sourceOf(body), body.disconnected::countDown, EventStream.EVENT_BYTES_MAX);
        CompletableFuture<Boolean> hasNext = CompletableFuture.supplyAsync(stream::hasNext);
        check(body.reading.await(PATIENCE_SECONDS, TimeUnit.SECONDS), "It was not read.");
        stream.close();
        check(!hasNext.get(PATIENCE_SECONDS, TimeUnit.SECONDS), "It goes on.");
        check(body.closed && !body.closedWhileRead, "It was closed while it was read.");
    }

    private static void aStreamOverHttpThatAnotherThreadClosesEnds() throws Exception {
        try (Server server = new Server(chunked("text/event-stream"), false)) {
            EventStream stream = server.streams().streamOrder("1").execute();
            stream.next();
            CompletableFuture<Boolean> hasNext = CompletableFuture.supplyAsync(stream::hasNext);
            stream.close();
            check(!hasNext.get(PATIENCE_SECONDS, TimeUnit.SECONDS), "It goes on.");
            check(server.wasClosed.get(PATIENCE_SECONDS, TimeUnit.SECONDS), "It was not closed.");
        }
    }

    private static void aStreamIsNotLoggedBecauseThatWouldWaitForItsEnd() throws Exception {
        try (Server server = new Server(chunked("text/event-stream"), false)) {
            ApiClient client = server.client().setDebugging(true);
            EventStream stream = CompletableFuture.supplyAsync(() -> opened(client)).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            check(stream.next().data().equals("a"), "the first event");
            stream.close();
        }
    }

    private static EventStream opened(ApiClient client) {
        try {
            return new StreamsApi(client).streamOrder("1").execute();
        } catch (ApiException refusal) {
            throw new AssertionError(refusal);
        }
    }

    private static void aStreamIsCutWhenItsConnectionIsAlsoBetweenTwoEvents() throws Exception {
        try (Server server = new Server(chunked("text/event-stream"), true)) {
            Read read = new Read(server.streams().streamOrder("1").execute());
            check(read.events.size() == 1, read);
            check(((EventStream.CutException) read.error).getLastEventId().equals("3"), read);
        }
    }

    private static void aStreamEndsWhenTheAnswerDoes() throws Exception {
        try (Server server = new Server(chunked("text/event-stream") + "0\r\n\r\n", true)) {
            Read read = new Read(server.streams().streamOrder("1").execute());
            check(read.events.size() == 1 && read.error == null, read);
        }
    }

    private static void aStreamIsRefusedLikeAnyOtherOperation() throws Exception {
        String body = "{\"error\": {\"message\": \"No.\", \"type\": \"t\", \"code\": \"order_not_found\", \"param\": null}}";
        String head = "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: " + body.length();
        try (Server server = new Server(head + "\r\n\r\n" + body, true)) {
            server.streams().streamOrder("1").execute();
            check(false, "It was not refused.");
        } catch (ApiException refusal) {
            check(refusal.getCode() == 404 && refusal.getError().getCode().equals("order_not_found"), refusal);
        }
    }

    private static void anAnswerOfAnotherTypeIsNoStream() throws Exception {
        try (Server server = new Server(chunked("text/html"), true)) {
            server.streams().streamOrder("1").execute();
            check(false, "It was read.");
        } catch (ApiException refusal) {
            check(refusal.getMessage().contains("not a stream"), refusal);
        }
    }

    /** A part of the sample: what is sent, and the event that it is, if it is one. */
    private static class Part {
        String text;
        Expected event;

        byte[] bytes() {
            return StreamsTest.bytes(text);
        }
    }

    private static class Expected {
        String event;
        String id;
        String data;

        @Override
        public String toString() {
            return new EventStream.Event(event, id, data).toString();
        }
    }

    /** The events of a stream as text, and the error that it ended with. */
    private static class Read {
        final List<String> events = new ArrayList<>();
        RuntimeException error;

        Read(EventStream stream) {
            try {
                for (EventStream.Event event : stream) events.add(event.toString());
            } catch (EventStream.CutException | EventStream.TooLargeException failure) {
                error = failure;
            }
        }

        @Override
        public String toString() {
            return events + ", " + error;
        }
    }

    /** A body that arrives in these pieces, and then ends. */
    private static class Pieces extends InputStream {
        private final Queue<byte[]> left = new ArrayDeque<>();
        IOException failure;
        boolean closed;

        Pieces(byte[]... pieces) {
            for (byte[] piece : pieces) if (piece.length > 0) left.add(piece);
        }

        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (left.isEmpty() && failure != null) throw failure;
            return left.isEmpty() ? -1 : new ByteArrayInputStream(left.remove()).read(into, offset, length);
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** A body of which nothing arrives until its connection ends. */
    private static class Waiting extends InputStream {
        final CountDownLatch reading = new CountDownLatch(1);
        final CountDownLatch disconnected = new CountDownLatch(1);
        volatile boolean closed;
        volatile boolean closedWhileRead;
        private volatile boolean isRead;

        @Override
        public int read() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            isRead = true;
            reading.countDown();
            try {
                disconnected.await();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
            isRead = false;
            throw new SocketException("Socket closed");
        }

        @Override
        public void close() {
            closed = true;
            closedWhileRead |= isRead;
        }
    }

    /** Gives one answer, and then closes the connection, or waits until the other side does. */
    private static class Server implements AutoCloseable {
        final CompletableFuture<String> request = new CompletableFuture<>();
        final CompletableFuture<Boolean> wasClosed = new CompletableFuture<>();
        private final ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());

        Server(String answer, boolean closes) throws IOException {
            Thread thread = new Thread(() -> serve(answer, closes));
            thread.setDaemon(true);
            thread.start();
        }

        StreamsApi streams() {
            return new StreamsApi(client());
        }

        ApiClient client() {
            ApiClient client = new ApiClient();
            client.setBasePath("http://127.0.0.1:" + socket.getLocalPort());
            client.setBearerToken("sk");
            return client;
        }

        private void serve(String answer, boolean closes) {
            try (Socket connection = socket.accept()) {
                InputStream in = connection.getInputStream();
                StringBuilder text = new StringBuilder();
                for (int character = in.read(); character >= 0; character = in.read()) {
                    if (text.append((char) character).indexOf("\r\n\r\n") > 0) break;
                }
                request.complete(text.toString());
                connection.getOutputStream().write(bytes(answer));
                if (!closes) wasClosed.complete(isAtEnd(in));
            } catch (IOException failure) {
                wasClosed.completeExceptionally(failure);
            }
        }

        /** What the other side had not read makes its end a reset. */
        private static boolean isAtEnd(InputStream in) throws IOException {
            try {
                return in.read() < 0;
            } catch (SocketException reset) {
                return true;
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }

    private static String chunked(String contentType) {
        String event = "id: 3\ndata: a\n\n";
        String head = "HTTP/1.1 200 OK\r\nContent-Type: " + contentType + "\r\nTransfer-Encoding: chunked\r\n\r\n";
        return head + Integer.toHexString(event.length()) + "\r\n" + event + "\r\n";
    }

    private static Read read(byte[]... pieces) {
        Pieces body = new Pieces(pieces);
        return new Read(new EventStream(sourceOf(body), body, EventStream.EVENT_BYTES_MAX));
    }

    private static BufferedSource sourceOf(InputStream body) {
        return Okio.buffer(Okio.source(body));
    }

    private static byte[] joined(List<Part> sample) {
        return bytes(sample.stream().map(part -> part.text).collect(Collectors.joining()));
    }

    private static List<String> eventsOf(List<Part> sample) {
        return sample.stream().filter(part -> part.event != null).map(part -> part.event.toString()).collect(Collectors.toList());
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] part(byte[] whole, int begin, int end) {
        return Arrays.copyOfRange(whole, begin, end);
    }

    private static void check(boolean holds, Object otherwise) {
        if (!holds) throw new AssertionError(otherwise);
    }
}
