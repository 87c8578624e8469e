package sluice.client;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import okhttp3.Headers;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import sluice.client.api.OrdersApi;

/**
 * The client: orders, batches, files and markets over the generated API. Safe for many threads. It is handwritten: the
 * generated API has one method per operation, and knows neither an order that is followed to its end nor one
 * configuration for everything.
 *
 * <pre>{@code Sluice sluice = Sluice.builder().build(); // SLUICE_KEY, SLUICE_BASE_URL}</pre>
 */
public final class Sluice {
    /** An order may wait for hours, so only connecting has a bound. */
    private static final OkHttpClient PATIENT = new OkHttpClient.Builder()
            .connectTimeout(Duration.ofSeconds(10)).readTimeout(Duration.ZERO).writeTimeout(Duration.ZERO).build();
    private static final Executor THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "sluice");
        thread.setDaemon(true);
        return thread;
    });

    final Builder options;
    private final ApiClient api;

    private Sluice(Builder options) {
        this.options = options;
        OkHttpClient.Builder own = options.httpClient.newBuilder();
        // A hidden second attempt of OkHttp could make a second batch. A redirect would send an order elsewhere, or as a GET.
        own.retryOnConnectionFailure(false).followRedirects(false).addInterceptor(new Transport(this));
        if (options.timeout != null) own.callTimeout(options.timeout);
        this.api = new ApiClient(own.build());
        api.setBasePath(options.baseUrl.replaceAll("(/v1)?/*$", ""));
        api.setUserAgent("sluice-java");
        api.setBearerToken(options.apiKey);
        if (options.lenient) api.addDefaultHeader("X-Strict", "false");
        options.headers.forEach(api::addDefaultHeader);
    }

    /** A client with the defaults, and what the builder changes. */
    public static Builder builder() {
        return new Builder();
    }

    /** The same client with other options, such as a timeout, retries or an Idempotency-Key for some calls. */
    public Sluice with(Consumer<Builder> change) {
        Builder changed = options.copy();
        change.accept(changed);
        return changed.build();
    }

    /** Places and finds orders. */
    public Orders orders() {
        return new Orders(this);
    }

    /** Runs, finds and cancels batches. */
    public Batches batches() {
        return new Batches(this);
    }

    /** Uploads and reads the files of batches. */
    public Files files() {
        return new Files(this);
    }

    /** Prices; it needs no key. */
    public Market market() {
        return new Market(this);
    }

    /** For the generated API, with the same configuration, retries and errors: {@code new AccountApi(sluice.api())}. */
    public ApiClient api() {
        return api;
    }

    /**
     * Does something in a thread of the client: {@code sluice.async(order::result)}. A SluiceException is the cause of the
     * future's exception.
     */
    public <Value> CompletableFuture<Value> async(Supplier<Value> task) {
        return CompletableFuture.supplyAsync(task, THREADS);
    }

    /** A call of the generated API, which declares an exception that the transport does not throw. */
    interface GeneratedCall<Value> {
        Value execute() throws ApiException;
    }

    /** Makes a call; an answer that is not what it should be is thrown as one of the layer's exceptions. */
    static <Value> Value done(GeneratedCall<Value> call) {
        try {
            return call.execute();
        } catch (SluiceException failure) {
            throw failure;
        } catch (ApiException | RuntimeException odd) {
            // The time was over when the answer was there.
            if (odd.getCause() instanceof java.io.InterruptedIOException) throw SluiceException.late(odd.getMessage(), null);
            throw new SluiceException.UnexpectedAnswerException(new SluiceException.Facts(String.valueOf(odd.getMessage()), odd));
        }
    }

    /** The items of pages, each asked for when the loop gets there: {@code ask} gets null, then where the next page begins. */
    static <Page, Item> Iterable<Item> pages(
            Function<String, Page> ask, Function<Page, List<Item>> itemsOf, Function<Page, String> nextOf) {
        return () -> Stream.iterate(
                        ask.apply(null), page -> page != null, page -> nextOf.apply(page) == null ? null : ask.apply(nextOf.apply(page)))
                .flatMap(page -> itemsOf.apply(page).stream())
                .iterator();
    }

    /** Whether an order was charged, by its own state; null while it still can be, and when the gateway cannot be asked. */
    Boolean chargeOf(String orderId) {
        if (options.asksForCharge) return null;
        try {
            ApiClient asking = with(changed -> changed.asksForCharge = true).api;
            return switch (new OrdersApi(asking).getOrder(orderId).execute().getStatus()) {
                case "done" -> true;
                case "error", "canceled", "expired" -> false;
                default -> null;
            };
        } catch (SluiceException.NotFoundException missing) {
            return missing.getType() == null ? null : (Boolean) false;
        } catch (ApiException | RuntimeException unknown) {
            return null;
        }
    }

    /** False when the thread is interrupted, which it stays. */
    static boolean sleep(long ms) {
        try {
            Thread.sleep(ms);
            return true;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * What a logger gets to know of one attempt.
     *
     * @param number counts the attempts of a call from 1
     * @param status 0 when no answer came; then {@code failure} says why
     */
    public record Attempt(
            String method, String path, int number, int status, IOException failure, long ms, String requestId) {}

    /** The options of a client. */
    public static final class Builder implements Cloneable {
        String apiKey = System.getenv("SLUICE_KEY");
        String baseUrl = System.getenv().getOrDefault("SLUICE_BASE_URL", "http://127.0.0.1:8080");
        int maxRetries = 2;
        Duration timeout;
        HashMap<String, String> headers = new HashMap<>();
        String idempotencyKey;
        boolean lenient;
        OkHttpClient httpClient = PATIENT;
        Consumer<Attempt> onAttempt;
        boolean asksForCharge;

        private Builder copy() {
            try {
                Builder copied = (Builder) clone();
                copied.headers = new HashMap<>(headers);
                return copied;
            } catch (CloneNotSupportedException impossible) {
                throw new AssertionError(impossible);
            }
        }

        /** By default that of the environment, SLUICE_KEY. Market data needs none. */
        public Builder apiKey(String key) {
            apiKey = key;
            return this;
        }

        /** By default SLUICE_BASE_URL, else http://127.0.0.1:8080; without /v1. */
        public Builder baseUrl(String address) {
            baseUrl = address;
            return this;
        }

        /** 2 by default. Waiting for an order does not count. */
        public Builder maxRetries(int count) {
            maxRetries = count;
            return this;
        }

        /** Of a call with its retries, of a wait for a result, of a whole stream; none by default, but 10 seconds to connect. */
        public Builder timeout(Duration longest) {
            timeout = longest;
            return this;
        }

        /** Sent with every request. */
        public Builder header(String name, String value) {
            headers.put(name, value);
            return this;
        }

        /** Of the calls that create an order: with the key of an earlier call they get that order. Use it in {@link Sluice#with}. */
        public Builder idempotencyKey(String key) {
            idempotencyKey = key;
            return this;
        }

        /** Lets misspelt fields pass to the model. Otherwise they are refused, uncharged. */
        public Builder lenient() {
            lenient = true;
            return this;
        }

        /** For proxies, certificates and tests, with its own timeouts. */
        public Builder httpClient(OkHttpClient client) {
            httpClient = client;
            return this;
        }

        /** Learns of every attempt, in the thread of the call. */
        public Builder onAttempt(Consumer<Attempt> logger) {
            onAttempt = logger;
            return this;
        }

        /** Throws IllegalArgumentException when the address is not one of HTTP, or a header has a character that none may have. */
        public Sluice build() {
            HttpUrl.get(baseUrl = baseUrl.strip());
            Headers.of(headers);
            if (apiKey != null) Headers.of("Authorization", apiKey = apiKey.strip());
            if (idempotencyKey != null) Headers.of("Idempotency-Key", idempotencyKey);
            return new Sluice(this);
        }
    }
}
