package sluice.client;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import sluice.client.api.BatchesApi;
import sluice.client.model.Batch;
import sluice.client.model.BatchLineResponse;
import sluice.client.model.BatchList;
import sluice.client.model.BatchRequest;
import sluice.client.model.ChatCompletion;

/**
 * Batches that run from lines to results. It is handwritten: a run needs five requests in the right order, and
 * the generated API would create a batch twice when an answer is lost.
 */
public final class Batches {
    /** In the metadata of a batch, so that a batch whose answer was lost is found instead of made again. */
    private static final String RUN_NAME = "sluice_client_run";
    private static final long POLL_MS = 2000;
    private static final Set<String> ENDED = Set.of("completed", "expired", "cancelled");

    private final Sluice sluice;
    private final BatchesApi api;

    Batches(Sluice sluice) {
        this.sluice = sluice;
        this.api = new BatchesApi(sluice.api());
    }

    /**
     * What a line became: a body or an error.
     *
     * @param orderId null without an answer
     * @param body the answer in the shape of its endpoint; its numbers are BigDecimals
     */
    public record Result(String customId, String orderId, Map<String, Object> body, SluiceException error) {
        /** The answer of a chat. Throws the error of a line that has none. */
        public ChatCompletion completion() {
            if (error != null) throw error;
            return OrderHandle.chatOf(body);
        }
    }

    /**
     * Sends a file of lines as a batch, waits until it ends, and returns what each line became, in their order. The request
     * needs no file, and no endpoint for chat completions. {@code onProgress}, which may be null, gets the batch again and
     * again, the last time when it has ended.
     */
    public List<Result> run(Path lines, BatchRequest request, Consumer<Batch> onProgress) {
        var file = sluice.files().upload(lines.toFile());
        request.setInputFileId(file.getId());
        if (request.getEndpoint() == null) request.setEndpoint(BatchRequest.EndpointEnum.CHAT_COMPLETIONS);
        for (Batch batch = create(request, file.getCreatedAt()); ; batch = get(batch.getId())) {
            if (onProgress != null) onProgress.accept(batch);
            if (batch.getStatus().equals("failed")) {
                SluiceException.Facts facts = new SluiceException.Facts("the batch is wrong: " + batch.getErrors(), null);
                facts.code = "batch_error";
                throw new SluiceException.InvalidRequestException(facts);
            }
            if (ENDED.contains(batch.getStatus())) return resultsOf(batch);
            if (!Sluice.sleep(POLL_MS)) throw SluiceException.late("the batch has not ended: " + batch.getId(), null);
        }
    }

    /** The same with the bodies of the lines by their custom_id: each a ChatCompletionRequest, or of another endpoint. */
    public List<Result> run(Map<String, ?> lines, BatchRequest request, Consumer<Batch> onProgress) {
        if (request.getEndpoint() == null) request.setEndpoint(BatchRequest.EndpointEnum.CHAT_COMPLETIONS);
        List<String> texts = new ArrayList<>();
        String url = request.getEndpoint().getValue();
        lines.forEach((customId, body) ->
                texts.add(JSON.getGson().toJson(Map.of("custom_id", customId, "method", "POST", "url", url, "body", body))));
        try {
            Path file = java.nio.file.Files.createTempFile("lines-", ".jsonl");
            try {
                return run(java.nio.file.Files.write(file, texts), request, onProgress);
            } finally {
                java.nio.file.Files.delete(file);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Creates a batch once: when no answer came, it looks among those since its file was stored before it tries again. */
    private Batch create(BatchRequest request, long since) {
        String run = java.util.UUID.randomUUID().toString();
        request.putMetadataItem(RUN_NAME, run);
        for (int failures = 0; ; failures++) {
            try {
                return Sluice.done(() -> api.createBatch(request).execute());
            } catch (SluiceException failure) {
                boolean isOpen = failure.getType() == null || failure.getStatus() >= 500;
                boolean mayRepeat = isOpen && failures < sluice.options.maxRetries;
                if (!mayRepeat || !Sluice.sleep(Transport.backoffMs(failures))) throw failure;
            }
            for (Batch found : list()) {
                if (found.getMetadata() != null && run.equals(found.getMetadata().get(RUN_NAME))) return found;
                if (found.getCreatedAt() < since) break;
            }
        }
    }

    /** What the output and the error file say, in the order of the lines that were sent. */
    private List<Result> resultsOf(Batch batch) {
        Map<String, Result> results = new LinkedHashMap<>();
        for (String file : new String[] {batch.getInputFileId(), batch.getOutputFileId(), batch.getErrorFileId()}) {
            if (file == null) continue;
            for (String text : sluice.files().content(file).split("\n")) {
                JsonObject line = Sluice.done(() -> JsonParser.parseString(text).getAsJsonObject());
                results.put(line.get("custom_id").getAsString(), resultOf(line));
            }
        }
        return List.copyOf(results.values());
    }

    /** A line of the file that was sent has neither. */
    private static Result resultOf(JsonObject line) {
        String customId = line.get("custom_id").getAsString();
        BatchLineResponse answer = JSON.getGson().fromJson(line.get("response"), BatchLineResponse.class);
        if (answer != null) return new Result(customId, answer.getRequestId(), answer.getBody(), null);
        SluiceException.Facts facts = new SluiceException.Facts("the line has no result", null);
        facts.code = "no_result";
        Transport.read(line.get("error"), facts);
        // Only an order whose answer is no longer stored was charged without one.
        facts.charged = "result_unavailable".equals(facts.code);
        return new Result(customId, null, null, facts.toEnd());
    }

    /** Finds a batch by its id. */
    public Batch get(String id) {
        return Sluice.done(() -> api.getBatch(id).execute());
    }

    /** Ends the lines that wait; those that run finish. */
    public Batch cancel(String id) {
        return Sluice.done(() -> api.cancelBatch(id).execute());
    }

    /** All batches, newest first. */
    public Iterable<Batch> list() {
        return Sluice.pages(
                after -> Sluice.done(() -> api.listBatches().after(after).execute()),
                BatchList::getData,
                list -> list.getHasMore() ? list.getLastId() : null);
    }
}
