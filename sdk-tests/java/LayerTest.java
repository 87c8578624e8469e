import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigDecimal;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import sluice.client.Batches;
import sluice.client.OrderHandle;
import sluice.client.OrderReceipt;
import sluice.client.LiveStream;
import sluice.client.OrderEvent;
import sluice.client.Sluice;
import sluice.client.SluiceException;
import sluice.client.api.InferenceApi;
import sluice.client.api.OrdersApi;
import sluice.client.model.BatchRequest;
import sluice.client.model.ChatCompletionRequest;
import sluice.client.model.ChatMessage;
import sluice.client.model.LevelsFrameEntry;
import sluice.client.model.OrderResult;
import sluice.client.model.SigningKey;
import sluice.client.model.SigningKeys;

/** The layer of the Java client, against a gateway that says what a test tells it. */
public class LayerTest {
    private static final String ID = "01a1fdc3-6a2b-7000-8d5e-0c9f3b7a1e24";
    private static final String AT = "\"2025-11-27T00:00:00.000Z\"";
    private static final String CHATS = "POST /v1/chat/completions";
    private static final String ORDER = "GET /v1/orders/" + ID;
    private static final Answer NOTHING = new Answer(0, "");
    private static final Answer ACCEPTED = new Answer(202, "{\"id\":\"" + ID + "\",\"object\":\"order\",\"status\":\"queued\","
            + "\"expires_at\":" + AT + ",\"result_url\":\"/\",\"result_stored\":true,\"result_retention_days\":7}");

    /** An answer of the gateway; the status 0 closes the connection, and CUT at the end of the body, too. */
    private static final class Answer {
        final int status;
        final String body;
        final Map<String, String> headers = new HashMap<>(Map.of("Content-Type", "application/json"));

        Answer(int status, String body) {
            this.status = status;
            this.body = body;
        }

        Answer with(String name, String value) {
            Answer changed = new Answer(status, body);
            changed.headers.putAll(headers);
            changed.headers.put(name, value);
            return changed;
        }
    }

    private static Answer refusal(int status, String type, String code) {
        String fault = "{\"message\":\"no\",\"type\":\"" + type + "\",\"param\":null,\"code\":\"" + code + "\"}";
        return new Answer(status, "{\"error\":" + fault + "}");
    }

    private static Answer orderIs(String status) {
        return new Answer(200, "{\"id\":\"" + ID + "\",\"status\":\"" + status + "\",\"bid\":2,\"kind\":\"chat\",\"model\":\"tide\","
                + "\"created_at\":" + AT + ",\"admitted_at\":null,\"finished_at\":null,\"expires_at\":" + AT
                + ",\"level_at_execution\":null,\"queue_position\":null,\"error\":null}");
    }

    private static Answer resultIs(String status, String fields) {
        return new Answer(200, "{\"id\":\"" + ID + "\",\"object\":\"order.result\",\"kind\":\"chat\",\"status\":\"" + status + "\","
                + "\"created_at\":" + AT + ",\"expires_at\":" + AT + ",\"result_expires_at\":null,\"error\":null," + fields + "}");
    }

    /** Answers each request with the next answer for its method and path, and goes on with the last one. */
    private static final class Gateway implements AutoCloseable {
        final List<String> requests = new ArrayList<>();
        final List<String> keys = new ArrayList<>();
        private final Map<String, Deque<Answer>> answers = new HashMap<>();
        Headers headers;
        private final HttpServer server;
        final Sluice sluice;

        Gateway() throws IOException {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
            server.createContext("/", this::answer);
            server.start();
            String url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
            sluice = Sluice.builder().apiKey("sk").baseUrl(url).build();
        }

        Gateway says(String request, Answer... next) {
            answers.put(request, new ArrayDeque<>(Arrays.asList(next)));
            return this;
        }

        private synchronized void answer(HttpExchange exchange) throws IOException {
            exchange.getRequestBody().readAllBytes();
            URI uri = exchange.getRequestURI();
            String request = exchange.getRequestMethod() + " " + uri.getPath();
            requests.add(exchange.getRequestMethod() + " " + uri);
            headers = exchange.getRequestHeaders();
            keys.add(exchange.getRequestHeaders().getFirst("Idempotency-Key"));
            Deque<Answer> left = answers.getOrDefault(request, new ArrayDeque<>());
            Answer answer = left.size() > 1 ? left.remove() : left.isEmpty() ? NOTHING : left.peek();
            if (answer.status == 0) {
                exchange.close();
                return;
            }
            answer.headers.forEach(exchange.getResponseHeaders()::set);
            byte[] body = answer.body.getBytes(StandardCharsets.UTF_8);
            boolean isCut = answer.body.endsWith("CUT");
            exchange.sendResponseHeaders(answer.status, isCut ? body.length + 1 : body.length);
            OutputStream out = exchange.getResponseBody();
            out.write(body);
            out.flush();
            exchange.close();
        }

        @Override
        public void close() {
            server.stop(0);
        }
    }

    public static void main(String[] arguments) throws Exception {
        attemptsHaveOneKey();
        refusalsAreNotCharged();
        brokenConnectionsLeaveTheChargeOpen();
        anUnreachableServerChargedNothing();
        aResultThatIsGoneWasCharged();
        undescribedSuccessesNameTheirOrder();
        cutJsonIsTriedAgainWithTheSameKey();
        aPageOrARedirectLeavesTheChargeOpen();
        retryAfterIsWaitedForAMinuteAtMost();
        aTimeoutInAWaitForARetrySaysWhetherAnOrderMayExist();
        aLineBreakInAHeaderIsNotSent();
        aTimeoutEndsAWait();
        aStreamGoesOnAfterACutAndARestart();
        aLostCancellationIsNoError();
        aLostBatchIsNotMadeAgain();
        aBatchReturnsWhatEachLineBecameInTheirOrder();
        levelsGoOnWhileTheGatewayIsAway();
        amountsInHeadersAndInAnyKeepTheirDigits();
        anUnconfirmedPriceIsSentAgain();
        aListAsksForTheNextPage();
        aReceiptIsVerifiedOffline();
        mistakesDoNotCompile(System.getProperty("java.class.path"));
        System.out.println("all right");
    }

    private static ChatCompletionRequest hello() {
        List<ChatMessage> messages = List.of(new ChatMessage().role("user").content("Hello"));
        return new ChatCompletionRequest().messages(messages).priceLimit(new BigDecimal("2.017")).tags(List.of("a"));
    }

    private static void attemptsHaveOneKey() throws Exception {
        try (Gateway gateway = new Gateway().says(CHATS, NOTHING, new Answer(502, "<h1>"), ACCEPTED)) {
            OrderHandle order = gateway.sluice.async(() -> gateway.sluice.orders().place(hello())).get();
            check(order.getId().equals(ID) && gateway.keys.size() == 3 && gateway.keys.get(0) != null, gateway.keys);
            check(gateway.keys.stream().distinct().count() == 1, gateway.keys);
            gateway.sluice.with(options -> options.idempotencyKey("mine")).orders().place(hello());
            check("mine".equals(gateway.keys.get(3)), gateway.keys);
        }
    }

    private static void refusalsAreNotCharged() throws Exception {
        Answer low = refusal(402, "insufficient_quota", "insufficient_balance");
        Answer failed = refusal(502, "server_error", "backend_error")
                .with("x-should-retry", "false").with("x-service-order-id", ID);
        try (Gateway gateway = new Gateway().says(CHATS, low, failed).says(ORDER, orderIs("error"))) {
            SluiceException quota = raised(() -> gateway.sluice.orders().place(hello()));
            check(quota instanceof SluiceException.InsufficientQuotaException && quota.getOrderId() == null, quota);
            check(Boolean.FALSE.equals(quota.getCharged()), quota);
            SluiceException server = raised(() -> gateway.sluice.orders().place(hello()));
            check(server instanceof SluiceException.ServerException && ID.equals(server.getOrderId()), server);
            check(Boolean.FALSE.equals(server.getCharged()) && gateway.requests.size() == 3, gateway.requests);
        }
    }

    private static void brokenConnectionsLeaveTheChargeOpen() throws Exception {
        Answer limited = refusal(429, "rate_limit_error", "rate_limit_error");
        for (Answer then : new Answer[] {NOTHING, limited})
            try (Gateway gateway = new Gateway().says(CHATS, NOTHING, then)) {
                Sluice once = gateway.sluice.with(options -> options.maxRetries(1));
                SluiceException failure = raised(() -> once.orders().place(hello()));
                check(failure.getCharged() == null && gateway.keys.size() == 2, failure);
                boolean namesKey = failure.getMessage().contains(gateway.keys.get(0));
                check(then == limited || failure instanceof SluiceException.ConnectionException && namesKey, failure);
            }
    }

    private static void anUnreachableServerChargedNothing() {
        Sluice sluice = Sluice.builder().baseUrl("http://127.0.0.1:1").maxRetries(0).build();
        SluiceException failure = raised(() -> sluice.orders().place(hello()));
        check(failure instanceof SluiceException.ConnectionException && Boolean.FALSE.equals(failure.getCharged()), failure);
        try {
            Sluice.builder().baseUrl("127.0.0.1:8080").build();
            throw new AssertionError("an address without a scheme was taken");
        } catch (IllegalArgumentException right) {
            // It is refused.
        }
    }

    private static void aResultThatIsGoneWasCharged() throws Exception {
        Answer gone = refusal(410, "gone_error", "result_unavailable").with("x-service-order-id", ID);
        try (Gateway gateway = new Gateway().says(CHATS, NOTHING, gone).says(ORDER, orderIs("done"))) {
            SluiceException failure = raised(() -> gateway.sluice.orders().place(hello()));
            check(failure instanceof SluiceException.ResultUnavailableException && ID.equals(failure.getOrderId()), failure);
            check(Boolean.TRUE.equals(failure.getCharged()), failure);
        }
    }

    private static void undescribedSuccessesNameTheirOrder() throws Exception {
        Answer completed = new Answer(200, "{}").with("x-service-order-id", ID);
        try (Gateway gateway = new Gateway().says(CHATS, completed).says(ORDER, orderIs("done"))) {
            List<Runnable> calls = List.of(
                    () -> gateway.sluice.orders().place(hello()),
                    // A gateway that does not know X-Dry-Run would place the order.
                    () -> gateway.sluice.orders().preview(hello()));
            for (Runnable call : calls) {
                SluiceException odd = raised(call);
                check(odd instanceof SluiceException.UnexpectedAnswerException && ID.equals(odd.getOrderId()), odd);
                check(Boolean.TRUE.equals(odd.getCharged()), odd);
            }
        }
        Answer stream = new Answer(200, "data: {}\n\n").with("x-service-order-id", ID).with("Content-Type", "text/event-stream");
        for (Answer success : new Answer[] {ACCEPTED.with("x-service-order-id", ID), stream})
            try (Gateway gateway = new Gateway().says(CHATS, success).says(ORDER, orderIs("queued"))) {
                ChatCompletionRequest smuggled = hello();
                smuggled.putAdditionalProperty("detached", true);
                smuggled.putAdditionalProperty("stream", true);
                InferenceApi inference = new InferenceApi(gateway.sluice.api());
                SluiceException odd = raised(() -> {
                    try {
                        inference.createChatCompletion(smuggled).execute();
                    } catch (sluice.client.ApiException impossible) {
                        throw new AssertionError(impossible);
                    }
                });
                check(odd instanceof SluiceException.UnexpectedAnswerException && ID.equals(odd.getOrderId()), odd);
            }
    }

    private static void cutJsonIsTriedAgainWithTheSameKey() throws Exception {
        Answer cut = new Answer(202, ACCEPTED.body.substring(0, 40));
        try (Gateway gateway = new Gateway().says(CHATS, cut, ACCEPTED)) {
            check(gateway.sluice.orders().place(hello()).getId().equals(ID), gateway.keys);
            check(gateway.keys.size() == 2 && gateway.keys.get(0).equals(gateway.keys.get(1)), gateway.keys);
        }
    }

    private static void aPageOrARedirectLeavesTheChargeOpen() throws Exception {
        Answer page = new Answer(200, "<h1>Sign in</h1>").with("Content-Type", "text/html");
        Answer moved = new Answer(302, "").with("Location", "/elsewhere");
        for (Answer odd : new Answer[] {page, moved})
            try (Gateway gateway = new Gateway().says(CHATS, odd).says("GET /v1/models", odd)) {
                Sluice own = gateway.sluice.with(options -> options.idempotencyKey("mine"));
                SluiceException failure = raised(() -> own.orders().place(hello()));
                check(failure instanceof SluiceException.UnexpectedAnswerException && failure.getStatus() == odd.status, failure);
                check(failure.getCharged() == null && failure.getMessage().contains("Idempotency-Key mine finds"), failure);
                SluiceException listed = raised(() -> own.market().models());
                check(listed instanceof SluiceException.UnexpectedAnswerException && gateway.requests.size() == 2, listed);
            }
    }

    private static void retryAfterIsWaitedForAMinuteAtMost() throws Exception {
        Answer limited = refusal(429, "rate_limit_error", "rate_limit_error");
        for (String said : List.of("86400", "99999999999", "Fri, 31 Dec 2100 23:59:59 GMT"))
            try (Gateway gateway = new Gateway().says(CHATS, limited.with("Retry-After", said))) {
                SluiceException failure = raised(() -> gateway.sluice.orders().place(hello()));
                check(Boolean.FALSE.equals(failure.getCharged()) && failure.isRetryable(), failure);
                check(gateway.requests.size() == 1, gateway.requests);
            }
        Answer past = limited.with("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT");
        try (Gateway gateway = new Gateway().says(CHATS, past, ACCEPTED)) {
            gateway.sluice.orders().place(hello());
            check(gateway.requests.size() == 2, gateway.requests);
        }
    }

    private static void aTimeoutInAWaitForARetrySaysWhetherAnOrderMayExist() throws Exception {
        Answer limited = refusal(429, "rate_limit_error", "rate_limit_error").with("Retry-After", "30");
        for (Answer odd : new Answer[] {limited, new Answer(502, "<h1>")})
            try (Gateway gateway = new Gateway().says(CHATS, odd)) {
                Sluice hasty = gateway.sluice.with(options -> options.timeout(Duration.ofMillis(300)).maxRetries(1000));
                SluiceException failure = raised(() -> hasty.orders().place(hello()));
                check(failure instanceof SluiceException.TimeoutException, failure);
                check(odd == limited ? Boolean.FALSE.equals(failure.getCharged()) : failure.getCharged() == null, failure);
            }
    }

    private static void aLineBreakInAHeaderIsNotSent() throws Exception {
        try (Gateway gateway = new Gateway().says("POST /behind/v1/chat/completions", ACCEPTED)) {
            String behind = gateway.sluice.api().getBasePath() + "/behind/v1/";
            gateway.sluice.with(options -> options.baseUrl(" " + behind + " ").apiKey("sk\n")).orders().place(hello());
            check("Bearer sk".equals(gateway.headers.getFirst("Authorization")), gateway.headers);
        }
        List<Consumer<Sluice.Builder>> wrong = List.of(
                options -> options.apiKey("s\nk"), options -> options.idempotencyKey("a\nb"), options -> options.header("X-Own", "a\r\nb"));
        for (Consumer<Sluice.Builder> change : wrong)
            try {
                Sluice.builder().build().with(change);
                throw new AssertionError("a header with a line break was taken");
            } catch (IllegalArgumentException right) {
                check(!String.valueOf(right.getMessage()).contains("s\nk"), right);
            }
    }

    private static void aTimeoutEndsAWait() throws Exception {
        Answer queued = resultIs("queued", "\"body\":null");
        try (Gateway gateway = new Gateway().says(ORDER, orderIs("queued")).says(ORDER + "/result", queued)) {
            Sluice hasty = gateway.sluice.with(options -> options.timeout(Duration.ofMillis(500)));
            OrderHandle order = hasty.orders().get(ID);
            SluiceException late = raised(order::result);
            check(late instanceof SluiceException.TimeoutException && ID.equals(late.getOrderId()), late);
            try {
                hasty.async(order::result).get();
                throw new AssertionError("a result of a queued order");
            } catch (ExecutionException failure) {
                check(failure.getCause() instanceof SluiceException.TimeoutException, failure);
            }
        }
    }

    private static String chunk(int number, String text) {
        return "id: " + number + "\ndata: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"tide\","
                + "\"choices\":[{\"index\":0,\"delta\":{\"content\":\"" + text + "\"},\"finish_reason\":null}]}\n\n";
    }

    private static Answer events(String text) {
        return new Answer(200, text).with("Content-Type", "text/event-stream");
    }

    private static void aStreamGoesOnAfterACutAndARestart() throws Exception {
        Answer restarted = refusal(409, "conflict_error", "stream_restarted").with("x-should-retry", "false");
        String path = ORDER + "/stream";
        Answer cut = events(chunk(0, "a") + chunk(1, "b") + "id: 2\ndata: CUT");
        try (Gateway gateway = new Gateway().says(ORDER, orderIs("executing"))
                .says(path, cut, NOTHING, restarted, events(chunk(0, "c") + "id: 1\ndata: [DONE]\n\n"))) {
            StringBuilder seen = new StringBuilder();
            try (LiveStream<OrderEvent> stream = gateway.sluice.orders().get(ID).stream()) {
                for (OrderEvent event : stream)
                    seen.append(event.number()).append(event.text()).append(event.restarted() ? "!" : " ");
            }
            check(seen.toString().equals("0a 1b 0c!"), seen);
            check(gateway.requests.contains(path + "?starting_after=1"), gateway.requests);
        }
        String fault = "data: " + refusal(0, "server_error", "backend_error").body + "\n\n";
        try (Gateway gateway = new Gateway().says(ORDER, orderIs("error")).says(path, events(fault))) {
            LiveStream<OrderEvent> stream = gateway.sluice.orders().get(ID).stream();
            SluiceException failure = raised(stream::hasNext);
            check("backend_error".equals(failure.getCode()) && Boolean.FALSE.equals(failure.getCharged()), failure);
        }
    }

    private static void aLostCancellationIsNoError() throws Exception {
        Answer late = refusal(409, "conflict_error", "order_not_cancelable").with("x-should-retry", "false");
        try (Gateway gateway = new Gateway().says(ORDER, orderIs("canceled"))
                .says("POST /v1/orders/" + ID + "/cancel", NOTHING, late)) {
            OrderHandle order = gateway.sluice.orders().get(ID);
            order.cancel();
            check(order.getStatus().equals("canceled"), order.getStatus());
        }
    }

    private static void aLostBatchIsNotMadeAgain() throws Exception {
        Path lines = Files.write(Path.of("lines.jsonl"), List.of("{}"));
        Answer file = new Answer(200, "{\"id\":\"file-1\",\"object\":\"file\",\"bytes\":3,\"created_at\":1,\"expires_at\":2,"
                + "\"filename\":\"lines.jsonl\",\"purpose\":\"batch\",\"status\":\"processed\"}");
        try (Gateway gateway = new Gateway().says("POST /v1/files", file)) {
            raised(() -> gateway.sluice.batches().run(lines, new BatchRequest(), null));
            long made = gateway.requests.stream().filter("POST /v1/batches"::equals).count();
            check(made == 1 && gateway.requests.get(2).startsWith("GET /v1/batches"), gateway.requests);
        }
    }

    private static Answer text(String type, String body) {
        return new Answer(200, body).with("Content-Type", type);
    }

    private static void aBatchReturnsWhatEachLineBecameInTheirOrder() throws Exception {
        String nulls = "error_file_id,errors,in_progress_at,finalizing_at,completed_at,failed_at,expired_at,cancelling_at,cancelled_at";
        String batch = "{\"id\":\"b\",\"object\":\"batch\",\"endpoint\":\"/v1/chat/completions\",\"status\":\"completed\","
                + "\"created_at\":1,\"expires_at\":2,\"completion_window\":\"24h\",\"input_file_id\":\"in\",\"output_file_id\":\"out\","
                + "\"request_counts\":{\"total\":2,\"completed\":1,\"failed\":0},\"metadata\":{},"
                + "\"x_retention\":{\"output_days\":1,\"output_expires_at\":null,\"output_deleted\":false},"
                + "\"x_market\":{\"active\":0,\"pending_result\":0,\"expired\":0,\"canceled\":0,\"bid\":null,\"deadline\":null},"
                + Arrays.stream(nulls.split(",")).map(name -> "\"" + name + "\":null").collect(Collectors.joining(",")) + "}";
        Answer file = new Answer(200, "{\"id\":\"in\",\"object\":\"file\",\"bytes\":3,\"created_at\":1,\"expires_at\":2,"
                + "\"filename\":\"lines.jsonl\",\"purpose\":\"batch\",\"status\":\"processed\"}");
        String output = "{\"id\":\"1\",\"custom_id\":\"b\",\"response\":{\"status_code\":200,\"request_id\":\"" + ID
                + "\",\"body\":{\"amount\":1234567890123456.123456789}},\"error\":null}";
        try (Gateway gateway = new Gateway().says("POST /v1/files", file).says("POST /v1/batches", new Answer(200, batch))
                .says("GET /v1/files/in/content", text("application/jsonl", "{\"custom_id\":\"a\"}\n{\"custom_id\":\"b\"}\n"))
                .says("GET /v1/files/out/content", text("application/jsonl", output))) {
            List<Batches.Result> results = gateway.sluice.batches().run(Map.of(), new BatchRequest(), null);
            check(results.size() == 2 && results.get(0).error().getCode().equals("no_result"), results);
            check(results.get(1).customId().equals("b") && results.get(1).orderId().equals(ID), results);
            check(results.get(1).body().get("amount").toString().equals("1234567890123456.123456789"), results);
        }
    }

    private static void levelsGoOnWhileTheGatewayIsAway() throws Exception {
        Answer frame = text("text/event-stream", "data: {\"levels\":[{\"model\":\"tide\",\"level\":0.5,\"updated_at\":" + AT + "}]}\n\n");
        try (Gateway gateway = new Gateway().says("GET /v1/market/levels/stream", frame, NOTHING, frame)) {
            Sluice once = gateway.sluice.with(options -> options.maxRetries(0));
            try (LiveStream<LevelsFrameEntry> levels = once.market().levels()) {
                for (int count = 0; count < 2; count++)
                    check(levels.next().getLevel().toPlainString().equals("0.5"), count);
            }
        }
    }

    private static void amountsInHeadersAndInAnyKeepTheirDigits() throws Exception {
        Answer result = resultIs("done", "\"body\":{\"amount\":1234567890.123456789012},\"later\":0.12345678901234567890");
        try (Gateway gateway = new Gateway().says(ORDER + "/result", result).says(CHATS, ACCEPTED)) {
            new InferenceApi(gateway.sluice.api()).createDetachedChatCompletion(hello())
                    .xPriceLimit(new BigDecimal("1234567890.123456789")).xMaxChargeUSD(new BigDecimal("0.000000001")).execute();
            check(gateway.headers.getFirst("X-Price-Limit").equals("1234567890.123456789"), gateway.headers);
            check(gateway.headers.getFirst("X-Max-Charge-USD").equals("0.000000001"), gateway.headers);
            OrderResult read = new OrdersApi(gateway.sluice.api()).getOrderResult(ID).execute();
            check(read.getBody().get("amount").toString().equals("1234567890.123456789012"), read);
            check(read.getAdditionalProperty("later").toString().equals("0.12345678901234567890"), read);
        }
    }

    private static Answer repriced(int changed, String code) {
        return new Answer(200, "{\"object\":\"list\",\"price_limit\":3,\"changed\":" + changed + ",\"data\":[{\"id\":\"" + ID
                + "\",\"changed\":false,\"code\":" + code + ",\"reason\":\"no\"}]}");
    }

    private static void anUnconfirmedPriceIsSentAgain() throws Exception {
        Answer[] answers = {repriced(0, "\"unavailable\""), repriced(1, "null"), repriced(0, "\"not_queued\"")};
        try (Gateway gateway = new Gateway().says(ORDER, orderIs("done")).says("POST /v1/orders/price", answers)) {
            OrderHandle order = gateway.sluice.orders().get(ID);
            order.reprice(new BigDecimal("3"));
            check(gateway.requests.size() == 3, gateway.requests);
            SluiceException failure = raised(() -> order.reprice(new BigDecimal("3")));
            check("not_queued".equals(failure.getCode()) && Boolean.TRUE.equals(failure.getCharged()), failure);
        }
    }

    private static Answer page(String cursor) {
        return new Answer(200, "{\"object\":\"list\",\"data\":[" + orderIs("done").body + "],\"has_more\":" + !cursor.equals("null")
                + ",\"next_cursor\":" + cursor + ",\"total_orders\":null,\"total_failed\":null,\"total_charged_usd\":null,"
                + "\"total_at_bid_usd\":null,\"total_saved_usd\":null,\"counts\":null}");
    }

    private static void aListAsksForTheNextPage() throws Exception {
        try (Gateway gateway = new Gateway().says("GET /v1/orders", page("\"next\""), page("null"))) {
            int count = 0;
            for (OrderHandle order : gateway.sluice.orders().list(filter -> filter.status(List.of("done", "error")))) {
                count++;
                boolean isExact = order.getOrder().getBid().compareTo(new BigDecimal("2")) == 0;
                check(isExact && gateway.requests.size() == count, gateway.requests);
            }
            check(count == 2 && gateway.requests.get(1).contains("cursor=next"), gateway.requests);
        }
    }

    private static void aReceiptIsVerifiedOffline() throws Exception {
        KeyPair pair = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        byte[] encoded = pair.getPublic().getEncoded();
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        String point = base64.encodeToString(Arrays.copyOfRange(encoded, encoded.length - 32, encoded.length));
        SigningKey key = new SigningKey().kty("OKP").crv("Ed25519").x(point).kid("k").use("sig").alg("EdDSA");
        SigningKeys keys = new SigningKeys().issuer("gw").addKeysItem(key);
        OrderReceipt right = new OrderReceipt(signed(pair, 6852, "gw"), keys);
        right.verify();
        check(right.charge().toPlainString().equals("0.000006852"), right.charge());
        String[] parts = right.jws().split("\\.");
        String forged = parts[0] + "." + parts[1] + "." + "A".repeat(86);
        check(new OrderReceipt(right.jws(), SigningKeys.fromJson(keys.toJson())).keys().equals(keys), keys);
        for (String wrong : List.of(signed(pair, 6853, "gw"), signed(pair, 6852, "other"), forged, "not a receipt", "a.b.c")) {
            try {
                new OrderReceipt(wrong, keys).verify();
                throw new AssertionError("a wrong receipt passed");
            } catch (SluiceException.ReceiptException refused) {
                check(refused.getCharged() == null, refused);
            }
        }
    }

    private static String signed(KeyPair pair, long charged, String issuer) throws Exception {
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        String claims = "{\"iss\":\"" + issuer + "\",\"iat\":1,\"order_id\":\"" + ID + "\",\"kind\":\"chat\",\"model\":\"tide\","
                + "\"created_at\":" + AT + ",\"admitted_at\":null,\"settled_at\":" + AT
                + ",\"tariff\":\"market:100000000:1000000000:4000000000\",\"level_nano_usd\":10000000,"
                + "\"bid_nano_usd\":2000000000,\"prompt_tokens\":17,\"cached_tokens\":0,\"output_tokens\":42,"
                + "\"estimated\":false,\"charged_nano_usd\":" + charged
                + ",\"written_off_nano_usd\":0,\"level_row\":null,\"quote_window\":null}";
        String header = "{\"alg\":\"EdDSA\",\"typ\":\"sluice-receipt+jws\",\"kid\":\"k\"}";
        String text = base64.encodeToString(header.getBytes(StandardCharsets.UTF_8)) + "."
                + base64.encodeToString(claims.getBytes(StandardCharsets.UTF_8));
        Signature signature = Signature.getInstance("Ed25519");
        signature.initSign(pair.getPrivate());
        signature.update(text.getBytes(StandardCharsets.UTF_8));
        return text + "." + base64.encodeToString(signature.sign());
    }

    /** What loses a paid answer, or its price, does not compile. */
    private static void mistakesDoNotCompile(String classPath) throws Exception {
        Map<String, String> mistakes = Map.of(
                "request.detached(true);", "detached",
                "request.stream(true);", "stream",
                "new InferenceApi(sluice.api()).dryRunChatCompletion(\"false\", request);", "dryRunChatCompletion",
                "request.priceLimt(new BigDecimal(\"2\"));", "priceLimt",
                "request.priceLimit(2.0);", "incompatible types",
                "new ChatCompletion().getChioces();", "getChioces");
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        Path folder = Files.createDirectories(Path.of("mistakes"));
        for (Map.Entry<String, String> mistake : mistakes.entrySet()) {
            String program = "import java.math.BigDecimal;\nimport sluice.client.*;\nimport sluice.client.api.*;\n"
                    + "import sluice.client.model.*;\nclass Mistake {\n  void make(Sluice sluice, ChatCompletionRequest request) {\n    "
                    + mistake.getKey() + "\n  }\n}\n";
            Path file = Files.writeString(folder.resolve("Mistake.java"), program);
            java.io.ByteArrayOutputStream printed = new java.io.ByteArrayOutputStream();
            String[] options = {"-proc:none", "-d", folder.toString(), "-cp", classPath, file.toString()};
            int code = compiler.run(null, printed, printed, options);
            check(code != 0 && printed.toString().contains(mistake.getValue()), mistake + " gave " + printed);
        }
    }

    private static SluiceException raised(Runnable call) {
        try {
            call.run();
        } catch (SluiceException failure) {
            return failure;
        }
        throw new AssertionError("nothing was thrown");
    }

    private static void check(boolean holds, Object otherwise) {
        if (!holds) throw new AssertionError(String.valueOf(otherwise));
    }
}
