"""Receipts that are verified without the gateway.

This file is handwritten and copied into the client as it is: no generator knows the signature or the tariff. The
signature is verified in Python itself (RFC 8032), so the client needs no package for it.
"""

import base64
import hashlib
import json
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any, Dict, Optional, Tuple

from sluice.models.receipt_claims import ReceiptClaims
from sluice.models.signing_keys import SigningKeys


class ReceiptError(Exception):
    """A receipt whose signature or arithmetic is wrong."""


class OrderReceipt:
    """The signed receipt of an order. Save ``jws`` and the keys: ``OrderReceipt(jws, keys)`` reads them again."""

    def __init__(self, jws: str, keys: SigningKeys) -> None:
        """Raises ReceiptError on text that is no JWS."""
        self.jws = jws
        self.keys = keys
        self._header, payload, self._signature = _parts_of(jws)
        claims = ReceiptClaims.from_dict(payload)
        assert claims is not None
        self.claims = claims
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
        if not _is_signed(_bytes_of(known[0].x), signed, self._signature):
            raise ReceiptError("The signature of the receipt is wrong.")


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


def _parts_of(jws: str) -> Tuple[Dict[str, Any], Dict[str, Any], bytes]:
    try:
        header, payload, signature = jws.split(".")
        return json.loads(_bytes_of(header)), json.loads(_bytes_of(payload)), _bytes_of(signature)
    except ValueError as cause:
        raise ReceiptError("The receipt is no JWS of JSON.") from cause


def _bytes_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


# Ed25519, as RFC 8032 has it: points of the curve in extended coordinates.
_P = 2**255 - 19
_Q = 2**252 + 27742317777372353535851937790883648493
_D = -121665 * pow(121666, -1, _P) % _P
_Point = Tuple[int, int, int, int]


def _add(one: _Point, other: _Point) -> _Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % _P
    b = (one[1] + one[0]) * (other[1] + other[0]) % _P
    c, d = 2 * one[3] * other[3] * _D % _P, 2 * one[2] * other[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % _P, g * h % _P, f * g % _P, e * h % _P)


def _times(factor: int, point: _Point) -> _Point:
    product: _Point = (0, 1, 1, 0)
    while factor > 0:
        if factor & 1:
            product = _add(product, point)
        point = _add(point, point)
        factor >>= 1
    return product


def _point_of(text: bytes) -> Optional[_Point]:
    y = int.from_bytes(text, "little")
    sign, y = y >> 255, y & ((1 << 255) - 1)
    if len(text) != 32 or y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P != 0:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    if (x * x - square) % _P != 0 or (x == 0 and sign):
        return None
    x = _P - x if x & 1 != sign else x
    return (x, y, 1, x * y % _P)


_BASE = _point_of((4 * pow(5, -1, _P) % _P).to_bytes(32, "little"))


def _is_signed(key: bytes, message: bytes, signature: bytes) -> bool:
    public, r, s = _point_of(key), _point_of(signature[:32]), int.from_bytes(signature[32:], "little")
    if public is None or r is None or _BASE is None or len(signature) != 64 or s >= _Q:
        return False
    h = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % _Q
    one, other = _times(s, _BASE), _add(r, _times(h, public))
    return (one[0] * other[2] - other[0] * one[2]) % _P == 0 and (one[1] * other[2] - other[1] * one[2]) % _P == 0
