package sluice.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import sluice.client.api.OrdersApi;
import sluice.client.model.CanceledOrder;
import sluice.client.model.Order;
import sluice.client.model.RepriceRequest;
import sluice.client.model.RepriceResult;
import sluice.client.model.RepricedOrder;
import sluice.client.model.SignedReceipt;

/**
 * One order, for as long as it lives. What it says of itself is the last answer about it; {@link #refresh} asks again. It is
 * handwritten: the generated API knows single requests.
 */
public final class OrderHandle {
    private static final long FIRST_POLL_MS = 200;
    private static final long LONG_POLL_MS = 2000;

    private final Sluice sluice;
    private final String id;
    private volatile String status;
    private volatile Order order;

    OrderHandle(Sluice sluice, String id, String status) {
        this.sluice = sluice;
        this.id = id;
        this.status = status;
    }

    OrderHandle(Sluice sluice, Order order) {
        this(sluice, order.getId(), order.getStatus());
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
        order = Sluice.done(() -> api().getOrder(id).include(Orders.ALL_OF_ORDER).execute());
        status = order.getStatus();
        return order;
    }

    private OrdersApi api() {
        return new OrdersApi(sluice.api());
    }

    /** Ends a queued order, uncharged. It is no error when the order is canceled already. */
    public void cancel() {
        try {
            CanceledOrder canceled = Sluice.done(() -> api().cancelOrder(id).execute());
            status = canceled.getStatus();
        } catch (SluiceException.Conflict conflict) {
            // An earlier attempt may have canceled it without an answer.
            if (!refresh().getStatus().equals("canceled")) throw conflict;
        }
    }

    /**
     * Changes the limit of a queued order, which joins the others at that price behind them. A Conflict says why it cannot
     * be: its code is not_queued, price_locked, fixed_price_model, too_large or max_charge_too_low.
     */
    public void reprice(BigDecimal limit) {
        RepriceRequest request = new RepriceRequest().ids(List.of(id)).priceLimit(limit);
        for (int failures = 1; ; failures++) {
            RepriceResult result = Sluice.done(() -> api().repriceOrders(request).execute());
            if (result.getChanged() > 0) return;
            RepricedOrder entry = result.getData().get(0);
            // The market did not confirm in time, and the order still waits.
            boolean mayRepeat = "unavailable".equals(entry.getCode()) && failures <= sluice.options.maxRetries;
            if (mayRepeat && Sluice.sleep(Transport.backoffMs(failures))) continue;
            SluiceException.Facts facts = new SluiceException.Facts(entry.getReason());
            facts.status = 409;
            facts.code = entry.getCode();
            facts.orderId = id;
            facts.charged = charged();
            throw facts.toException();
        }
    }

    /** Whether it was charged; null while it is queued or executing, and when the gateway cannot be asked. */
    Boolean charged() {
        try {
            return Transport.chargeOfStatus(refresh().getStatus());
        } catch (SluiceException unknown) {
            return null;
        }
    }

    /**
     * Waits until the order ends. The exception of an order that ended without an answer says why, and that nothing was
     * charged.
     */
    public Completion result() {
        long beginNs = System.nanoTime();
        for (long waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 3 / 2, LONG_POLL_MS)) {
            JsonObject result = sluice.readJson("/v1/orders/" + id + "/result");
            status = result.get("status").getAsString();
            JsonElement body = result.get("body");
            if (result.get("error").isJsonObject()) throw SluiceException.endOf(id, result.get("error")).toException();
            if (body.isJsonObject()) return new Completion(id, body.getAsJsonObject());
            boolean isLate = sluice.options.timeout != null
                    && System.nanoTime() - beginNs + waitMs * 1_000_000 > sluice.options.timeout.toNanos();
            if (isLate || !Sluice.sleep(waitMs)) {
                SluiceException.Facts facts = new SluiceException.Facts("the order has not ended: ask again");
                facts.orderId = id;
                facts.charged = null;
                throw new SluiceException.Timeout(facts);
            }
        }
    }

    /** {@link #result} in another thread. */
    public CompletableFuture<Completion> resultAsync() {
        return sluice.async(this::result);
    }

    /** The events of the order from its first one. After a cut the stream goes on by itself, after the last event. */
    public OrderStream stream() {
        return stream(-1);
    }

    /** The events after the one with this number. */
    public OrderStream stream(int after) {
        return new OrderStream(sluice, this, after);
    }

    /** The receipt of a done order, and once the keys. An order that is not done is a Conflict, order_not_settled. */
    public OrderReceipt receipt() {
        SignedReceipt signed = Sluice.done(() -> api().getOrderReceipt(id).execute());
        return new OrderReceipt(signed.getJws(), sluice.signingKeys());
    }
}
