"""What an order may cost and how long it may wait, and what its answer cost. Copied into each package."""

import os
import re
from datetime import datetime
from decimal import Decimal
from typing import Any, Dict, Mapping, Optional, Tuple, TypedDict, Union

from sluice import OrderReceipt, SigningKeys

Amount = Union[str, int, Decimal]

_NAMES = {"max_charge": "max_charge_usd"}
_STARTS = ("deadline", "max_wait", "expires_after", "price_lock")
_PLACES_ORDER = re.compile(r"/(chat/completions|completions|responses|messages)(\?|$)")
_ORDER_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")


class Bid(TypedDict, total=False):
    """The terms of orders. What is absent is the default of the key or the account."""

    price_limit: Amount
    """The most that an order pays, in USD per 1M input tokens at the reference mix."""
    max_charge: Amount
    """The most that it is charged, in USD."""
    deadline: Union[int, str, datetime]
    """When it must have started, in seconds from now or as a time. Until then the market chooses the bid, up to the limit."""
    max_wait: int
    """Seconds that it may wait for its start; not beside ``deadline``."""
    price_lock: bool
    """Bids the lower of quote and limit, and starts within ten seconds or not at all; not beside ``deadline``."""
    retention_days: int
    """Days that its result is stored."""


def fields_of(bid: Mapping[str, Any]) -> Dict[str, Any]:
    """The fields of the wire. Raises ValueError for an amount or a time that is none."""
    fields: Dict[str, Any] = {}
    for name, value in bid.items():
        if name not in Bid.__annotations__:
            raise TypeError(f"{name} is no term of a bid: {', '.join(Bid.__annotations__)}")
        if name in ("price_limit", "max_charge"):
            amount = Decimal(value) if re.fullmatch(r"\d+(\.\d+)?", str(value)) else None
            if amount is None or Decimal(str(float(amount))) != amount:
                raise ValueError(f"{name} must be an amount such as 0.5, of at most 15 digits, not {value!r}.")
            value = float(amount)
        if isinstance(value, datetime):
            if value.tzinfo is None:
                raise ValueError(f"{name} needs a time zone.")
            value = value.isoformat()
        fields[_NAMES.get(name, name)] = value
    return fields


def merged(earlier: Mapping[str, Any], later: Mapping[str, Any]) -> Dict[str, Any]:
    """Both terms. Later ones that say when to start replace the earlier ones that do."""
    says_start = any(later.get(name) is not None for name in _STARTS)
    kept = {name: value for name, value in earlier.items() if not (says_start and name in _STARTS)}
    return {**kept, **later}


def places_order(options: Any) -> bool:
    """Whether a request of an official client places an order."""
    return options.method.lower() == "post" and bool(_PLACES_ORDER.search(options.url))


def prepare(options: Any, fields: Mapping[str, Any]) -> None:
    """Completes the options of an attempt: its own fields come first, and one that says when to start replaces the others."""
    headers = options.headers if isinstance(options.headers, Mapping) else {}
    options.headers = {"X-Strict": "true", **headers}
    if not places_order(options) or not isinstance(options.json_data, Mapping):
        return
    wanted = merged(fields, {**options.json_data, **(options.extra_json or {})})
    options.json_data = {**{name: wanted[name] for name in fields if name in wanted}, **options.json_data}


def seconds_to_wait(error: Any) -> Optional[float]:
    """Until a request may be repeated whose order still waits (429 ``result_pending``); None for a failure."""
    body = error.body if isinstance(error.body, dict) else {}
    fault = body.get("error", body)
    if error.status_code != 429 or not isinstance(fault, dict) or fault.get("code") != "result_pending":
        return None
    return float(error.response.headers.get("retry-after", 1))


def receipt_urls(answered: Any, base_url: Any) -> Tuple[str, str]:
    """Where the receipt of an answer, a stream or an order is, and the keys. Raises TypeError for something else."""
    named = answered if isinstance(answered, str) else getattr(answered, "id", None)
    headers = getattr(getattr(answered, "response", None), "headers", {})
    found = _ORDER_ID.search(headers.get("x-service-order-id") or str(named))
    if not found:
        raise TypeError("A receipt needs an answer, a stream, or the id of an order.")
    root = re.sub(r"(/v1)?/*$", "", str(base_url))
    return f"{root}/v1/orders/{found[0]}/receipt", f"{root}/.well-known/jwks.json"


def receipt_of(signed: Any, published: Any) -> OrderReceipt:
    """The receipt in two answers of the gateway."""
    keys = SigningKeys.from_dict(published)
    assert keys is not None
    return OrderReceipt(signed["jws"], keys)


def environment(official: str, path: str) -> Tuple[Optional[str], str]:
    """The key of SLUICE_KEY, and the address of SLUICE_BASE_URL, of the official client's variable, or of this machine."""
    root = os.environ.get("SLUICE_BASE_URL")
    own = root.rstrip("/") + path if root else None
    return os.environ.get("SLUICE_KEY"), own or os.environ.get(official) or f"http://127.0.0.1:8080{path}"
