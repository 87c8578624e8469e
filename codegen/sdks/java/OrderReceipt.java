package sluice.client;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import sluice.client.model.ReceiptClaims;
import sluice.client.model.SigningKey;
import sluice.client.model.SigningKeys;

/**
 * The signed receipt of a done order, which is verified without the gateway. It is handwritten: no generator knows the
 * signature or the tariff.
 */
public final class OrderReceipt {
    /** What stands before the 32 bytes of an Ed25519 key in the form that Java reads (RFC 8410). */
    private static final byte[] KEY_PREFIX = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};

    private final String jws;
    private final SigningKeys keys;
    private final String[] parts;
    private final ReceiptClaims claims;

    /** Reads a receipt that was saved. Throws IllegalArgumentException when it is none. */
    public OrderReceipt(String jws, SigningKeys keys) {
        this.jws = jws;
        this.keys = keys;
        this.parts = jws.split("\\.");
        if (parts.length != 3) throw new IllegalArgumentException("The receipt is not a JWS of three parts.");
        this.claims = JSON.getGson().fromJson(textOf(parts[1]), ReceiptClaims.class);
    }

    /** With its signature; save it together with the keys. */
    public String getJws() {
        return jws;
    }

    /** Those that were published when the receipt was asked for. */
    public SigningKeys getKeys() {
        return keys;
    }

    /** What was signed. */
    public ReceiptClaims getClaims() {
        return claims;
    }

    /** What the order cost in USD. */
    public BigDecimal getCharge() {
        return BigDecimal.valueOf(claims.getChargedNanoUsd(), 9);
    }

    /**
     * Checks the signature and computes the charge from tariff, level and tokens. Needs no network, but Java 15 or newer.
     *
     * @throws GeneralSecurityException when the receipt is not what the gateway signed, or its charge does not follow
     */
    public void verify() throws GeneralSecurityException {
        verifySignature();
        BigInteger stated = BigInteger.valueOf(claims.getChargedNanoUsd() + claims.getWrittenOffNanoUsd());
        BigInteger due = due();
        if (!stated.equals(due))
            throw new GeneralSecurityException("The receipt charges " + stated + " nano-dollars; its tokens cost " + due);
    }

    private void verifySignature() throws GeneralSecurityException {
        com.google.gson.JsonObject header = JSON.getGson().fromJson(textOf(parts[0]), com.google.gson.JsonObject.class);
        boolean isReceipt = header.get("alg").getAsString().equals("EdDSA")
                && header.get("typ").getAsString().equals("sluice-receipt+jws");
        if (!isReceipt) throw new GeneralSecurityException("The JWS is not a signed receipt.");
        if (!claims.getIss().equals(keys.getIssuer()))
            throw new GeneralSecurityException("The receipt is of " + claims.getIss() + ", the keys of " + keys.getIssuer());
        byte[] signature = Base64.getUrlDecoder().decode(parts[2]);
        byte[] signed = (parts[0] + "." + parts[1]).getBytes(StandardCharsets.US_ASCII);
        for (SigningKey key : keys.getKeys())
            if (key.getKid().equals(header.get("kid").getAsString()) && isSignedBy(key, signed, signature)) return;
        throw new GeneralSecurityException("No published key made the signature of the receipt.");
    }

    private static boolean isSignedBy(SigningKey key, byte[] signed, byte[] signature) throws GeneralSecurityException {
        byte[] point = Base64.getUrlDecoder().decode(key.getX());
        byte[] encoded = new byte[KEY_PREFIX.length + point.length];
        System.arraycopy(KEY_PREFIX, 0, encoded, 0, KEY_PREFIX.length);
        System.arraycopy(point, 0, encoded, KEY_PREFIX.length, point.length);
        Signature verifier;
        try {
            verifier = Signature.getInstance("Ed25519");
        } catch (NoSuchAlgorithmException old) {
            throw new NoSuchAlgorithmException("Java 15 or newer is needed to verify a receipt.", old);
        }
        PublicKey published = KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded));
        verifier.initVerify(published);
        verifier.update(signed);
        return verifier.verify(signature);
    }

    /** What the tokens cost in nano-dollars, rounded once, half to even. */
    private BigInteger due() throws GeneralSecurityException {
        String[] tariff = claims.getTariff().split(":");
        boolean isMarket = tariff[0].equals("market");
        if (tariff.length != 4 || !isMarket && !tariff[0].equals("fixed"))
            throw new GeneralSecurityException("The tariff is " + claims.getTariff());
        long[] tokens = {
            claims.getCachedTokens(), claims.getPromptTokens() - claims.getCachedTokens(), claims.getOutputTokens()
        };
        long[] mix = {90, 10, 2};
        BigDecimal cost = BigDecimal.ZERO;
        BigDecimal share = BigDecimal.ZERO;
        for (int index = 0; index < 3; index++) {
            BigDecimal part = new BigDecimal(tariff[index + 1]);
            cost = cost.add(part.multiply(BigDecimal.valueOf(tokens[index])));
            share = share.add(part.multiply(BigDecimal.valueOf(mix[index])));
        }
        BigDecimal below = BigDecimal.valueOf(1_000_000);
        if (isMarket) {
            cost = cost.multiply(BigDecimal.valueOf(claims.getLevelNanoUsd())).movePointRight(2);
            below = below.multiply(share);
        }
        if (below.signum() == 0) return BigInteger.ZERO;
        return cost.divide(below, 0, RoundingMode.HALF_EVEN).toBigInteger();
    }

    private static String textOf(String part) {
        return new String(Base64.getUrlDecoder().decode(part), StandardCharsets.UTF_8);
    }
}
