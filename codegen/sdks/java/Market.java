package sluice.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Queue;
import sluice.client.api.MarketApi;
import sluice.client.api.ModelsApi;
import sluice.client.api.StreamsApi;
import sluice.client.model.LevelsFrame;
import sluice.client.model.LevelsFrameEntry;
import sluice.client.model.MarketCandles;
import sluice.client.model.ModelList;
import sluice.client.model.Quote;

/** Prices. It is handwritten: the generated streams end with their connection. */
public final class Market {
    private final Sluice sluice;

    Market(Sluice sluice) {
        this.sluice = sluice;
    }

    /** The level of each market, and then every change, until it is closed. It connects again after a cut. */
    public Levels levels() {
        return new Levels(sluice);
    }

    /** The levels of a market over a range (1h, 24h, 7d or 30d), in buckets of this length or the next shorter. */
    public MarketCandles candles(String model, String range, Duration bucket) {
        MarketApi market = new MarketApi(sluice.api());
        int seconds = (int) bucket.getSeconds();
        return Sluice.done(() -> market.getMarketCandles().model(model).range(range).bucket(seconds).execute());
    }

    /** What a locked order would bid at most now. */
    public Quote quote(String model) {
        return Sluice.done(() -> new MarketApi(sluice.api()).getPriceLock().model(model).execute());
    }

    /** What is sold. */
    public ModelList models() {
        return Sluice.done(() -> new ModelsApi(sluice.api()).listModels().execute());
    }

    /** Levels without an end; iterate over it once, in one thread, within a try-with-resources. */
    public static final class Levels implements Iterable<LevelsFrameEntry>, Iterator<LevelsFrameEntry>, AutoCloseable {
        private final Sluice sluice;
        private final Queue<LevelsFrameEntry> arrived = new ArrayDeque<>();
        private EventStream events;
        private int fruitless;
        private boolean closed;

        private Levels(Sluice sluice) {
            this.sluice = sluice;
        }

        @Override
        public Iterator<LevelsFrameEntry> iterator() {
            return this;
        }

        /** Waits for a level. False once it is closed, or its thread was interrupted. */
        @Override
        public boolean hasNext() {
            while (arrived.isEmpty() && !closed) {
                try {
                    if (events == null) events = Sluice.done(() -> new StreamsApi(sluice.api()).streamLevels().execute());
                    if (events.hasNext()) {
                        String data = events.next().getData();
                        arrived.addAll(Sluice.done(() -> JSON.getGson().fromJson(data, LevelsFrame.class)).getLevels());
                        fruitless = 0;
                        continue;
                    }
                } catch (EventStream.CutException cut) {
                    // It connects again.
                }
                if (events != null) events.close();
                events = null;
                if (!closed && !Sluice.sleep(Transport.backoffMs(++fruitless))) closed = true;
            }
            return !arrived.isEmpty();
        }

        @Override
        public LevelsFrameEntry next() {
            if (!hasNext()) throw new NoSuchElementException();
            return arrived.remove();
        }

        @Override
        public void close() {
            closed = true;
            if (events != null) events.close();
        }
    }
}
