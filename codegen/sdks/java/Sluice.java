package sluice.client;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.function.Consumer;
import java.util.function.Supplier;
import okhttp3.HttpUrl;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import sluice.client.api.SystemApi;
import sluice.client.model.SigningKeys;

/**
 * The client: orders, batches, files and markets over the generated API. Safe for many threads. It is handwritten: the
 * generated API has one method per operation, and knows neither an order that is followed to its end nor one
 * configuration for everything.
 *
 * <pre>{@code Sluice sluice = Sluice.builder().build(); // SLUICE_KEY, SLUICE_BASE_URL}</pre>
 */
public final class Sluice {
    private static final String DEFAULT_BASE_URL = "http://127.0.0.1:8080";
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);
    private static final Executor THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "sluice");
        thread.setDaemon(true);
        return thread;
    });

    final Builder options;
    private final OkHttpClient http;
    private final ApiClient api;
    private volatile SigningKeys keys;

    private Sluice(Builder options) {
        this.options = options;
        // A hidden second attempt of OkHttp could make a second batch.
        OkHttpClient.Builder own = (options.httpClient == null ? new OkHttpClient() : options.httpClient).newBuilder();
        own.retryOnConnectionFailure(false).addInterceptor(new Transport(options));
        if (options.httpClient == null) own.connectTimeout(CONNECT_TIMEOUT).readTimeout(Duration.ZERO).writeTimeout(Duration.ZERO);
        if (options.timeout != null) own.callTimeout(options.timeout);
        this.http = own.build();
        this.api = new ApiClient(http);
        api.setBasePath(options.baseUrl);
        api.setUserAgent("sluice-java");
        if (options.lenient) api.addDefaultHeader("X-Strict", "false");
    }

    /** A client with the defaults, and what the builder changes. */
    public static Builder builder() {
        return new Builder();
    }

    /** The same client with other options, such as a timeout, retries or an Idempotency-Key for some calls. */
    public Sluice with(Consumer<Builder> change) {
        Builder changed = new Builder(options);
        changed.httpClient = options.httpClient == null ? withoutTransport() : options.httpClient;
        change.accept(changed);
        return changed.build();
    }

    /** Shares the connections. */
    private OkHttpClient withoutTransport() {
        OkHttpClient.Builder shared = http.newBuilder();
        shared.interceptors().removeIf(Transport.class::isInstance);
        return shared.build();
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

    /** Does something in a thread of the client. A SluiceException is the cause of the future's exception. */
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
            SluiceException.Facts facts = new SluiceException.Facts(String.valueOf(odd.getMessage()));
            facts.cause = odd;
            throw new SluiceException.UnexpectedAnswer(facts);
        }
    }

    /** The bytes at a path, as they come. */
    byte[] read(String path) {
        HttpUrl address = HttpUrl.get(options.baseUrl + path);
        try (Response response = http.newCall(new Request.Builder().url(address).build()).execute()) {
            return response.body().bytes();
        } catch (IOException impossible) {
            // The transport has read the whole answer, and throws what is no success.
            throw new IllegalStateException(impossible);
        }
    }

    /** The JSON object at a path: its numbers keep their digits. */
    JsonObject readJson(String path) {
        return done(() -> JsonParser.parseString(new String(read(path), java.nio.charset.StandardCharsets.UTF_8)).getAsJsonObject());
    }

    /** The keys that sign receipts; asked once. */
    SigningKeys signingKeys() {
        if (keys == null) keys = done(() -> new SystemApi(api).getSigningKeys().execute());
        return keys;
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

    /** What a logger gets to know of one attempt. */
    public static final class Attempt {
        public final String method;
        public final String path;
        /** Counts the attempts of a call from 1. */
        public final int number;
        /** 0 when no answer came; then {@link #failure} says why. */
        public final int status;
        public final IOException failure;
        public final long ms;
        public final String requestId;

        Attempt(Request request, int number, int status, IOException failure, long ms, String requestId) {
            this.method = request.method();
            this.path = request.url().encodedPath();
            this.number = number;
            this.status = status;
            this.failure = failure;
            this.ms = ms;
            this.requestId = requestId;
        }
    }

    /** The options of a client. */
    public static final class Builder {
        String apiKey = System.getenv("SLUICE_KEY");
        String baseUrl = System.getenv().getOrDefault("SLUICE_BASE_URL", DEFAULT_BASE_URL);
        int maxRetries = 2;
        Duration timeout;
        Map<String, String> headers = new HashMap<>();
        String idempotencyKey;
        boolean lenient;
        OkHttpClient httpClient;
        Consumer<Attempt> onAttempt;

        private Builder() {}

        private Builder(Builder other) {
            apiKey = other.apiKey;
            baseUrl = other.baseUrl;
            maxRetries = other.maxRetries;
            timeout = other.timeout;
            headers = new HashMap<>(other.headers);
            idempotencyKey = other.idempotencyKey;
            lenient = other.lenient;
            httpClient = other.httpClient;
            onAttempt = other.onAttempt;
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

        /** Throws IllegalArgumentException when the address is not one of HTTP. */
        public Sluice build() {
            HttpUrl.get(baseUrl);
            baseUrl = baseUrl.replaceAll("/+$", "");
            return new Sluice(this);
        }
    }
}
