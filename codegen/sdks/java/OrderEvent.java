package sluice.client;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import sluice.client.model.ChatCompletionChunk;

/**
 * One event of an order's stream. It is handwritten: the generated stream has text only.
 *
 * @param number counts from 0: {@link OrderHandle#stream(int)} goes on after it
 * @param name that of the event; null in chats
 * @param data its JSON, such as that of a ChatCompletionChunk
 * @param text what it adds to the text of the answer
 * @param restarted the gateway of the order ended, and it runs again: what came before this event no longer counts
 */
public record OrderEvent(int number, String name, JsonObject data, String text, boolean restarted) {
    /** Of a chat completion. */
    public ChatCompletionChunk chunk() {
        return Sluice.done(() -> JSON.getGson().fromJson(data, ChatCompletionChunk.class));
    }

    static String textOf(JsonObject data) {
        if (data.get("choices") instanceof JsonArray choices && !choices.isEmpty()) {
            JsonObject choice = choices.get(0).getAsJsonObject();
            return choice.get("delta") instanceof JsonObject delta ? stringOf(delta.get("content")) : stringOf(choice.get("text"));
        }
        if (data.get("delta") instanceof JsonObject delta) return stringOf(delta.get("text"));
        boolean isText = stringOf(data.get("type")).equals("response.output_text.delta");
        return isText ? stringOf(data.get("delta")) : "";
    }

    private static String stringOf(JsonElement value) {
        return value == null || !value.isJsonPrimitive() ? "" : value.getAsString();
    }
}
