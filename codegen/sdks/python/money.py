"""Exact amounts, in programs and on the wire.

This file is handwritten and copied into the client as it is: the generator and ``json`` write a Decimal as a float.
"""

import json
from decimal import Decimal
from typing import Any, Mapping

from sluice.unions import Money


def exact(amount: Money) -> Decimal:
    """The amount as a Decimal. Raises TypeError for a float, which cannot hold every amount."""
    if isinstance(amount, float):
        raise TypeError("A float cannot hold every amount: pass a Decimal or a string.")
    return Decimal(amount)


def json_of(value: Any) -> str:
    """The JSON of a value, models included; a Decimal keeps all its digits. Raises ValueError for what is no number."""
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}"
    if hasattr(value, "to_dict"):
        return json_of(value.to_dict())
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(name)}: {json_of(part)}" for name, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(json_of(part) for part in value) + "]"
    return json.dumps(value, allow_nan=False)
