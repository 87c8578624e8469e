import com.google.gson.Gson;
import com.google.gson.JsonParser;
import java.io.File;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import sluice.client.ApiClient;
import sluice.client.ApiException;
import sluice.client.EventStream;
import sluice.client.OrderHandle;
import sluice.client.Sluice;
import sluice.client.SluiceException;
import sluice.client.api.AccountApi;
import sluice.client.api.BatchesApi;
import sluice.client.api.FilesApi;
import sluice.client.api.InferenceApi;
import sluice.client.api.MarketApi;
import sluice.client.api.ModelsApi;
import sluice.client.api.OrdersApi;
import sluice.client.api.StreamsApi;
import sluice.client.api.SystemApi;
import sluice.client.JSON;
import sluice.client.model.*;

/** The scenario of sdk-tests/README.md with the Java client. */
public class Scenario {
    private static final Duration BATCH_DEADLINE = Duration.ofMinutes(1);
    private static final Duration REPRICE_DEADLINE = Duration.ofMinutes(1);
    private static final Duration RESULT_DEADLINE = Duration.ofMinutes(1);

    private final InferenceApi inference;
    private final OrdersApi orders;
    private final MarketApi market;
    private final ModelsApi models;
    private final AccountApi account;
    private final FilesApi files;
    private final BatchesApi batches;
    private final SystemApi system;
    private final StreamsApi streams;

    public static void main(String[] arguments) throws Exception {
        new Scenario(System.getenv("SLUICE_URL"), System.getenv("SLUICE_KEY")).run();
        // OkHttp keeps threads for a minute after the last call.
        System.exit(0);
    }

    private Scenario(String url, String key) {
        ApiClient client = new ApiClient();
        client.setBasePath(url);
        client.setBearerToken(key);
        client.setReadTimeout((int) Duration.ofMinutes(1).toMillis());
        inference = new InferenceApi(client);
        orders = new OrdersApi(client);
        market = new MarketApi(client);
        models = new ModelsApi(client);
        account = new AccountApi(client);
        files = new FilesApi(client);
        batches = new BatchesApi(client);
        system = new SystemApi(client);
        streams = new StreamsApi(client);
    }

    private void run() throws Exception {
        PricingRatio ratio = listModels();
        done("list models");
        readLevel();
        done("read the level");
        readQuote();
        done("read a quote");
        readHistory();
        done("read the history");
        readDepth();
        done("read the depth");
        askForEstimate();
        done("ask for an estimate");
        ChatUsage usage = completeChat();
        done("complete a chat");
        checkReceipt(usage, ratio);
        done("check the receipt");
        boundCharge();
        done("bound a charge");
        keepSignedReceipt(usage.getxMarket());
        done("keep the signed receipt");
        String waiting = repriceWaiting();
        done("reprice a waiting order");
        cancel(waiting);
        done("cancel it");
        respondInBackground();
        done("respond in the background");
        followOrder();
        done("follow an order");
        giveDeadline();
        done("give an order a deadline");
        readUsage(usage.getxMarket(), waiting);
        done("read the usage");
        String file = upload();
        done("upload a file");
        runBatch(file);
        done("run a batch");
        catchRefusal();
        done("catch a refusal");

        catchMisspeltBound();
        done("catch a misspelt bound");

        payOnceWithTwoClients();
        done("pay once with two clients");
    }

    private PricingRatio listModels() throws ApiException {
        ModelList list = models.listModels().execute();
        check(list.getDefault().equals("tide"), list);
        Map<String, String> pricing =
                list.getData().stream().collect(Collectors.toMap(Model::getId, model -> model.getPricing().getType()));
        check(pricing.equals(Map.of("tide", "market", "harbor", "fixed", "narrows", "market")), pricing);
        return list.getData().stream().filter(model -> model.getId().equals("tide")).findFirst().get().getPricingRatio();
    }

    private void readLevel() throws ApiException {
        Level level = market.getMarket().model("tide").execute();
        check(level.getLevel().signum() > 0 && !level.getDegraded(), level);
        try (EventStream frames = streams.streamMarket().model("tide").execute()) {
            MarketFrame frame = JSON.getGson().fromJson(frames.next().data(), MarketFrame.class);
            check(frame.getLevel().signum() > 0, frame);
        }
    }

    private void readQuote() throws ApiException {
        Quote quote = market.getPriceLock().model("tide").execute();
        check(quote.getPrice().signum() >= 0 && quote.getExecuteWindowSeconds() == 10, quote);
        check(quote.getValidForMs() >= 0 && quote.getValidForMs() <= quote.getIntervalMs(), quote);
    }

    private void readHistory() throws ApiException {
        MarketHistory history = market.getMarketHistory().model("tide").range("1h").execute();
        check(history.getModel().equals("tide") && history.getRange().equals("1h"), history);
    }

    private void readDepth() throws ApiException {
        MarketDepth depth = market.getMarketDepth().model("tide").execute();
        check(depth.getModel().equals("tide") && depth.getAccountsMin() == 3, depth);
        // A single account tells nobody what it bids.
        check(depth.getSteps().isEmpty(), depth);
    }

    private void askForEstimate() throws ApiException {
        MarketEstimate estimate = market.getMarketEstimate()
                .model("tide")
                .priceLimit("2")
                .inputTokens(1000)
                .outputTokens(100)
                .execute();
        check(isSame(estimate.getBid(), "2") && estimate.getChance() == 1, estimate);
        check(estimate.getExpectedChargeUsd().compareTo(estimate.getGreatestChargeUsd()) <= 0, estimate);
        MarketEstimate forward = market.getMarketEstimate().model("tide").chance("0.9").requests(2).execute();
        check(forward.getBid() != null && forward.getRequests() == 2, forward);
    }

    private ChatUsage completeChat() throws ApiException {
        ChatCompletion answer = inference.createChatCompletion(chat("tide").priceLimit(new BigDecimal("2"))).execute();
        check(!answer.getChoices().get(0).getMessage().getContent().isEmpty(), answer);
        check(answer.getUsage().getCompletionTokens() > 0, answer);
        return answer.getUsage();
    }

    private void checkReceipt(ChatUsage usage, PricingRatio ratio) throws ApiException {
        Receipt receipt = usage.getxMarket();
        check(receipt.getChargedUsd().compareTo(chargeOf(usage, ratio)) == 0, receipt);
        Order order = orders.getOrder(receipt.getOrderId()).include(List.of("usage")).execute();
        check(order.getStatus().equals("done"), order);
        check(order.getUsage().getChargedUsd().equals(receipt.getChargedUsd()), order);
    }

    private void boundCharge() throws ApiException {
        DryRun dry = inference.dryRunChatCompletion(chat("harbor").maxTokens(3L)).execute();
        check(dry.getObject().equals("dry_run") && dry.getOutputTokensMax() == 3, dry);
        ChatCompletionRequest bounded = chat("harbor").maxChargeUsd(dry.getGreatestChargeUsd());
        ChatCompletion cut = inference.createChatCompletion(bounded).execute();
        Receipt receipt = cut.getUsage().getxMarket();
        check(cut.getChoices().get(0).getFinishReason().equals("length") && receipt.getMaxChargeReached(), cut);
        check(receipt.getChargedUsd().compareTo(dry.getGreatestChargeUsd()) <= 0, receipt);
    }

    private void keepSignedReceipt(Receipt receipt) throws ApiException {
        SignedReceipt signed = orders.getOrderReceipt(receipt.getOrderId()).execute();
        check(BigDecimal.valueOf(signed.getReceipt().getChargedNanoUsd(), 9).compareTo(receipt.getChargedUsd()) == 0, signed);
        SigningKeys published = system.getSigningKeys().execute();
        check(!published.getKeys().isEmpty() && signed.getReceipt().getIss().equals(published.getIssuer()), signed);
        ReceiptLevel level = signed.getReceipt().getLevelRow();
        check(level != null && signed.getJws().split("\\.").length == 3, signed);
        LedgerRow row = market.getMarketLedger()
                .model("tide")
                .after(level.getNumber() - 1)
                .limit(1)
                .execute()
                .getData()
                .get(0);
        check(row.getNumber().equals(level.getNumber()) && row.getHash().equals(level.getHash()), row);
        LedgerHead head = market.getMarketLedgerHead().model("tide").execute();
        check(head.getJws() != null && head.getHead().getNumber() > 0, head);
    }

    private String repriceWaiting() throws Exception {
        ChatCompletionRequest request = chat("narrows").priceLimit(new BigDecimal("1"));
        String id = inference.createDetachedChatCompletion(request).execute().getId();
        RepriceResult repriced = reprice(id, "1.5");
        check(repriced.getChanged() == 1, repriced);
        Order order = orders.getOrder(id).execute();
        check(order.getStatus().equals("queued") && isSame(order.getBid(), "1.5"), order);
        return id;
    }

    private void giveDeadline() throws ApiException {
        ChatCompletionRequest request = chat("narrows").priceLimit(new BigDecimal("1")).deadline(3600);
        String id = inference.createDetachedChatCompletion(request).execute().getId();
        Order order = orders.getOrder(id).execute();
        check(order.getStrategy().getKind().equals("deadline"), order);
        check(isSame(order.getStrategy().getPriceLimit(), "1") && order.getBid().compareTo(BigDecimal.ONE) <= 0, order);
        cancel(id);
    }

    /** Sends the price again while the market does not confirm in time. */
    private RepriceResult reprice(String id, String priceLimit) throws Exception {
        RepriceRequest request = new RepriceRequest().ids(List.of(id)).priceLimit(new BigDecimal(priceLimit));
        Instant deadline = Instant.now().plus(REPRICE_DEADLINE);
        while (true) {
            try {
                return orders.repriceOrders(request).execute();
            } catch (ApiException refusal) {
                if (refusal.getCode() != 503 || Instant.now().isAfter(deadline)) throw refusal;
                Thread.sleep(1000 * Long.parseLong(refusal.getResponseHeaders().get("retry-after").get(0)));
            }
        }
    }

    private void cancel(String id) throws ApiException {
        check(orders.cancelOrder(id).execute().getStatus().equals("canceled"), id);
        check(orders.getOrder(id).execute().getStatus().equals("canceled"), id);
    }

    private void respondInBackground() throws Exception {
        ResponseObject response = inference.createResponse(background("tide", "2")).execute();
        while (!response.getStatus().equals("completed")) {
            check(List.of("queued", "in_progress").contains(response.getStatus()), response);
            Thread.sleep(100);
            response = inference.getResponse(response.getId()).execute();
        }
        check(response.getBackground() && !response.getOutput().isEmpty(), response);
        String waiting = inference.createResponse(background("narrows", "1")).execute().getId();
        check(inference.cancelResponse(waiting).execute().getStatus().equals("cancelled"), waiting);
    }

    private static ResponseRequest background(String model, String priceLimit) {
        return new ResponseRequest().model(model).input("Say hello.").priceLimit(new BigDecimal(priceLimit)).background(true);
    }

    private void followOrder() throws Exception {
        ChatCompletionRequest request = chat("tide").priceLimit(new BigDecimal("2"));
        String id = inference.createDetachedChatCompletion(request).execute().getId();
        List<String> joined = new ArrayList<>();
        try (EventStream events = follow(id, null)) {
            while (joined.size() < 10) joined.add(events.next().toString());
            check(events.getLastEventId().equals("9"), events.getLastEventId());
        }
        for (EventStream.Event event : follow(id, 9)) joined.add(event.toString());
        List<EventStream.Event> whole = new ArrayList<>();
        follow(id, null).forEach(whole::add);
        check(joined.equals(whole.stream().map(Object::toString).collect(Collectors.toList())), joined);
        StringBuilder said = new StringBuilder();
        for (int number = 0; number < whole.size(); number++) {
            check(whole.get(number).id().equals(String.valueOf(number)), whole);
            if (number == whole.size() - 1) continue;
            List<ChatChunkChoice> choices = ChatCompletionChunk.fromJson(whole.get(number).data()).getChoices();
            if (!choices.isEmpty()) said.append(choices.get(0).getDelta().getOrDefault("content", ""));
        }
        check(whole.get(whole.size() - 1).data().equals("[DONE]"), whole);
        String body = new Gson().toJson(orders.getOrderResult(id).execute().getBody());
        check(new Gson().toJsonTree(said.toString()).equals(JsonParser.parseString(body).getAsJsonObject()
                .getAsJsonArray("choices").get(0).getAsJsonObject().getAsJsonObject("message").get("content")), body);
        try {
            follow(id, whole.size());
            check(false, "A number that no event has was not refused.");
        } catch (ApiException refusal) {
            check(refusal.getCode() == 400 && refusal.getError().getParam().equals("starting_after"), refusal);
        }
    }

    /** Waits while the result is being written. */
    private EventStream follow(String id, Integer startingAfter) throws Exception {
        Instant deadline = Instant.now().plus(RESULT_DEADLINE);
        while (true) {
            try {
                return streams.streamOrder(id).startingAfter(startingAfter).execute();
            } catch (ApiException refusal) {
                if (refusal.getCode() != 429 || Instant.now().isAfter(deadline)) throw refusal;
                Thread.sleep(1000 * Long.parseLong(refusal.getResponseHeaders().get("retry-after").get(0)));
            }
        }
    }

    private void readUsage(Receipt receipt, String canceled) throws ApiException {
        Map<String, BigDecimal> charged = account.listUsage().execute().getData().stream()
                .collect(Collectors.toMap(UsageRecord::getOrderId, UsageRecord::getChargedUsd));
        check(receipt.getChargedUsd().equals(charged.get(receipt.getOrderId())), charged);
        check(!charged.containsKey(canceled), charged);
    }

    private String upload() throws Exception {
        Path folder = Files.createTempDirectory("scenario");
        Path path = folder.resolve("questions.jsonl");
        Files.writeString(path, batchLine("first") + "\n" + batchLine("second"));
        try {
            StoredFile file = files.uploadFile(path.toFile(), "batch").execute();
            check(file.getFilename().equals("questions.jsonl") && file.getBytes() == Files.size(path), file);
            return file.getId();
        } finally {
            Files.delete(path);
            Files.delete(folder);
        }
    }

    private void runBatch(String file) throws Exception {
        BatchRequest request = new BatchRequest().inputFileId(file).endpoint(BatchRequest.EndpointEnum.CHAT_COMPLETIONS)
                .deadline(3600);
        Batch batch = batches.createBatch(request).execute();
        check(batch.getxMarket().getDeadline() == batch.getCreatedAt() + 3600, batch);
        Instant deadline = Instant.now().plus(BATCH_DEADLINE);
        while (Set.of("validating", "in_progress").contains(batch.getStatus()) && Instant.now().isBefore(deadline)) {
            Thread.sleep(200);
            batch = batches.getBatch(batch.getId()).execute();
        }
        check(batch.getStatus().equals("completed") && batch.getRequestCounts().getCompleted() == 2, batch);
        String output = files.getFileContent(batch.getOutputFileId()).execute();
        Set<String> answered = new TreeSet<>();
        for (String text : output.split("\n")) {
            BatchOutputLine line = BatchOutputLine.fromJson(text);
            if (line.getResponse().getStatusCode() == 200) answered.add(line.getCustomId());
        }
        check(answered.equals(Set.of("first", "second")), answered);
    }

    private void catchRefusal() {
        try {
            inference.createChatCompletion(chat("nowhere")).execute();
            check(false, "An unknown model was not refused.");
        } catch (ApiException refusal) {
            ErrorDetail error = refusal.getError();
            check(refusal.getCode() == 404 && error.getCode().equals("model_not_found"), refusal);
            check(error.getParam().equals("model") && error.getMessage().contains("nowhere"), refusal);
        }
    }

    private void catchMisspeltBound() {
        try {
            ChatCompletionRequest request = chat("tide");
            request.putAdditionalProperty("price_limt", 0.1);
            inference.createChatCompletion(request).execute();
            check(false, "A misspelt bound was not refused.");
        } catch (ApiException refusal) {
            ErrorDetail error = refusal.getError();
            check(refusal.getCode() == 400 && error.getMessage().contains("did you mean price_limit?"), refusal);
        }
    }

    private static void payOnceWithTwoClients() throws Exception {
        String key = UUID.randomUUID().toString();
        Sluice one = Sluice.builder().idempotencyKey(key).build();
        Sluice other = Sluice.builder().idempotencyKey(key).build();
        ChatCompletionRequest request = chat("tide").priceLimit(new BigDecimal("2"));
        CompletableFuture<OrderHandle> later = one.async(() -> one.orders().place(request));
        OrderHandle order = other.orders().place(request);
        check(later.get().getId().equals(order.getId()), order.getId());
        BigDecimal charged = order.result().getUsage().getxMarket().getChargedUsd();
        check(charged.equals(later.get().result().getUsage().getxMarket().getChargedUsd()), charged);
        try {
            one.orders().place(chat("harbor"));
            check(false, "Another order with the key was not refused.");
        } catch (SluiceException.ConflictException refusal) {
            check("idempotency_error".equals(refusal.getCode()) && refusal.getOrderId() == null, refusal);
            check(Boolean.FALSE.equals(refusal.getCharged()), refusal);
        }
    }

    private static ChatCompletionRequest chat(String model) {
        ChatMessage message = new ChatMessage().role("user").content("What is a sluice?");
        return new ChatCompletionRequest().model(model).messages(List.of(message));
    }

    private static String batchLine(String name) {
        Map<String, Object> line = new TreeMap<>();
        line.put("custom_id", name);
        line.put("method", "POST");
        line.put("url", "/v1/chat/completions");
        line.put("body", Map.of("model", "harbor", "messages", List.of(Map.of("role", "user", "content", "Hello"))));
        return new Gson().toJson(line);
    }

    /** The cost of an answer at the level of its receipt, in USD. */
    private static BigDecimal chargeOf(ChatUsage usage, PricingRatio ratio) {
        BigDecimal cached = BigDecimal.valueOf(usage.getPromptTokensDetails().getCachedTokens());
        BigDecimal uncached = BigDecimal.valueOf(usage.getPromptTokens()).subtract(cached);
        BigDecimal output = BigDecimal.valueOf(usage.getCompletionTokens());
        BigDecimal weighted = weigh(cached, uncached, output, ratio);
        BigDecimal mix = weigh(new BigDecimal("0.9"), new BigDecimal("0.1"), new BigDecimal("0.02"), ratio);
        BigDecimal cost = usage.getxMarket().getLevelAtExecution().multiply(weighted).movePointLeft(6);
        return cost.divide(mix, 9, RoundingMode.HALF_EVEN);
    }

    private static BigDecimal weigh(BigDecimal cached, BigDecimal uncached, BigDecimal output, PricingRatio ratio) {
        return cached.multiply(BigDecimal.valueOf(ratio.getCached()))
                .add(uncached.multiply(BigDecimal.valueOf(ratio.getUncached())))
                .add(output.multiply(BigDecimal.valueOf(ratio.getOutput())));
    }

    private static boolean isSame(BigDecimal amount, String text) {
        return amount.compareTo(new BigDecimal(text)) == 0;
    }

    private static void check(boolean holds, Object otherwise) {
        if (!holds) throw new AssertionError(otherwise);
    }

    private static void done(String step) {
        System.out.println("ok " + step);
    }
}
