package sluice.client;

import com.google.gson.JsonObject;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.HexFormat;
import sluice.client.model.ReceiptClaims;
import sluice.client.model.SigningKey;
import sluice.client.model.SigningKeys;

/**
 * The signed receipt of a done order, which is verified without the gateway. It is handwritten: no generator knows the
 * signature or the tariff.
 *
 * @param jws the receipt with its signature; save it together with the keys
 * @param keys those that were published when the receipt was asked for
 */
public record OrderReceipt(String jws, SigningKeys keys) {
    /** What stands before the 32 bytes of an Ed25519 key in the form that Java reads (RFC 8410). */
    private static final String KEY_PREFIX = "302a300506032b6570032100";

    /** Reads a receipt that was saved. Throws {@link SluiceException.ReceiptException} when it is none. */
    public OrderReceipt {
        read(jws, 1, ReceiptClaims.class);
    }

    /** What was signed. */
    public ReceiptClaims claims() {
        return read(jws, 1, ReceiptClaims.class);
    }

    /** What the order cost in USD. */
    public BigDecimal charge() {
        return BigDecimal.valueOf(claims().getChargedNanoUsd(), 9);
    }

    /**
     * Checks the signature and computes the charge from tariff, level and tokens. Needs no network.
     *
     * @throws SluiceException.ReceiptException when the gateway did not sign this, or its charge does not follow
     */
    public void verify() {
        ReceiptClaims claims = claims();
        try {
            verifySignature(claims.getIss());
            BigDecimal stated = BigDecimal.valueOf(claims.getChargedNanoUsd() + claims.getWrittenOffNanoUsd());
            BigDecimal due = due(claims);
            if (stated.compareTo(due) != 0)
                throw new GeneralSecurityException("The receipt charges " + stated + " nano-dollars; its tokens cost " + due);
        } catch (GeneralSecurityException | RuntimeException wrong) {
            throw new SluiceException.ReceiptException(wrong.getMessage(), wrong);
        }
    }

    private void verifySignature(String issuer) throws GeneralSecurityException {
        JsonObject header = read(jws, 0, JsonObject.class);
        if (!"EdDSA".equals(Transport.textOf(header, "alg")) || !"sluice-receipt+jws".equals(Transport.textOf(header, "typ")))
            throw new GeneralSecurityException("The JWS is not a signed receipt.");
        if (!issuer.equals(keys.getIssuer()))
            throw new GeneralSecurityException("The receipt is of " + issuer + ", the keys of " + keys.getIssuer());
        byte[] signature = Base64.getUrlDecoder().decode(jws.split("\\.")[2]);
        byte[] signed = jws.substring(0, jws.lastIndexOf('.')).getBytes(StandardCharsets.US_ASCII);
        for (SigningKey key : keys.getKeys())
            if (key.getKid().equals(header.get("kid").getAsString()) && isSignedBy(key, signed, signature)) return;
        throw new GeneralSecurityException("No published key made the signature of the receipt.");
    }

    private static boolean isSignedBy(SigningKey key, byte[] signed, byte[] signature) throws GeneralSecurityException {
        String point = HexFormat.of().formatHex(Base64.getUrlDecoder().decode(key.getX()));
        X509EncodedKeySpec encoded = new X509EncodedKeySpec(HexFormat.of().parseHex(KEY_PREFIX + point));
        Signature verifier = Signature.getInstance("Ed25519");
        verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(encoded));
        verifier.update(signed);
        return verifier.verify(signature);
    }

    /** What the tokens cost in nano-dollars, rounded once, half to even. */
    private static BigDecimal due(ReceiptClaims claims) throws GeneralSecurityException {
        String[] tariff = claims.getTariff().split(":");
        boolean isMarket = tariff[0].equals("market");
        if (tariff.length != 4 || !isMarket && !tariff[0].equals("fixed"))
            throw new GeneralSecurityException("The tariff is " + claims.getTariff());
        long uncached = claims.getPromptTokens() - claims.getCachedTokens();
        BigDecimal cost = weighed(tariff, claims.getCachedTokens(), uncached, claims.getOutputTokens());
        BigDecimal below = BigDecimal.valueOf(1_000_000);
        if (isMarket) {
            cost = cost.multiply(BigDecimal.valueOf(claims.getLevelNanoUsd())).movePointRight(2);
            below = below.multiply(weighed(tariff, 90, 10, 2));
        }
        return below.signum() == 0 ? BigDecimal.ZERO : cost.divide(below, 0, RoundingMode.HALF_EVEN);
    }

    private static BigDecimal weighed(String[] tariff, long... weights) {
        BigDecimal sum = BigDecimal.ZERO;
        for (int index = 0; index < weights.length; index++)
            sum = sum.add(new BigDecimal(tariff[index + 1]).multiply(BigDecimal.valueOf(weights[index])));
        return sum;
    }

    private static <Value> Value read(String jws, int part, Class<Value> type) {
        try {
            if (jws.split("\\.").length != 3) throw new IllegalArgumentException("It has not three parts.");
            String text = new String(Base64.getUrlDecoder().decode(jws.split("\\.")[part]), StandardCharsets.UTF_8);
            return java.util.Objects.requireNonNull(JSON.getGson().fromJson(text, type));
        } catch (RuntimeException odd) {
            throw new SluiceException.ReceiptException("The receipt is no JWS of JSON.", odd);
        }
    }
}
