"""From an error as the gateway writes it to an error of this client.

This file is handwritten and copied into the client as it is: the generated core knows bodies of answers, and an error
may also be in an event, a result or a line.
"""

import json
from typing import Optional

from typing_extensions import Unpack

from sluice.error_classes import FAMILIES, KINDS, InvalidRequestError, ServerError
from sluice.errors import Facts, Fault, SluiceError


def error_of(status: int, fault: Fault, **facts: Unpack[Facts]) -> SluiceError:
    """The error of an answer with this status, in the class of its code or else of its kind."""
    known = KINDS.get(fault.get("code") or "")
    other = FAMILIES.get(status, ServerError if status >= 500 or status == 408 else InvalidRequestError)
    return (known.kind if known else other)(fault.get("message", ""), status=status, fault=fault, **facts)


def is_uncharged(fault: Fault) -> bool:
    """Whether an error with this code surely means that nothing was charged."""
    known = KINDS.get(fault.get("code") or "")
    return known is not None and known.is_uncharged


def end_of(order_id: Optional[str], fault: Fault, charged: Optional[bool] = False) -> SluiceError:
    """How an order ended without an answer."""
    known = KINDS.get(fault.get("code") or "")
    status, retryable = (known.status, known.retryable) if known else (500, True)
    return error_of(status, fault, order_id=order_id, charged=charged, retryable=retryable)


def fault_in(text: str) -> Optional[Fault]:
    """The fault in the text of an answer; None when something else than the gateway wrote it."""
    try:
        fault = json.loads(text)["error"]
        return fault if fault["type"] and isinstance(fault["message"], str) else None
    except (ValueError, KeyError, TypeError):
        return None
