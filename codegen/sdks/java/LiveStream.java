package sluice.client;

import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What a stream brings over several connections: after a cut it connects again. Iterate over it once, in one thread, within
 * a try-with-resources. It is handwritten: a generated stream ends with its connection.
 */
public final class LiveStream<Item> implements Iterable<Item>, Iterator<Item>, AutoCloseable {
    private final Supplier<EventStream> open;
    private final BiPredicate<EventStream.Event, Queue<Item>> take;
    private final int fruitlessMax;
    private final Function<RuntimeException, SluiceException> endOf;
    private final Queue<Item> arrived = new ArrayDeque<>();
    private EventStream events;
    private int fruitless;
    private volatile boolean over;

    /**
     * {@code take} adds what an event brings, and says whether it was the last. After so many connections in a row that
     * brought nothing {@code endOf} makes the exception from how the last one was cut; it gets null for one that ended.
     */
    LiveStream(
            Supplier<EventStream> open,
            BiPredicate<EventStream.Event, Queue<Item>> take,
            int fruitlessMax,
            Function<RuntimeException, SluiceException> endOf) {
        this.open = open;
        this.take = take;
        this.fruitlessMax = fruitlessMax;
        this.endOf = endOf;
    }

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
                if (events == null) events = open.get();
                if (events.hasNext()) {
                    fruitless = 0;
                    if (take.test(events.next(), arrived)) close();
                    continue;
                }
            } catch (EventStream.CutException reason) {
                cut = reason;
            } catch (SluiceException away) {
                if (fruitlessMax < Integer.MAX_VALUE || !away.isRetryable()) {
                    close();
                    throw away;
                }
                cut = away;
            }
            if (events != null) events.close();
            events = null;
            if (over || fruitless < fruitlessMax && Sluice.sleep(Transport.backoffMs(fruitless++))) continue;
            over = true;
            throw endOf.apply(cut);
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
