package sluice.client;

import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import okhttp3.HttpUrl;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * Retries, idempotency and errors for every request, of the layer and of the generated API alike. It is handwritten: the
 * generator writes each call as a single attempt.
 */
final class Transport implements Interceptor {
    private static final Pattern CREATES_ORDER =
            Pattern.compile("/v1/(chat/completions|completions|responses|messages)$");
    private static final Pattern PATH_OF_ORDER = Pattern.compile("/v1/orders/([0-9a-f-]{36})(/|$)");
    private static final long FIRST_BACKOFF_MS = 500;
    private static final long LONG_BACKOFF_MS = 8000;

    private final String apiKey;
    private final Map<String, String> headers;
    private final String idempotencyKey;
    private final int maxRetries;
    private final Consumer<Sluice.Attempt> onAttempt;

    Transport(Sluice.Builder options) {
        this.apiKey = options.apiKey;
        this.headers = Map.copyOf(options.headers);
        this.idempotencyKey = options.idempotencyKey;
        this.maxRetries = options.maxRetries;
        this.onAttempt = options.onAttempt;
    }

    /** A success with all of its body, or a stream as it begins. Everything else is thrown as a SluiceException. */
    @Override
    public Response intercept(Chain chain) {
        Request.Builder builder = chain.request().newBuilder();
        headers.forEach(builder::header);
        if (apiKey != null && chain.request().header("Authorization") == null)
            builder.header("Authorization", "Bearer " + apiKey);
        if (isInference(chain.request()) && !isDryRun(chain.request())) {
            if (idempotencyKey != null) builder.header("Idempotency-Key", idempotencyKey);
            else if (chain.request().header("Idempotency-Key") == null)
                builder.header("Idempotency-Key", UUID.randomUUID().toString());
        }
        return new Attempts(chain, builder.build(), false).run();
    }

    private static boolean isInference(Request request) {
        return request.method().equals("POST") && CREATES_ORDER.matcher(request.url().encodedPath()).find();
    }

    private static boolean isDryRun(Request request) {
        return "true".equals(request.header("X-Dry-Run"));
    }

    /** A random time that doubles with each failure, in milliseconds. */
    static long backoffMs(int failures) {
        long span = Math.min(FIRST_BACKOFF_MS << Math.min(Math.max(failures - 1, 0), 10), LONG_BACKOFF_MS);
        return ThreadLocalRandom.current().nextLong(span);
    }

    /** The attempts of one call: they have the same body and Idempotency-Key. */
    private final class Attempts {
        private final Chain chain;
        private final Request request;
        private final boolean asksForCharge;
        private final boolean creates;
        private final boolean repeatable;
        private int attempts;
        /** Those that count against the retries: waiting for an order does not. */
        private int failures;
        /** Whether an attempt since the last answer about an order may have made one. */
        private boolean mayHaveOrder;

        Attempts(Chain chain, Request request, boolean asksForCharge) {
            this.chain = chain;
            this.request = request;
            this.asksForCharge = asksForCharge;
            this.creates = isInference(request) && !isDryRun(request);
            // A second batch would run all lines again, so Batches looks whether the first exists.
            this.repeatable = !(request.method().equals("POST") && request.url().encodedPath().endsWith("/v1/batches"));
        }

        Response run() {
            while (true) {
                Response response;
                try {
                    response = attempt();
                } catch (IOException broken) {
                    failures++;
                    boolean isUnsent = broken instanceof ConnectException || broken instanceof UnknownHostException;
                    mayHaveOrder |= !isUnsent;
                    boolean mayRepeat = !isOver() && (repeatable || isUnsent) && failures <= maxRetries;
                    if (mayRepeat && pause(null)) continue;
                    throw brokenBy(broken);
                }
                if (response.code() < 400) return described(response);
                SluiceException.Facts refusal = refusalOf(response);
                // The order lives, so this is waiting and not a failure.
                boolean isWaiting = "result_pending".equals(refusal.code) && response.header("Retry-After") != null;
                refusal.retryable = isWaiting || isRetryable(response);
                if (!isWaiting) failures++;
                if (refusal.retryable && failures <= maxRetries && pause(response)) continue;
                if (isOver()) throw brokenBy(null);
                learnCharge(refusal);
                throw refusal.toException();
            }
        }

        /** Sends the request once, and reads the answer unless it is a stream. */
        private Response attempt() throws IOException {
            attempts++;
            long beginMs = System.nanoTime() / 1_000_000;
            int status = 0;
            String requestId = null;
            IOException failure = null;
            try {
                Response response = chain.proceed(request);
                status = response.code();
                requestId = response.header("x-request-id");
                if (isStream(response)) return response;
                try (ResponseBody body = response.body()) {
                    return response.newBuilder().body(ResponseBody.create(body.bytes(), body.contentType())).build();
                }
            } catch (IOException broken) {
                failure = broken;
                throw broken;
            } finally {
                long ms = System.nanoTime() / 1_000_000 - beginMs;
                if (onAttempt != null)
                    onAttempt.accept(new Sluice.Attempt(request, attempts, status, failure, ms, requestId));
            }
        }

        private boolean isStream(Response response) {
            return response.isSuccessful() && response.header("Content-Type", "").startsWith("text/event-stream");
        }

        private boolean isOver() {
            return chain.call().isCanceled() || Thread.currentThread().isInterrupted();
        }

        /** The generated API names the answer that it waits for by a fragment, which is not sent. */
        private Response described(Response response) {
            if (!isInference(request)) return response;
            boolean isDetached = "detached".equals(request.url().fragment());
            int expected = isDryRun(request) ? 203 : isDetached ? 202 : 200;
            String text = isStream(response) ? "a stream" : textOf(response);
            if (response.code() == expected && !isStream(response) && isJson(text)) return response;
            if (isStream(response)) response.close();
            SluiceException.Facts facts = factsOf(response);
            facts.message = response.code() + " is not described for this call: " + text;
            mayHaveOrder = facts.orderId == null;
            learnCharge(facts);
            throw new SluiceException.UnexpectedAnswer(facts);
        }

        private boolean isJson(String text) {
            try {
                return JsonParser.parseString(text).isJsonObject();
            } catch (JsonParseException broken) {
                return false;
            }
        }

        private String textOf(Response response) {
            try {
                return response.peekBody(Long.MAX_VALUE).string();
            } catch (IOException impossible) {
                return "";
            }
        }

        private SluiceException.Facts factsOf(Response response) {
            SluiceException.Facts facts = new SluiceException.Facts("");
            facts.status = response.code();
            facts.headers = response.headers().toMultimap();
            facts.orderId = response.header("x-service-order-id");
            facts.requestId = response.header("x-request-id");
            return facts;
        }

        private SluiceException.Facts refusalOf(Response response) {
            SluiceException.Facts refusal = factsOf(response).readBody(textOf(response));
            // Only the gateway's own answers say anything about an order.
            if (refusal.type == null) mayHaveOrder = true;
            else if (refusal.orderId != null) mayHaveOrder = false;
            return refusal;
        }

        private boolean isRetryable(Response response) {
            String word = response.header("x-should-retry", "");
            if (word.equals("false")) return false;
            int status = response.code();
            return status == 429 || repeatable && (word.equals("true") || status == 408 || status >= 500);
        }

        /** Waits as long as Retry-After says, or the backoff. False when the call ends first. */
        private boolean pause(Response response) {
            long waitMs = backoffMs(failures);
            String after = response == null ? null : response.header("Retry-After");
            if (after != null) waitMs = millisOf(after, waitMs);
            // A call timeout does not interrupt the thread.
            for (long endMs = System.nanoTime() / 1_000_000 + waitMs; !isOver(); ) {
                long leftMs = endMs - System.nanoTime() / 1_000_000;
                if (leftMs <= 0) return true;
                if (!Sluice.sleep(Math.min(leftMs, 50))) return false;
            }
            return false;
        }

        private long millisOf(String after, long otherwise) {
            try {
                return (long) (1000 * Double.parseDouble(after));
            } catch (NumberFormatException noNumber) {
                try {
                    Instant at = ZonedDateTime.parse(after, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
                    return Math.max(Duration.between(Instant.now(), at).toMillis(), 0);
                } catch (DateTimeParseException noDate) {
                    return otherwise;
                }
            }
        }

        /** No answer came, or the call was over while one was awaited. */
        private SluiceException brokenBy(IOException broken) {
            String message = broken == null ? "the call was over before its answer" : String.valueOf(broken.getMessage());
            SluiceException.Facts facts = new SluiceException.Facts(message);
            facts.cause = broken;
            facts.retryable = true;
            facts.orderId = orderOfPath();
            if (creates && mayHaveOrder) {
                facts.charged = null;
                facts.message += "; there may be an order: the same call with the Idempotency-Key "
                        + request.header("Idempotency-Key") + " finds it and pays only once";
            }
            if (isOver()) {
                if (facts.orderId != null) facts.charged = null;
                return new SluiceException.Timeout(facts);
            }
            learnCharge(facts);
            return new SluiceException.Connection(facts);
        }

        /** Finds out whether the order of a failed call was charged: its own state decides. */
        private void learnCharge(SluiceException.Facts facts) {
            if (facts.orderId == null) facts.orderId = orderOfPath();
            if (asksForCharge) facts.charged = null;
            else if (facts.orderId == null) facts.charged = creates && mayHaveOrder ? null : (Boolean) false;
            else {
                facts.charged = chargeOf(facts.orderId);
                // An order that ended without a charge frees its key: a later attempt may have made another one.
                if (Boolean.FALSE.equals(facts.charged) && creates && mayHaveOrder) facts.charged = null;
            }
        }

        private String orderOfPath() {
            Matcher match = PATH_OF_ORDER.matcher(request.url().encodedPath());
            return match.find() ? match.group(1) : null;
        }

        /** Asks the gateway, with retries of its own; null when that fails, and while the order lives. */
        private Boolean chargeOf(String orderId) {
            HttpUrl url = request.url();
            String root = url.encodedPath().substring(0, url.encodedPath().indexOf("/v1/"));
            HttpUrl address = url.newBuilder().encodedPath(root + "/v1/orders/" + orderId).query(null).fragment(null).build();
            Request ask = request.newBuilder().url(address).get().removeHeader("Idempotency-Key").build();
            try (Response response = new Attempts(chain, ask, true).run()) {
                String status = JsonParser.parseString(textOf(response)).getAsJsonObject().get("status").getAsString();
                return chargeOfStatus(status);
            } catch (SluiceException.NotFound missing) {
                return missing.getType() == null ? null : (Boolean) false;
            } catch (RuntimeException unknown) {
                return null;
            }
        }
    }

    /** Whether an order in this status was charged; null while it can still be. */
    static Boolean chargeOfStatus(String status) {
        if (status.equals("done")) return true;
        return status.equals("queued") || status.equals("executing") ? null : (Boolean) false;
    }
}
