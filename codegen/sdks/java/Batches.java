package sluice.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import sluice.client.api.BatchesApi;
import sluice.client.model.Batch;
import sluice.client.model.BatchList;
import sluice.client.model.BatchRequest;

/**
 * Batches that run from lines to results. It is handwritten: a run needs five requests in the right order, and
 * the generated API would create a batch twice when an answer is lost.
 */
public final class Batches {
    /** In the metadata of a batch, so that a batch whose answer was lost is found instead of made again. */
    private static final String RUN_NAME = "sluice_client_run";
    private static final long POLL_MS = 2000;

    private final Sluice sluice;

    Batches(Sluice sluice) {
        this.sluice = sluice;
    }

    /** What a line became. */
    public static final class Result {
        private final String customId;
        private final Completion completion;
        private final SluiceException error;

        private Result(String customId, Completion completion, SluiceException error) {
            this.customId = customId;
            this.completion = completion;
            this.error = error;
        }

        public String getCustomId() {
            return customId;
        }

        /** Null when it has an error. */
        public Completion getCompletion() {
            return completion;
        }

        /** Why it has no answer; null when it has one. */
        public SluiceException getError() {
            return error;
        }
    }

    /**
     * Sends a file of lines as a batch, waits until it ends, and returns what the lines became: first those with an answer.
     * The request needs no file, and no endpoint for chat completions. {@code onProgress}, which may be null, gets the batch
     * again and again, the last time when it has ended.
     */
    public List<Result> run(Path lines, BatchRequest request, Consumer<Batch> onProgress) {
        request.setInputFileId(sluice.files().upload(lines.toFile()).getId());
        if (request.getEndpoint() == null) request.setEndpoint(BatchRequest.EndpointEnum.CHAT_COMPLETIONS);
        for (Batch batch = create(request); ; batch = get(batch.getId())) {
            if (onProgress != null) onProgress.accept(batch);
            switch (batch.getStatus()) {
                case "completed":
                case "expired":
                case "cancelled":
                    return resultsOf(batch);
                case "failed":
                    SluiceException.Facts facts = new SluiceException.Facts("the batch is wrong: " + batch.getErrors());
                    facts.code = "batch_error";
                    throw facts.toException();
                default:
                    if (Sluice.sleep(POLL_MS)) continue;
                    throw new SluiceException.Timeout(new SluiceException.Facts("the batch has not ended: " + batch.getId()));
            }
        }
    }

    /** The same with the bodies of the lines by their custom_id: each a ChatCompletionRequest, or of another endpoint. */
    public List<Result> run(Map<String, ?> lines, BatchRequest request, Consumer<Batch> onProgress) {
        if (request.getEndpoint() == null) request.setEndpoint(BatchRequest.EndpointEnum.CHAT_COMPLETIONS);
        List<String> texts = new ArrayList<>();
        lines.forEach((customId, body) -> {
            JsonObject line = new JsonObject();
            line.addProperty("custom_id", customId);
            line.addProperty("method", "POST");
            line.addProperty("url", request.getEndpoint().getValue());
            line.add("body", JSON.getGson().toJsonTree(body));
            texts.add(JSON.getGson().toJson(line));
        });
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

    /** {@link #run} in another thread. */
    public CompletableFuture<List<Result>> runAsync(Map<String, ?> lines, BatchRequest request, Consumer<Batch> onProgress) {
        return sluice.async(() -> run(lines, request, onProgress));
    }

    /** Creates a batch once: when no answer came, it looks among the newest batches before it tries again. */
    private Batch create(BatchRequest request) {
        String run = UUID.randomUUID().toString();
        Map<String, String> metadata = new HashMap<>();
        if (request.getMetadata() != null) metadata.putAll(request.getMetadata());
        metadata.put(RUN_NAME, run);
        request.setMetadata(metadata);
        // Clocks may differ by an hour, not by more.
        long oldest = Instant.now().minus(1, ChronoUnit.HOURS).getEpochSecond();
        for (int failures = 1; ; failures++) {
            try {
                return Sluice.done(() -> new BatchesApi(sluice.api()).createBatch(request).execute());
            } catch (SluiceException failure) {
                boolean isOpen = failure.getType() == null || failure.getStatus() >= 500;
                boolean isLast = failures > sluice.options.maxRetries;
                if (!isOpen || isLast || !Sluice.sleep(Transport.backoffMs(failures))) throw failure;
            }
            for (Batch found : list()) {
                if (found.getMetadata() != null && run.equals(found.getMetadata().get(RUN_NAME))) return found;
                if (found.getCreatedAt() < oldest) break;
            }
        }
    }

    private List<Result> resultsOf(Batch batch) {
        List<Result> results = new ArrayList<>();
        for (String file : new String[] {batch.getOutputFileId(), batch.getErrorFileId()}) {
            if (file == null) continue;
            String text = new String(sluice.files().content(file), StandardCharsets.UTF_8);
            for (String line : text.split("\n")) if (!line.isBlank()) results.add(resultOf(line));
        }
        return results;
    }

    private static Result resultOf(String text) {
        JsonObject line = JsonParser.parseString(text).getAsJsonObject();
        String customId = line.get("custom_id").getAsString();
        JsonElement response = line.get("response");
        if (response == null || !response.isJsonObject())
            return new Result(customId, null, SluiceException.endOf(null, line.get("error")).toException());
        JsonObject answer = response.getAsJsonObject();
        String order = answer.get("request_id").getAsString();
        return new Result(customId, new Completion(order, answer.getAsJsonObject("body")), null);
    }

    /** Finds a batch by its id. */
    public Batch get(String id) {
        return Sluice.done(() -> new BatchesApi(sluice.api()).getBatch(id).execute());
    }

    /** Ends the lines that wait; those that run finish. */
    public Batch cancel(String id) {
        return Sluice.done(() -> new BatchesApi(sluice.api()).cancelBatch(id).execute());
    }

    /** All batches, newest first. */
    public Iterable<Batch> list() {
        return () -> new Pages<>(after -> {
            BatchList list = Sluice.done(() -> new BatchesApi(sluice.api()).listBatches().after(after).execute());
            return new Pages.Page<>(list.getData(), list.getHasMore() ? list.getLastId() : null);
        });
    }
}
