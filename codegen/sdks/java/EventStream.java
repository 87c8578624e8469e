package sluice.client;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import okio.BufferedSource;
import okio.ByteString;

/**
 * The events of a response, in order; iterate over it once, in one thread, within a try-with-resources. It is part of the
 * Java client and handwritten: this file is copied into it as it is.
 *
 * <p>To leave the block ends the connection; so does {@link #close} in another thread, and the one that waits gets the end of
 * the stream. Keeps one event and what came in the same piece. {@link #hasNext} waits for an event, and throws
 * {@link CutException} and {@link TooLargeException} after the events that came before. It does not connect again by itself,
 * because only its caller knows which events it has.
 */
public final class EventStream implements Iterable<EventStream.Event>, Iterator<EventStream.Event>, AutoCloseable {
    /** The most bytes that the lines of one event may have together: eight times the largest request by default. */
    public static final int EVENT_BYTES_MAX = 64 * 1024 * 1024;

    private static final ByteString LINE_ENDS = ByteString.encodeUtf8("\r\n");

    private final BufferedSource body;
    private final Closeable connection;
    private final int bytesMax;
    private boolean isFirstLine = true;
    /** Whether the last line ended with \r, which may be half of \r\n. */
    private boolean afterReturn;
    private long eventBytes;
    /** The last id that came, which is that of the next event unless it has its own. */
    private String comingId;
    private String lastEventId;
    private Event next;
    private boolean ended;
    private RuntimeException failure;
    private volatile boolean closed;

    /**
     * Reads the events of a body, of which none may have more bytes. To close the stream closes the connection, which has to end
     * a read of the body that waits, and then the body.
     */
    public EventStream(BufferedSource body, Closeable connection, int eventBytesMax) {
        this.body = body;
        this.connection = connection;
        this.bytesMax = eventBytesMax;
    }

    /**
     * One event of a stream.
     *
     * @param event its name; null when it has none
     * @param id the number or name by which a stream goes on after it; null when it has none
     * @param data its text: JSON or, at the end of some streams, {@code [DONE]}
     */
    public record Event(String event, String id, String data) {}

    /** The connection ended in the middle of a stream, which can go on after the last id. The cause says how it ended. */
    public static final class CutException extends RuntimeException {
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
        if (next == null && !ended && !closed && failure == null) read();
        if (closed) return false;
        if (failure != null) throw failure;
        return next != null;
    }

    @Override
    public Event next() {
        if (!hasNext()) throw new NoSuchElementException();
        Event event = next;
        next = null;
        lastEventId = comingId;
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
            synchronized (body) {
                next = nextEvent();
            }
            ended = next == null;
        } catch (TooLargeException tooLarge) {
            failure = tooLarge;
        } catch (IOException cause) {
            failure = new CutException(lastEventId, cause);
        }
        if (failure != null) disconnect();
    }

    /** As the HTML standard reads it; null at the end. Lines are decoded whole, so a piece may end within a character. */
    private Event nextEvent() throws IOException {
        String name = null;
        String id = null;
        List<String> data = new ArrayList<>();
        for (String line = nextLine(); line != null; line = nextLine()) {
            if (line.isEmpty()) {
                eventBytes = 0;
                if (!data.isEmpty()) return new Event(name, id, String.join("\n", data));
                name = null;
                id = null;
            }
            int colon = line.indexOf(':');
            String value = colon < 0 ? "" : line.substring(line.startsWith(" ", colon + 1) ? colon + 2 : colon + 1);
            // Other fields mean nothing here, retry included.
            switch (colon < 0 ? line : line.substring(0, colon)) {
                case "data" -> data.add(value);
                case "event" -> name = value.isEmpty() ? null : value;
                case "id" -> {
                    if (value.indexOf('\0') < 0) comingId = id = value.isEmpty() ? null : value;
                }
                default -> {}
            }
        }
        return null;
    }

    /** Ends with \n, \r or \r\n, and after a \r without waiting for its \n. Null at the end of the body. */
    private String nextLine() throws IOException {
        if (afterReturn && body.request(1) && body.getBuffer().getByte(0) == '\n') body.skip(1);
        afterReturn = false;
        long end = -1;
        for (long searched = 0; end < 0; ) {
            end = body.getBuffer().indexOfElement(LINE_ENDS, searched);
            searched = body.getBuffer().size();
            if (eventBytes + (end < 0 ? searched : end) > bytesMax) throw new TooLargeException(bytesMax);
            if (end >= 0 || body.request(searched + 1)) continue;
            if (searched > 0 || eventBytes > 0) throw new EOFException("It ended within an event.");
            return null;
        }
        String line = body.readUtf8(end);
        afterReturn = body.readByte() == '\r';
        // A comment belongs to no event.
        if (!line.startsWith(":")) eventBytes += end;
        if (isFirstLine && line.startsWith("\uFEFF")) line = line.substring(1);
        isFirstLine = false;
        return line;
    }
}
