package sluice.client;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.math.BigDecimal;
import sluice.client.model.ChatCompletion;

/** The answer of an order. It is handwritten: the generated result has any kind of answer as a map without exact amounts. */
public final class Completion {
    private final String orderId;
    private final JsonObject body;
    private final ChatCompletion chat;
    private final BigDecimal charge;

    Completion(String orderId, JsonObject body) {
        this.orderId = orderId;
        this.body = body;
        JsonElement object = body.get("object");
        boolean isChat = object != null && object.getAsString().equals("chat.completion");
        this.chat = isChat ? Sluice.done(() -> JSON.getGson().fromJson(body, ChatCompletion.class)) : null;
        JsonElement receipt = body.has("usage") ? body.getAsJsonObject("usage").get("x_market") : null;
        this.charge = receipt == null ? null : receipt.getAsJsonObject().get("charged_usd").getAsBigDecimal();
    }

    public String getOrderId() {
        return orderId;
    }

    /** In the shape of the endpoint of the order; its numbers keep their digits. */
    public JsonObject getBody() {
        return body;
    }

    /** The answer of a chat completion; null for the other kinds. */
    public ChatCompletion getChat() {
        return chat;
    }

    /** That of the first choice; empty when there is none. */
    public String getText() {
        if (chat == null || chat.getChoices().isEmpty()) return "";
        String text = chat.getChoices().get(0).getMessage().getContent();
        return text == null ? "" : text;
    }

    /** What the order cost in USD, exactly; null in old results. */
    public BigDecimal getCharge() {
        return charge;
    }
}
