"""Errors as the gateway writes them, in the text of an answer, an event, a result or a line.

This file is handwritten and copied into the client as it is: the generated core knows bodies of answers only.
"""

import json
from typing import Optional

from sluice.error_classes import kind_of
from sluice.errors import Fault, SluiceError


def end_of(order_id: Optional[str], fault: Fault, charged: Optional[bool]) -> SluiceError:
    """Why an order ended without an answer."""
    known = kind_of(fault.get("code"), 500)
    message, retryable = fault.get("message", ""), known.retryable
    return known.kind(message, status=known.status, fault=fault, order_id=order_id, charged=charged, retryable=retryable)


def fault_in(text: str) -> Optional[Fault]:
    """The fault in the text of an answer; None when something else than the gateway wrote it."""
    try:
        fault = json.loads(text)["error"]
        return fault if fault["type"] and isinstance(fault["message"], str) else None
    except (ValueError, KeyError, TypeError):
        return None
