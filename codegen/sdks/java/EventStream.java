package sluice.client;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Queue;

/**
 * The events of a response, in order; iterate over it once, in one thread, within a try-with-resources. It is part of the
 * Java client and handwritten: this file is copied into it as it is.
 *
 * <p>To leave the block ends the connection; so does {@link #close} in another thread, and the one that waits gets the end of
 * the stream. Keeps one event and what came in the same piece. {@link #hasNext} waits for an event, and throws
 * {@link CutException} and {@link TooLargeException} after the events that came before. It does not connect again by itself,
 * because only its caller knows which events it has.
 */
public class EventStream implements Iterable<EventStream.Event>, Iterator<EventStream.Event>, AutoCloseable {
    /** The most bytes that the lines of one event may have together: eight times the largest request by default. */
    public static final int EVENT_BYTES_MAX = 64 * 1024 * 1024;

    private static final int PIECE_BYTES = 64 * 1024;

    private final InputStream body;
    private final Closeable connection;
    private final Parser parser;
    private final byte[] piece = new byte[PIECE_BYTES];
    private final Queue<Event> arrived = new ArrayDeque<>();
    private String lastEventId;
    private boolean ended;
    private RuntimeException failure;
    private volatile boolean closed;

    /**
     * Reads the events of a body, of which none may have more bytes. To close the stream closes the connection, which has to end
     * a read of the body that waits, and then the body.
     */
    public EventStream(InputStream body, Closeable connection, int eventBytesMax) {
        this.body = body;
        this.connection = connection;
        this.parser = new Parser(eventBytesMax);
    }

    /** One event of a stream. */
    public static final class Event {
        private final String event;
        private final String id;
        private final String data;
        private final String lastEventId;

        private Event(String event, String id, String data, String lastEventId) {
            this.event = event;
            this.id = id;
            this.data = data;
            this.lastEventId = lastEventId;
        }

        /** Its name; null when it has none. */
        public String getEvent() {
            return event;
        }

        /** The number or name by which a stream goes on after it; null when it has none. */
        public String getId() {
            return id;
        }

        /** Its text: JSON or, at the end of some streams, {@code [DONE]}. */
        public String getData() {
            return data;
        }

        @Override
        public String toString() {
            return "event " + event + ", id " + id + ": " + data;
        }
    }

    /** The connection ended in the middle of a stream, which can go on after the last id. The cause says how it ended. */
    public static final class CutException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final String lastEventId;

        private CutException(String lastEventId, IOException cause) {
            super("The stream was cut after " + (lastEventId == null ? "no event." : "event " + lastEventId + "."), cause);
            this.lastEventId = lastEventId;
        }

        /** That of the last event that had one; null when none had. */
        public String getLastEventId() {
            return lastEventId;
        }
    }

    /** An event that is larger than the bound; the stream was closed. */
    public static final class TooLargeException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private TooLargeException(int bytesMax) {
            super("An event of the stream has more than " + bytesMax + " bytes.");
        }
    }

    /** That of the last returned event that had one; null when none had. */
    public String getLastEventId() {
        return lastEventId;
    }

    @Override
    public Iterator<Event> iterator() {
        return this;
    }

    @Override
    public boolean hasNext() {
        while (arrived.isEmpty() && !ended && !closed) read();
        if (closed) return false;
        if (arrived.isEmpty() && failure != null) throw failure;
        return !arrived.isEmpty();
    }

    @Override
    public Event next() {
        if (!hasNext()) throw new NoSuchElementException();
        Event event = arrived.remove();
        lastEventId = event.lastEventId;
        return event;
    }

    /** Ends the connection. The stream has no more events then. */
    @Override
    public void close() {
        closed = true;
        disconnect();
    }

    private void disconnect() {
        try {
            connection.close();
            // A body that is being read cannot be closed.
            synchronized (body) {
                body.close();
            }
        } catch (IOException unimportant) {
            // It is closed.
        }
    }

    private void read() {
        try {
            int count;
            synchronized (body) {
                count = body.read(piece);
            }
            if (count >= 0) {
                parser.feed(piece, count, arrived);
                return;
            }
            if (parser.inEvent()) throw new EOFException("It ended within an event.");
            ended = true;
        } catch (TooLargeException tooLarge) {
            fail(tooLarge);
        } catch (IOException cause) {
            fail(new CutException(lastEventId, cause));
        }
    }

    /** What arrived before it is still returned. */
    private void fail(RuntimeException reason) {
        ended = true;
        failure = reason;
        disconnect();
    }

    /** Server-sent events as the HTML standard reads them. Lines are decoded whole, so a piece may end within a character. */
    private static final class Parser {
        private final int bytesMax;
        private ByteArrayOutputStream line = new ByteArrayOutputStream();
        private boolean firstLine = true;
        private boolean afterReturn;
        private String event;
        private String id;
        private List<String> data = new ArrayList<>();
        private int eventBytes;
        private String lastEventId;

        private Parser(int bytesMax) {
            this.bytesMax = bytesMax;
        }

        /** Whether an event has begun and not ended. */
        private boolean inEvent() {
            return line.size() > 0 || eventBytes > 0;
        }

        /** Adds the events that end in this piece. */
        private void feed(byte[] piece, int count, Queue<Event> arrived) {
            int begin = 0;
            for (int at = 0; at < count; at++) {
                boolean secondHalf = piece[at] == '\n' && afterReturn;
                afterReturn = piece[at] == '\r';
                if (piece[at] != '\n' && piece[at] != '\r') continue;
                if (!secondHalf) {
                    hold(piece, begin, at);
                    endLine(arrived);
                }
                begin = at + 1;
            }
            hold(piece, begin, count);
        }

        private void hold(byte[] piece, int begin, int end) {
            if ((long) eventBytes + line.size() + end - begin > bytesMax) throw new TooLargeException(bytesMax);
            line.write(piece, begin, end - begin);
        }

        private void endLine(Queue<Event> arrived) {
            int size = line.size();
            String text = line.toString(StandardCharsets.UTF_8);
            line = new ByteArrayOutputStream();
            if (firstLine && text.startsWith("\uFEFF")) text = text.substring(1);
            firstLine = false;
            if (text.isEmpty()) {
                dispatch(arrived);
            } else if (!text.startsWith(":")) {
                eventBytes += size;
                field(text);
            }
        }

        /** Other fields mean nothing here, {@code retry} included. */
        private void field(String text) {
            int colon = text.indexOf(':');
            String name = colon < 0 ? text : text.substring(0, colon);
            String value = colon < 0 ? "" : text.substring(colon + 1);
            if (value.startsWith(" ")) value = value.substring(1);
            if (name.equals("data")) {
                data.add(value);
            } else if (name.equals("event")) {
                event = value.isEmpty() ? null : value;
            } else if (name.equals("id") && value.indexOf('\0') < 0) {
                id = value.isEmpty() ? null : value;
                lastEventId = id;
            }
        }

        private void dispatch(Queue<Event> arrived) {
            if (!data.isEmpty()) arrived.add(new Event(event, id, String.join("\n", data), lastEventId));
            event = null;
            id = null;
            data = new ArrayList<>();
            eventBytes = 0;
        }
    }
}
