package sluice.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Map;

/**
 * What every failed call throws, in one of the classes below, also those of the generated API. It is handwritten: the
 * generator's exception has neither the order, nor whether anything was charged.
 */
public class SluiceException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Facts facts;

    SluiceException(Facts facts) {
        super(facts.message, facts.cause);
        this.facts = facts;
    }

    /** The HTTP status; 0 without an answer. */
    public int getStatus() {
        return facts.status;
    }

    /** The gateway's code for programs; null where it gave none, or something else answered. */
    public String getCode() {
        return facts.code;
    }

    /** The gateway's family of errors; null likewise. */
    public String getType() {
        return facts.type;
    }

    /** The field, parameter or header that is wrong; null when there is none. */
    public String getParam() {
        return facts.param;
    }

    /** The order that the call made or was about; null when there is none, or none is known. */
    public String getOrderId() {
        return facts.orderId;
    }

    /** Names the request in the gateway's log; null when unknown. */
    public String getRequestId() {
        return facts.requestId;
    }

    /** Of the answer, names in lower case. */
    public Map<String, List<String>> getHeaders() {
        return facts.headers;
    }

    /** Whether the same call may succeed later. */
    public boolean isRetryable() {
        return facts.retryable;
    }

    /** Whether the account paid for the order; null when the connection broke before the gateway could say it. */
    public Boolean getCharged() {
        return facts.charged;
    }

    @Override
    public String getMessage() {
        String text = facts.code == null ? facts.message : facts.status + " " + facts.code + ": " + facts.message;
        if (facts.orderId == null) return text;
        String charge = facts.charged == null ? "charge unknown" : facts.charged ? "charged" : "not charged";
        return text + " (order " + facts.orderId + ", " + charge + ")";
    }

    /** 400, 405, 413: the request is wrong. */
    public static final class InvalidRequest extends SluiceException {
        InvalidRequest(Facts facts) {
            super(facts);
        }
    }

    /** 401: the key. */
    public static final class Authentication extends SluiceException {
        Authentication(Facts facts) {
            super(facts);
        }
    }

    /** 402: the balance or the budget of the key. */
    public static final class InsufficientQuota extends SluiceException {
        InsufficientQuota(Facts facts) {
            super(facts);
        }
    }

    /** 403: what the key or the account may not do. */
    public static final class Permission extends SluiceException {
        Permission(Facts facts) {
            super(facts);
        }
    }

    /** 404: no such model, or nothing of yours with this id. */
    public static final class NotFound extends SluiceException {
        NotFound(Facts facts) {
            super(facts);
        }
    }

    /** The order waited until its end, or its lock or its slot did not come in time. */
    public static final class OrderExpired extends SluiceException {
        OrderExpired(Facts facts) {
            super(facts);
        }
    }

    /** 409: what was asked does not fit the state of the order, batch or key. */
    public static final class Conflict extends SluiceException {
        Conflict(Facts facts) {
            super(facts);
        }
    }

    /** 410: the result was not stored, or is not any more. */
    public static final class ResultUnavailable extends SluiceException {
        ResultUnavailable(Facts facts) {
            super(facts);
        }
    }

    /** 429: too many requests, or too much that waits. */
    public static final class RateLimit extends SluiceException {
        RateLimit(Facts facts) {
            super(facts);
        }
    }

    /** 5xx. */
    public static final class Server extends SluiceException {
        Server(Facts facts) {
            super(facts);
        }
    }

    /** The call's timeout, or an interrupt of its thread, ended it. */
    public static final class Timeout extends SluiceException {
        Timeout(Facts facts) {
            super(facts);
        }
    }

    /** No answer came, also not after the retries; the cause says why. */
    public static final class Connection extends SluiceException {
        Connection(Facts facts) {
            super(facts);
        }
    }

    /** A success that the gateway does not describe. It may name an order. */
    public static final class UnexpectedAnswer extends SluiceException {
        UnexpectedAnswer(Facts facts) {
            super(facts);
        }
    }

    /** What is known of a failed call. */
    static final class Facts {
        String message;
        Throwable cause;
        int status;
        String type;
        String code;
        String param;
        String orderId;
        String requestId;
        Map<String, List<String>> headers = Map.of();
        boolean retryable;
        Boolean charged = false;

        Facts(String message) {
            this.message = message;
        }

        /** Takes what an envelope, the result of an order or an event says; returns whether it says anything. */
        boolean read(JsonElement fault) {
            if (fault == null || !fault.isJsonObject()) return false;
            JsonObject fields = fault.getAsJsonObject();
            if (textOf(fields, "code") == null && textOf(fields, "type") == null) return false;
            message = textOf(fields, "message");
            type = textOf(fields, "type");
            code = textOf(fields, "code");
            param = textOf(fields, "param");
            return true;
        }

        /** The same of a whole body; otherwise the message has the beginning of the body. */
        Facts readBody(String body) {
            try {
                JsonElement root = JsonParser.parseString(body);
                if (root.isJsonObject() && read(root.getAsJsonObject().get("error"))) return this;
            } catch (JsonParseException notJson) {
                // It is not of the gateway.
            }
            String start = body.substring(0, Math.min(body.length(), 200));
            message = status + " from something before the gateway: " + start;
            return this;
        }

        SluiceException toException() {
            if ("capacity_unavailable".equals(code) || status == 408 && code != null) return new OrderExpired(this);
            if (status >= 500 || status == 408) return new Server(this);
            switch (status) {
                case 401:
                    return new Authentication(this);
                case 402:
                    return new InsufficientQuota(this);
                case 403:
                    return new Permission(this);
                case 404:
                    return new NotFound(this);
                case 409:
                    return new Conflict(this);
                case 410:
                    return new ResultUnavailable(this);
                case 429:
                    return new RateLimit(this);
                default:
                    return new InvalidRequest(this);
            }
        }

        private static String textOf(JsonObject fields, String name) {
            JsonElement value = fields.get(name);
            return value == null || !value.isJsonPrimitive() ? null : value.getAsString();
        }
    }

    /** Statuses of the reasons for which an order ends without an answer; 500 for all others. */
    private static final Map<String, Integer> STATUS_OF_END = Map.ofEntries(
            Map.entry("order_expired", 408), Map.entry("capacity_unavailable", 429),
            Map.entry("insufficient_balance", 402), Map.entry("key_budget_exceeded", 402),
            Map.entry("order_canceled", 409), Map.entry("account_suspended", 409), Map.entry("prices_changed", 409),
            Map.entry("context_length_exceeded", 400), Map.entry("model_refused", 400), Map.entry("model_not_found", 404),
            Map.entry("backend_error", 502), Map.entry("gateway_restarted", 503), Map.entry("gateway_draining", 503));

    /** How an order ended without an answer: nothing was charged. */
    static Facts endOf(String orderId, JsonElement fault) {
        Facts facts = new Facts("the order has no answer");
        facts.read(fault);
        facts.status = facts.code == null ? 500 : STATUS_OF_END.getOrDefault(facts.code, 500);
        facts.orderId = orderId;
        facts.retryable = facts.status >= 500;
        return facts;
    }
}
