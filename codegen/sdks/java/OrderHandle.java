package sluice.client;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import sluice.client.api.OrdersApi;
import sluice.client.api.StreamsApi;
import sluice.client.api.SystemApi;
import sluice.client.model.ChatCompletion;
import sluice.client.model.Order;
import sluice.client.model.RepriceRequest;

/**
 * One order, for as long as it lives. What it says of itself is the last answer about it; {@link #refresh} asks again. It is
 * handwritten: the generated API knows single requests.
 */
public final class OrderHandle {
    private static final long FIRST_POLL_MS = 200;
    private static final long LONG_POLL_MS = 2000;
    /** The last events of other kinds than chat, whose stream ends with [DONE]. */
    private static final Set<String> LAST =
            Set.of("message_stop", "response.completed", "response.incomplete", "response.failed");

    private final Sluice sluice;
    private final OrdersApi api;
    private final String id;
    private volatile String status;
    private volatile Order order;

    OrderHandle(Sluice sluice, String id, String status, Order order) {
        this.sluice = sluice;
        this.api = new OrdersApi(sluice.api());
        this.id = id;
        this.status = status;
        this.order = order;
    }

    public String getId() {
        return id;
    }

    public String getStatus() {
        return status;
    }

    /** All fields, with usage and pricing; null after {@link Orders#place}, until {@link #refresh}. */
    public Order getOrder() {
        return order;
    }

    /** Asks for the order. */
    public Order refresh() {
        order = Sluice.done(() -> api.getOrder(id).include(Orders.ALL_OF_ORDER).execute());
        status = order.getStatus();
        return order;
    }

    /** Ends a queued order, uncharged. It is no error when the order is canceled already. */
    public void cancel() {
        try {
            status = Sluice.done(() -> api.cancelOrder(id).execute()).getStatus();
        } catch (SluiceException.ConflictException conflict) {
            // An earlier attempt may have canceled it without an answer.
            if (!refresh().getStatus().equals("canceled")) throw conflict;
        }
    }

    /**
     * Changes the limit of a queued order, which joins the others at that price behind them. A ConflictException says why it
     * cannot be: its code is not_queued, price_locked, fixed_price_model, too_large or max_charge_too_low.
     */
    public void reprice(BigDecimal limit) {
        RepriceRequest request = new RepriceRequest().ids(List.of(id)).priceLimit(limit);
        for (long endNs = endNs(); ; ) {
            var result = Sluice.done(() -> api.repriceOrders(request).execute());
            if (result.getChanged() > 0 || result.getData().isEmpty()) return;
            var entry = result.getData().get(0);
            if (!"unavailable".equals(entry.getCode())) {
                SluiceException.Facts conflict = new SluiceException.Facts(entry.getReason(), null);
                conflict.status = 409;
                conflict.code = entry.getCode();
                conflict.orderId = id;
                conflict.charged = sluice.chargeOf(id);
                throw new SluiceException.ConflictException(conflict);
            }
            // The market did not confirm in time, and the order still waits.
            rest(FIRST_POLL_MS, endNs);
        }
    }

    /** When a call that begins now is to be over. */
    private long endNs() {
        return sluice.options.timeout == null ? Long.MAX_VALUE : System.nanoTime() + sluice.options.timeout.toNanos();
    }

    private void rest(long ms, long endNs) {
        boolean isLate = endNs != Long.MAX_VALUE && System.nanoTime() + ms * 1_000_000 > endNs;
        if (isLate || !Sluice.sleep(ms)) throw SluiceException.late("the order has not ended: ask again", id);
    }

    /**
     * Waits for the answer of a chat. The exception of an order that ended without an answer says why, and whether anything
     * was charged. {@link #resultBody} has the answer of an order of another endpoint.
     */
    public ChatCompletion result() {
        return chatOf(resultBody());
    }

    /** Like {@link #result}, in the shape of the endpoint of the order; its numbers are BigDecimals. */
    public Map<String, Object> resultBody() {
        long endNs = endNs();
        for (long waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 3 / 2, LONG_POLL_MS)) {
            var result = Sluice.done(() -> api.getOrderResult(id).execute());
            status = result.getStatus();
            if (result.getError() != null) throw ended(JSON.getGson().toJsonTree(result.getError()).getAsJsonObject());
            if (result.getBody() != null) return result.getBody();
            rest(waitMs, endNs);
        }
    }

    /** A required field may be null. */
    static ChatCompletion chatOf(Map<String, Object> body) {
        var json = JSON.getGson().newBuilder().serializeNulls().create().toJsonTree(body);
        return Sluice.done(() -> JSON.getGson().fromJson(json, ChatCompletion.class));
    }

    /** How the order ended; not every code means that nothing was charged. */
    private SluiceException ended(JsonObject fault) {
        SluiceException.Facts facts = Transport.read(fault, new SluiceException.Facts("the order has no answer", null));
        facts.orderId = id;
        if (!facts.kind().isUncharged()) facts.charged = sluice.chargeOf(id);
        return facts.toEnd();
    }

    /** The events of the order from its first one. After a cut the stream goes on by itself, after the last event. */
    public LiveStream<OrderEvent> stream() {
        return stream(-1);
    }

    /** The events after the one with this number. */
    public LiveStream<OrderEvent> stream(int after) {
        return new Events(after);
    }

    private final class Events extends LiveStream<OrderEvent> {
        private int last;
        private boolean restarted;

        Events(int after) {
            super(sluice.options.maxRetries + 1);
            last = after;
        }

        @Override
        EventStream open() {
            StreamsApi.APIstreamOrderRequest request = new StreamsApi(sluice.api()).streamOrder(id);
            try {
                return Sluice.done(() -> (last < 0 ? request : request.startingAfter(last)).execute());
            } catch (SluiceException.StreamRestartedException again) {
                last = -1;
                restarted = true;
                return Sluice.done(() -> new StreamsApi(sluice.api()).streamOrder(id).execute());
            }
        }

        @Override
        boolean take(EventStream.Event event, Queue<OrderEvent> into) {
            if (event.data().equals("[DONE]")) return true;
            JsonObject data = Sluice.done(() -> JsonParser.parseString(event.data()).getAsJsonObject());
            if (data.get("error") instanceof JsonObject fault && fault.has("code")) throw ended(fault);
            if (event.id() == null) return false;
            last = Integer.parseInt(event.id());
            into.add(new OrderEvent(last, event.event(), data, OrderEvent.textOf(data), restarted));
            restarted = false;
            return event.event() != null && LAST.contains(event.event());
        }

        @Override
        SluiceException endOf(RuntimeException cut) {
            if (Thread.currentThread().isInterrupted()) return SluiceException.late("the stream was left", id);
            SluiceException.Facts facts = new SluiceException.Facts("the stream was cut after event " + last, cut);
            facts.orderId = id;
            facts.retryable = true;
            facts.charged = sluice.chargeOf(id);
            return new SluiceException.ConnectionException(facts);
        }
    }

    /** The receipt of a done order, and the keys that verify it. An order that is not done is an OrderNotSettledException. */
    public OrderReceipt receipt() {
        String jws = Sluice.done(() -> api.getOrderReceipt(id).execute()).getJws();
        return new OrderReceipt(jws, Sluice.done(() -> new SystemApi(sluice.api()).getSigningKeys().execute()));
    }
}
