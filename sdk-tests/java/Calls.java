import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import sluice.client.LiveStream;
import sluice.client.OrderHandle;
import sluice.client.OrderEvent;
import sluice.client.Sluice;
import sluice.client.SluiceException;
import sluice.client.api.InferenceApi;
import sluice.client.model.ChatCompletion;
import sluice.client.model.ChatCompletionRequest;
import sluice.client.model.ChatMessage;
import sluice.client.model.Receipt;

/** The three hundred calls of sdk-tests/README.md with the Java client. */
public class Calls {
    private static final int AT_ONCE = 8;
    private static final Gson GSON = new GsonBuilder().serializeNulls().create();

    private final Sluice sluice = Sluice.builder().build();

    public static void main(String[] arguments) throws Exception {
        Calls calls = new Calls();
        ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
        for (String line : Files.readAllLines(Path.of(System.getenv("SLUICE_CALLS")))) {
            JsonObject asked = JsonParser.parseString(line).getAsJsonObject();
            threads.execute(() -> System.out.println(GSON.toJson(calls.outcomeOf(asked))));
        }
        threads.shutdown();
        threads.awaitTermination(1, TimeUnit.HOURS);
    }

    private JsonObject outcomeOf(JsonObject asked) {
        JsonObject line = new JsonObject();
        line.add("call", asked.get("call"));
        try {
            take(asked, line);
        } catch (SluiceException failure) {
            line.addProperty("returned", false);
            line.addProperty("orderId", failure.getOrderId());
            line.addProperty("charged", failure.getCharged());
            line.addProperty("chargedUsd", (String) null);
            line.addProperty("error", failure.getMessage());
        } catch (Exception odd) {
            odd.printStackTrace();
        }
        return line;
    }

    private void take(JsonObject asked, JsonObject line) throws Exception {
        String how = asked.get("how").getAsString();
        ChatCompletionRequest request = new ChatCompletionRequest()
                .model(asked.get("model").getAsString())
                .messages(List.of(new ChatMessage().role("user").content("call " + asked.get("call"))))
                .priceLimit(asked.get("priceLimit").getAsBigDecimal())
                .store(asked.get("store").getAsBoolean());
        request.putAdditionalProperty("x_simulate", asked.get("simulate"));
        if (!asked.get("maxWait").isJsonNull()) request.maxWait(asked.get("maxWait").getAsInt());
        Sluice own = asked.get("timeoutMs").isJsonNull()
                ? sluice
                : sluice.with(options -> options.timeout(Duration.ofMillis(asked.get("timeoutMs").getAsLong())));
        if (how.equals("complete")) {
            ChatCompletion answer = new InferenceApi(own.api()).createChatCompletion(request).execute();
            returned(line, answer);
            return;
        }
        OrderHandle order = own.orders().place(request);
        if (how.equals("cancel")) order.cancel();
        if (how.equals("stream"))
            try (LiveStream<OrderEvent> events = order.stream()) {
                for (OrderEvent event : events) event.text();
            }
        returned(line, order.result());
    }

    private static void returned(JsonObject line, ChatCompletion answer) {
        Receipt receipt = answer.getUsage().getxMarket();
        line.addProperty("returned", true);
        line.addProperty("orderId", receipt.getOrderId());
        line.addProperty("charged", true);
        line.addProperty("chargedUsd", receipt.getChargedUsd().toPlainString());
        line.addProperty("error", (String) null);
    }
}
