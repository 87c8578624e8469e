package sluice.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import okhttp3.Interceptor;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;

/**
 * Retries, idempotency and errors for every request, of the layer and of the generated API alike. It is handwritten: the
 * generator writes each call as a single attempt.
 */
final class Transport implements Interceptor {
    private static final Pattern CREATES_ORDER = Pattern.compile("/v1/(chat/completions|completions|responses|messages)$");
    private static final Pattern PATH_OF_ORDER = Pattern.compile("/v1/orders/([0-9a-f-]{36})(/|$)");
    /** When Retry-After asks for more, the call ends with its error. */
    private static final long LONGEST_PAUSE_MS = 60_000;

    private final Sluice sluice;

    Transport(Sluice sluice) {
        this.sluice = sluice;
    }

    /** A success with all of its body, or a stream as it begins. Everything else is thrown as a SluiceException. */
    @Override
    public Response intercept(Chain chain) {
        return new Call(chain).run();
    }

    /** A random time in milliseconds: at most half a second, doubled with each failure, up to eight. */
    static long backoffMs(int failures) {
        return ThreadLocalRandom.current().nextLong(Math.min(500L << Math.min(Math.max(failures, 0), 10), 8000));
    }

    /** What an answer that is no success says, in its headers and in the gateway's envelope, if it has one. */
    private static SluiceException.Facts factsOf(Response response, String body) {
        SluiceException.Facts facts = new SluiceException.Facts(
                response.code() + ", which the gateway does not describe for this call: " + "%.200s".formatted(body), null);
        facts.status = response.code();
        facts.headers = response.headers().toMultimap();
        facts.orderId = response.header("x-service-order-id");
        facts.requestId = response.header("x-request-id");
        return jsonOf(body) instanceof JsonObject envelope ? read(envelope.get("error"), facts) : facts;
    }

    /** Adds what an envelope, an event or a line says, if it says anything. */
    static SluiceException.Facts read(JsonElement fault, SluiceException.Facts facts) {
        if (!(fault instanceof JsonObject fields) || textOf(fields, "message") == null) return facts;
        facts.message = textOf(fields, "message");
        facts.type = textOf(fields, "type");
        facts.code = textOf(fields, "code");
        facts.param = textOf(fields, "param");
        return facts;
    }

    /** Null when there is none. */
    static String textOf(JsonObject fields, String name) {
        return fields.get(name) instanceof JsonPrimitive text ? text.getAsString() : null;
    }

    private static String typeOf(Response response) {
        return response.header("Content-Type", "").replaceAll("\\s*;.*", "");
    }

    /** Null when it is not JSON. */
    private static JsonElement jsonOf(String text) {
        try {
            return JsonParser.parseString(text);
        } catch (JsonParseException broken) {
            return null;
        }
    }

    /** One call: its attempts have the same body and Idempotency-Key. */
    private final class Call {
        private final Chain chain;
        private final Request request;
        /** Which status it waits for, and whether it makes an order. */
        private final int expected;
        private final boolean creates;
        /** A second batch would run all lines again, so Batches looks whether the first exists. */
        private final boolean repeatable;
        private int attempts;
        /** Those that count against the retries: waiting for an order does not. */
        private int failures;
        private boolean mayRepeat;
        private long waitMs;
        /** Whether an attempt since the last answer about an order may have made one. */
        private boolean mayHaveOrder;

        Call(Chain chain) {
            this.chain = chain;
            Request asked = chain.request();
            String path = asked.url().encodedPath();
            boolean isPost = asked.method().equals("POST");
            boolean isDry = "true".equals(asked.header("X-Dry-Run"));
            creates = isPost && !isDry && CREATES_ORDER.matcher(path).find();
            repeatable = !isPost || !path.endsWith("/v1/batches");
            // The generated API names the answer that it waits for by a fragment, which is not sent.
            expected = isDry ? 203 : "detached".equals(asked.url().fragment()) ? 202 : 200;
            String key = sluice.options.idempotencyKey == null ? asked.header("Idempotency-Key") : sluice.options.idempotencyKey;
            if (key == null) key = java.util.UUID.randomUUID().toString();
            request = creates ? asked.newBuilder().header("Idempotency-Key", key).build() : asked;
        }

        Response run() {
            while (true) {
                SluiceException.Facts failure;
                try {
                    Response response = attempt();
                    failure = failureOf(response);
                    if (failure == null) return response;
                } catch (IOException broken) {
                    failure = brokenBy(broken);
                }
                if (!mayRepeat || failures > sluice.options.maxRetries || !pause()) throw end(failure);
            }
        }

        /** Sends the request once, and reads the answer unless it is a stream. */
        private Response attempt() throws IOException {
            attempts++;
            long beginNs = System.nanoTime();
            Response response = null;
            IOException failure = null;
            try {
                response = chain.proceed(request);
                if (response.isSuccessful() && typeOf(response).equals("text/event-stream")) return response;
                try (ResponseBody body = response.body()) {
                    return response.newBuilder().body(ResponseBody.create(body.bytes(), body.contentType())).build();
                }
            } catch (IOException broken) {
                failure = broken;
                throw broken;
            } finally {
                long ms = (System.nanoTime() - beginNs) / 1_000_000;
                String requestId = response == null ? null : response.header("x-request-id");
                int status = response == null ? 0 : response.code();
                Sluice.Attempt attempt = new Sluice.Attempt(
                        request.method(), request.url().encodedPath(), attempts, status, failure, ms, requestId);
                if (sluice.options.onAttempt != null) sluice.options.onAttempt.accept(attempt);
            }
        }

        /** What is wrong with an answer; null for a success. */
        private SluiceException.Facts failureOf(Response response) throws IOException {
            int status = response.code();
            String type = typeOf(response);
            boolean isStream = status < 400 && type.equals("text/event-stream");
            String text = isStream ? "a stream" : response.peekBody(Long.MAX_VALUE).string();
            if (status < 300 && type.equals("application/json") && !(jsonOf(text) instanceof JsonObject))
                throw new IOException("the JSON of the answer is cut");
            // Where JSON is accepted, lines of it are, too.
            if (status == expected && request.headers("Accept").stream().allMatch(type::startsWith)) return null;
            SluiceException.Facts failure = factsOf(response, text);
            response.close();
            // Only the gateway's own answers say anything about an order.
            if (failure.type == null && (failure.orderId == null || status >= 400)) mayHaveOrder = true;
            else if (failure.orderId != null) mayHaveOrder = false;
            // The order lives, so this is waiting and not a failure.
            boolean isWaiting = "result_pending".equals(failure.code) && response.header("Retry-After") != null;
            if (!isWaiting) failures++;
            String word = response.header("x-should-retry", "");
            boolean isPassing = status == 408 || status >= 500 || word.equals("true");
            failure.retryable = isWaiting || !word.equals("false") && (status == 429 || repeatable && isPassing);
            mayRepeat = failure.retryable;
            var at = response.headers().getDate("Retry-After");
            waitMs = Math.max(at == null ? 0 : at.getTime() - System.currentTimeMillis(), backoffMs(failures - 1));
            String after = response.header("Retry-After", "");
            if (after.matches("\\d+(\\.\\d+)?")) waitMs = (long) (1000 * Double.parseDouble(after));
            mayRepeat &= waitMs <= LONGEST_PAUSE_MS;
            return failure;
        }

        private SluiceException.Facts brokenBy(IOException broken) {
            failures++;
            boolean isUnsent = broken instanceof ConnectException || broken instanceof UnknownHostException;
            mayHaveOrder |= !isUnsent;
            mayRepeat = repeatable || isUnsent;
            waitMs = backoffMs(failures - 1);
            SluiceException.Facts failure = new SluiceException.Facts(String.valueOf(broken.getMessage()), broken);
            failure.retryable = true;
            return failure;
        }

        private boolean isOver() {
            return chain.call().isCanceled() || Thread.currentThread().isInterrupted();
        }

        /** Waits as long as Retry-After says, or the backoff. False when the call ends first. */
        private boolean pause() {
            // A call timeout does not interrupt the thread.
            for (long leftMs = waitMs; leftMs > 0; leftMs -= 50)
                if (isOver() || !Sluice.sleep(Math.min(leftMs, 50))) return false;
            return !isOver();
        }

        /** The last failure in its class, with what is known of the order: its own state says whether it was charged. */
        private SluiceException end(SluiceException.Facts failure) {
            var path = PATH_OF_ORDER.matcher(request.url().encodedPath());
            if (failure.orderId == null && path.find()) failure.orderId = path.group(1);
            if (failure.orderId != null) failure.charged = isOver() ? null : sluice.chargeOf(failure.orderId);
            // Also an order that ended without a charge frees its key: a later attempt may have made another one.
            if (creates && mayHaveOrder && Boolean.FALSE.equals(failure.charged)) {
                failure.charged = null;
                failure.message += "; there may be an order: the same call with the Idempotency-Key "
                        + request.header("Idempotency-Key") + " finds it and pays only once";
            }
            if (isOver() && failure.retryable) return new SluiceException.TimeoutException(failure);
            if (failure.status == 0) return new SluiceException.ConnectionException(failure);
            return failure.status < 400 ? new SluiceException.UnexpectedAnswerException(failure) : failure.toException();
        }
    }
}
