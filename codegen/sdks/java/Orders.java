package sluice.client;

import java.util.List;
import java.util.function.UnaryOperator;
import sluice.client.api.InferenceApi;
import sluice.client.api.OrdersApi;
import sluice.client.model.ChatCompletionRequest;
import sluice.client.model.DryRun;
import sluice.client.model.OrderList;

/** Places and finds orders. It is handwritten: the generated API knows single requests and single pages. */
public final class Orders {
    static final List<String> ALL_OF_ORDER = List.of("usage", "pricing");

    private final Sluice sluice;

    Orders(Sluice sluice) {
        this.sluice = sluice;
    }

    /** Sends an order that goes on without this program. All attempts have one Idempotency-Key, so it is placed once. */
    public OrderHandle place(ChatCompletionRequest request) {
        var accepted = Sluice.done(() -> new InferenceApi(sluice.api()).createDetachedChatCompletion(request).execute());
        return new OrderHandle(sluice, accepted.getId(), accepted.getStatus(), null);
    }

    /** What a request would be held for, cost and wait. Nothing is placed. */
    public DryRun preview(ChatCompletionRequest request) {
        return Sluice.done(() -> new InferenceApi(sluice.api()).dryRunChatCompletion(request).execute());
    }

    /** Finds an order by its id. */
    public OrderHandle get(String id) {
        OrderHandle handle = new OrderHandle(sluice, id, null, null);
        handle.refresh();
        return handle;
    }

    /** All orders, newest first. The next page is asked for when the loop gets there. */
    public Iterable<OrderHandle> list() {
        return list(all -> all);
    }

    /** Those that the filter chooses: {@code list(filter -> filter.status(List.of("done")).model("tide"))}. */
    public Iterable<OrderHandle> list(UnaryOperator<OrdersApi.APIlistOrdersRequest> filter) {
        return Sluice.pages(
                cursor -> {
                    OrdersApi.APIlistOrdersRequest request = new OrdersApi(sluice.api()).listOrders().include(ALL_OF_ORDER);
                    return Sluice.done(() -> filter.apply(request).cursor(cursor).execute());
                },
                list -> list.getData().stream()
                        .map(order -> new OrderHandle(sluice, order.getId(), order.getStatus(), order))
                        .toList(),
                OrderList::getNextCursor);
    }
}
