package sluice.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.List;
import java.util.Map;
import okhttp3.Response;

/**
 * What every failed call throws, also those of the generated API, in a class of its code ({@link SluiceErrors}). It is
 * handwritten: the generator's exception has neither the order, nor whether anything was charged.
 */
public class SluiceException extends RuntimeException {
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

        Facts(String message, Throwable cause) {
            this.message = message;
            this.cause = cause;
        }

        /** What an answer that is no success says, in its headers and in the gateway's envelope, if it has one. */
        Facts(Response response, String body) {
            this(response.code() + ", which the gateway does not describe for this call: "
                    + body.substring(0, Math.min(body.length(), 200)), null);
            status = response.code();
            headers = response.headers().toMultimap();
            orderId = response.header("x-service-order-id");
            requestId = response.header("x-request-id");
            try {
                if (JsonParser.parseString(body) instanceof JsonObject envelope) read(envelope.get("error"));
            } catch (JsonParseException notJson) {
                // It is not of the gateway.
            }
        }

        /** Takes what an envelope, an event or a line says, if it says anything. */
        Facts read(JsonElement fault) {
            if (!(fault instanceof JsonObject fields) || textOf(fields, "message") == null) return this;
            message = textOf(fields, "message");
            type = textOf(fields, "type");
            code = textOf(fields, "code");
            param = textOf(fields, "param");
            return this;
        }

        private static String textOf(JsonObject fields, String name) {
            return fields.get(name) == null || fields.get(name).isJsonNull() ? null : fields.get(name).getAsString();
        }

        /** What the document says of the code; of one that this client does not know, that the gateway failed. */
        SluiceErrors.Kind kind() {
            return SluiceErrors.KINDS.getOrDefault(String.valueOf(code), SluiceErrors.UNKNOWN);
        }

        /** The exception in the class of its code, or else of its status. */
        SluiceException toException() {
            boolean isFamily = kind() == SluiceErrors.UNKNOWN && status < 500 && status != 408;
            if (!isFamily) return kind().of().apply(this);
            return SluiceErrors.FAMILIES.getOrDefault(status, SluiceErrors.InvalidRequestException::new).apply(this);
        }

        /** How an order ended without an answer. */
        SluiceException toEnd() {
            status = kind().status();
            retryable = kind().retryable();
            return toException();
        }
    }

    /** The time of a call was over, or its thread interrupted, before the order ended; its charge is open. */
    static SluiceException late(String message, String orderId) {
        Facts facts = new Facts(message, null);
        facts.orderId = orderId;
        facts.retryable = true;
        facts.charged = null;
        return new SluiceErrors.TimeoutException(facts);
    }
}
