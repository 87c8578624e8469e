import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import sluice.client.Batches;
import sluice.client.LiveStream;
import sluice.client.OrderEvent;
import sluice.client.OrderHandle;
import sluice.client.OrderReceipt;
import sluice.client.Sluice;
import sluice.client.model.BatchRequest;
import sluice.client.model.ChatCompletion;
import sluice.client.model.ChatCompletionRequest;
import sluice.client.model.ChatMessage;
import sluice.client.model.LevelsFrameEntry;
import sluice.client.model.MarketCandles;

/** What a newcomer writes with the README of the Java client alone. */
public class Newcomer {
    public static void main(String[] arguments) throws Exception {
        Sluice sluice = Sluice.builder().build();

        // Place an order and follow it. A cut of the connection does not show.
        OrderHandle order = sluice.orders().place(question("tide", "2"));
        try (LiveStream<OrderEvent> events = order.stream()) {
            for (OrderEvent event : events) System.out.println(event.number() + " " + event.data());
        }

        // Verify its receipt: signature and arithmetic, without the gateway.
        OrderReceipt receipt = order.receipt();
        receipt.verify();
        System.out.println("paid " + receipt.charge().toPlainString() + " USD");

        // Leave an order alone, and collect its answer later by its id.
        String id = sluice.orders().place(question("tide", "2")).getId();
        System.out.println(textOf(sluice.orders().get(id).result()));

        // Change the price of an order that waits, and cancel it.
        OrderHandle waiting = sluice.orders().place(question("narrows", "1"));
        waiting.reprice(new BigDecimal("1.5"));
        waiting.cancel();

        for (OrderHandle listed : sluice.orders().list())
            System.out.println("order " + listed.getId() + " is " + listed.getStatus());

        List<Batches.Result> results = sluice.batches().run(
                Map.of("first", question("tide", "2"), "second", question("tide", "2")),
                new BatchRequest(),
                batch -> System.out.println("batch: " + batch.getRequestCounts().getCompleted() + " completed"));
        for (Batches.Result line : results) System.out.println(line.customId() + " " + textOf(line.completion()));

        MarketCandles candles = sluice.market().candles("tide", "24h", Duration.ofHours(1));
        System.out.println(candles.getCandles().size() + " candles; the level is " + candles.getCurrent());

        try (LiveStream<LevelsFrameEntry> levels = sluice.market().levels()) {
            LevelsFrameEntry level = levels.next();
            System.out.println(level.getModel() + " is at " + level.getLevel());
        }
    }

    private static ChatCompletionRequest question(String model, String limit) {
        return new ChatCompletionRequest()
                .model(model)
                .messages(List.of(new ChatMessage().role("user").content("Why do tides turn?")))
                .priceLimit(new BigDecimal(limit));
    }

    private static String textOf(ChatCompletion answer) {
        return answer.getChoices().get(0).getMessage().getContent();
    }
}
