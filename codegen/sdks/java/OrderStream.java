package sluice.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Set;
import sluice.client.api.StreamsApi;
import sluice.client.model.ChatCompletionChunk;

/**
 * The events of an order, in order; iterate over it once, in one thread, within a try-with-resources. After a cut it goes on
 * by itself. It is handwritten: a generated stream ends with its connection.
 */
public final class OrderStream implements Iterable<OrderStream.Event>, Iterator<OrderStream.Event>, AutoCloseable {
    /** The last events of other kinds than chat, whose stream ends with [DONE]. */
    private static final Set<String> LAST =
            Set.of("message_stop", "response.completed", "response.incomplete", "response.failed");

    private final Sluice sluice;
    private final OrderHandle order;
    private EventStream events;
    private Event next;
    private int last;
    private boolean restarted;
    private int fruitless;
    private boolean over;

    OrderStream(Sluice sluice, OrderHandle order, int after) {
        this.sluice = sluice;
        this.order = order;
        this.last = after;
    }

    /** One event of the stream. */
    public static final class Event {
        private final int number;
        private final boolean restarted;
        private final String name;
        private final String data;
        private final ChatCompletionChunk chunk;

        private Event(int number, boolean restarted, String name, String data, ChatCompletionChunk chunk) {
            this.number = number;
            this.restarted = restarted;
            this.name = name;
            this.data = data;
            this.chunk = chunk;
        }

        /** Counts from 0: {@link OrderHandle#stream(int)} goes on after it. */
        public int getNumber() {
            return number;
        }

        /** The gateway of the order ended, and it runs again: what came before this event no longer counts. */
        public boolean isRestarted() {
            return restarted;
        }

        /** Null when it has none. */
        public String getName() {
            return name;
        }

        /** Its JSON. */
        public String getData() {
            return data;
        }

        /** The event of a chat completion; null for other kinds. */
        public ChatCompletionChunk getChunk() {
            return chunk;
        }

        /** What it adds to the text of a chat completion. */
        public String getText() {
            if (chunk == null || chunk.getChoices().isEmpty()) return "";
            Object text = chunk.getChoices().get(0).getDelta().get("content");
            return text instanceof String ? (String) text : "";
        }
    }

    @Override
    public Iterator<Event> iterator() {
        return this;
    }

    /** Waits for an event; throws the exception of an order that ended without an answer. */
    @Override
    public boolean hasNext() {
        while (next == null && !over) {
            try {
                if (events == null) events = open();
                if (events.hasNext()) take(events.next());
                else goOnAfter(null);
            } catch (EventStream.CutException cut) {
                goOnAfter(cut);
            }
        }
        return next != null;
    }

    @Override
    public Event next() {
        if (!hasNext()) throw new NoSuchElementException();
        Event event = next;
        next = null;
        return event;
    }

    /** Ends the connection; the order goes on. */
    @Override
    public void close() {
        over = true;
        if (events != null) events.close();
        events = null;
    }

    private EventStream open() {
        try {
            return streamAfter(last);
        } catch (SluiceException.Conflict conflict) {
            if (last < 0 || !"stream_restarted".equals(conflict.getCode())) throw conflict;
            last = -1;
            restarted = true;
            return streamAfter(last);
        }
    }

    private EventStream streamAfter(int number) {
        StreamsApi.APIstreamOrderRequest request = new StreamsApi(sluice.api()).streamOrder(order.getId());
        return Sluice.done(() -> (number < 0 ? request : request.startingAfter(number)).execute());
    }

    /** The connection ended before the last event. */
    private void goOnAfter(EventStream.CutException cut) {
        events.close();
        events = null;
        fruitless++;
        boolean isInterrupted = fruitless <= sluice.options.maxRetries && !Sluice.sleep(Transport.backoffMs(fruitless));
        if (fruitless <= sluice.options.maxRetries && !isInterrupted) return;
        over = true;
        SluiceException.Facts facts = new SluiceException.Facts("the stream was cut after event " + last);
        facts.cause = cut;
        facts.orderId = order.getId();
        facts.retryable = true;
        facts.charged = isInterrupted ? null : order.charged();
        throw isInterrupted ? new SluiceException.Timeout(facts) : new SluiceException.Connection(facts);
    }

    private void take(EventStream.Event event) {
        if (event.getData().equals("[DONE]")) {
            close();
            return;
        }
        JsonObject data = objectOf(event.getData());
        JsonElement error = data.get("error");
        if (error != null && error.isJsonObject() && error.getAsJsonObject().has("code")) {
            close();
            SluiceException.Facts facts = SluiceException.endOf(order.getId(), error);
            if ("settlement_uncertain".equals(facts.code)) facts.charged = order.charged();
            throw facts.toException();
        }
        if (event.getId() == null) return;
        last = Integer.parseInt(event.getId());
        fruitless = 0;
        boolean isChat = data.has("object") && data.get("object").getAsString().equals("chat.completion.chunk");
        ChatCompletionChunk chunk =
                isChat ? Sluice.done(() -> JSON.getGson().fromJson(data, ChatCompletionChunk.class)) : null;
        next = new Event(last, restarted, event.getEvent(), event.getData(), chunk);
        restarted = false;
        if (event.getEvent() != null && LAST.contains(event.getEvent())) close();
    }

    private static JsonObject objectOf(String text) {
        try {
            JsonElement data = JsonParser.parseString(text);
            return data.isJsonObject() ? data.getAsJsonObject() : new JsonObject();
        } catch (JsonParseException odd) {
            return new JsonObject();
        }
    }
}
