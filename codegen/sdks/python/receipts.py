"""Receipts that are verified without the gateway.

This file is handwritten and copied into the client as it is: no generator knows the signature or the tariff.
"""

import base64
import json
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, Tuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from sluice.error_classes import ReceiptError
from sluice.models.receipt_claims import ReceiptClaims
from sluice.models.signing_keys import SigningKeys


class OrderReceipt:
    """The signed receipt of an order. Save ``jws`` and the keys: ``OrderReceipt(jws, keys)`` reads them again."""

    def __init__(self, jws: str, keys: SigningKeys) -> None:
        """Raises ReceiptError on text that is no JWS."""
        self.jws = jws
        self.keys = keys
        self._header, self.claims, self._signature = _parts_of(jws)
        """What was signed, in nano-dollars."""

    @property
    def charged(self) -> Decimal:
        """What the order cost, in USD."""
        return Decimal(self.claims.charged_nano_usd).scaleb(-9)

    def verify(self) -> None:
        """Checks the signature, and computes the charge from tariff, price and tokens; without a network.

        Raises ReceiptError.
        """
        self._verify_signature()
        stated = self.claims.charged_nano_usd + self.claims.written_off_nano_usd
        due = _due_of(self.claims)
        if stated != due:
            raise ReceiptError(f"The receipt charges {stated} nano-dollars; its tokens cost {due}.")

    def _verify_signature(self) -> None:
        if self._header.get("alg") != "EdDSA" or self._header.get("typ") != "sluice-receipt+jws":
            raise ReceiptError("The JWS is not a signed receipt.")
        if self.claims.iss != self.keys.issuer:
            raise ReceiptError(f"The receipt is of {self.claims.iss}, and the keys are of {self.keys.issuer}.")
        kid = self._header.get("kid")
        known = [key for key in self.keys.keys if key.kid == kid]
        if not known:
            raise ReceiptError(f"The published keys have no {kid}.")
        signed = self.jws.rpartition(".")[0].encode()
        try:
            Ed25519PublicKey.from_public_bytes(_bytes_of(known[0].x)).verify(self._signature, signed)
        except (InvalidSignature, ValueError) as cause:
            raise ReceiptError("The signature of the receipt is wrong.") from cause


def _due_of(claims: ReceiptClaims) -> int:
    """What the tokens cost in nano-dollars, rounded once, half to even."""
    found = re.match(r"(market|fixed):(\d+):(\d+):(\d+)$", claims.tariff)
    if not found:
        raise ReceiptError(f"{claims.tariff} is not a known tariff.")
    cached, uncached, output = (int(found[at]) for at in (2, 3, 4))
    fresh = claims.prompt_tokens - claims.cached_tokens
    worth = Fraction(claims.cached_tokens * cached + fresh * uncached + claims.output_tokens * output, 1_000_000)
    if found[1] == "fixed":
        return round(worth)
    return round(worth * claims.level_nano_usd * 100 / (90 * cached + 10 * uncached + 2 * output))


def _parts_of(jws: str) -> Tuple[Dict[str, Any], ReceiptClaims, bytes]:
    try:
        header, payload, signature = jws.split(".")
        claims = ReceiptClaims.from_dict(dict(json.loads(_bytes_of(payload))))
        assert claims is not None
        return dict(json.loads(_bytes_of(header))), claims, _bytes_of(signature)
    except (ValueError, TypeError) as cause:
        raise ReceiptError("The receipt is no JWS of JSON.") from cause


def _bytes_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
