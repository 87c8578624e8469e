package sluice.client;

import java.time.Duration;
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

    /** The level of each market, and then every change, until it is closed. It connects again, also while the gateway is away. */
    public LiveStream<LevelsFrameEntry> levels() {
        return new LiveStream<>(Integer.MAX_VALUE) {
            @Override
            EventStream open() {
                return Sluice.done(() -> new StreamsApi(sluice.api()).streamLevels().execute());
            }

            @Override
            boolean take(EventStream.Event event, Queue<LevelsFrameEntry> into) {
                into.addAll(Sluice.done(() -> JSON.getGson().fromJson(event.data(), LevelsFrame.class)).getLevels());
                return false;
            }

            @Override
            SluiceException endOf(RuntimeException cut) {
                return SluiceException.late("the stream of levels was left", null);
            }
        };
    }

    /** The levels of a market over a range (1h, 24h, 7d or 30d), in buckets of this length or the next shorter. */
    public MarketCandles candles(String model, String range, Duration bucket) {
        int seconds = (int) bucket.getSeconds();
        return Sluice.done(() -> new MarketApi(sluice.api()).getMarketCandles().model(model).range(range).bucket(seconds).execute());
    }

    /** What a locked order would bid at most now. */
    public Quote quote(String model) {
        return Sluice.done(() -> new MarketApi(sluice.api()).getPriceLock().model(model).execute());
    }

    /** What is sold. */
    public ModelList models() {
        return Sluice.done(() -> new ModelsApi(sluice.api()).listModels().execute());
    }
}
