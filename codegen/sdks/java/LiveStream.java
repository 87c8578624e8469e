package sluice.client;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;

/**
 * What a stream brings over several connections: after a cut it connects again. Iterate over it once, in one thread, within
 * a try-with-resources. It is handwritten: a generated stream ends with its connection.
 */
public abstract class LiveStream<Item> implements Iterable<Item>, Iterator<Item>, AutoCloseable {
    private final Queue<Item> arrived = new ArrayDeque<>();
    private final int fruitlessMax;
    private EventStream events;
    private int fruitless;
    private volatile boolean over;

    /** It ends after so many connections in a row that brought nothing; {@code MAX_VALUE} is never, also while none opens. */
    LiveStream(int fruitlessMax) {
        this.fruitlessMax = fruitlessMax;
    }

    abstract EventStream open();

    /** Adds what an event brings, and says whether it was the last. */
    abstract boolean take(EventStream.Event event, Queue<Item> into);

    /** How the last connection was cut; null when it just ended. */
    abstract SluiceException endOf(RuntimeException cut);

    @Override
    public Iterator<Item> iterator() {
        return this;
    }

    /** Waits for an item. False at the end, and once it is closed. */
    @Override
    public boolean hasNext() {
        while (arrived.isEmpty() && !over) {
            RuntimeException cut = null;
            try {
                if (events == null) events = open();
                if (events.hasNext()) {
                    fruitless = 0;
                    if (take(events.next(), arrived)) close();
                    continue;
                }
            } catch (EventStream.CutException reason) {
                cut = reason;
            } catch (SluiceException failure) {
                if (fruitlessMax < Integer.MAX_VALUE || !failure.isRetryable()) {
                    close();
                    throw failure;
                }
                cut = failure;
            }
            if (events != null) events.close();
            events = null;
            if (over || fruitless < fruitlessMax && Sluice.sleep(Transport.backoffMs(fruitless++))) continue;
            over = true;
            throw endOf(cut);
        }
        return !arrived.isEmpty();
    }

    @Override
    public Item next() {
        if (!hasNext()) throw new NoSuchElementException();
        return arrived.remove();
    }

    /** Ends the connection; an order goes on. */
    @Override
    public void close() {
        over = true;
        if (events != null) events.close();
    }
}
