"""The errors of every call, of the layer and of the generated core alike.

They are handwritten and copied into the client as they are: the generator's own error has neither the order nor the
charge.
"""

import json
from typing import Dict, Mapping, Optional, Type, TypedDict


class Fault(TypedDict, total=False):
    """An error as the gateway writes it: in an envelope, in the result of an order, in an event."""

    message: str
    type: Optional[str]
    code: Optional[str]
    param: Optional[str]


class SluiceError(Exception):
    """Of all errors of this client."""

    def __init__(
        self,
        message: str,
        *,
        status: Optional[int] = None,
        fault: Optional[Fault] = None,
        order_id: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
        retryable: bool = False,
        charged: Optional[bool] = False,
    ) -> None:
        super().__init__(message)
        told = fault or {}
        self.message = message
        self.status = status
        """The HTTP status; None without an answer."""
        self.code = told.get("code")
        """The code to program against (docs/buy/errors.md); None when something before the gateway answered."""
        self.type = told.get("type")
        self.param = told.get("param")
        """The field or header at fault, when it is one."""
        self.order_id = order_id
        """The order that the call made or asked about; None when there is none, or none is known."""
        self.headers: Mapping[str, str] = headers if headers is not None else {}
        self.request_id = self.headers.get("x-request-id")
        """Names the request in the gateway's log."""
        self.retryable = retryable
        """Whether the same call may succeed later."""
        self.charged = charged
        """Whether the order was paid. None only when the connection broke and nothing could be learned since."""


class InvalidRequestError(SluiceError):
    """400, 405, 413, or fields of the wrong name or type: the request is wrong; ``param`` names the field."""


class AuthenticationError(SluiceError):
    """401: the key."""


class InsufficientQuotaError(SluiceError):
    """402: the balance, or the budget of the key."""


class PermissionError(SluiceError):  # noqa: A001
    """403: what the key or the account may not do."""


class NotFoundError(SluiceError):
    """404: no such model, or nothing of yours with this id."""


class OrderExpiredError(SluiceError):
    """The order waited until its end, or its lock or its slot did not come in time."""


class ConflictError(SluiceError):
    """409: what was asked does not fit the state of the order, batch or key."""


class ResultUnavailableError(SluiceError):
    """410: the result was not stored, or is not any more."""


class RateLimitError(SluiceError):
    """429: too many requests, or too much that waits."""


class ServerError(SluiceError):
    """5xx."""


class TimeoutError(SluiceError):  # noqa: A001
    """The timeout of the call ended it."""


class ConnectionError(SluiceError):  # noqa: A001
    """No answer came, also not after the retries; ``__cause__`` says why."""


class UnexpectedAnswerError(SluiceError):
    """A success that the gateway does not describe. It may name an order."""


_CLASSES: Dict[int, Type[SluiceError]] = {
    401: AuthenticationError,
    402: InsufficientQuotaError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    410: ResultUnavailableError,
    429: RateLimitError,
}

_STATUS_OF_END = {
    "order_expired": 408, "capacity_unavailable": 429, "insufficient_balance": 402, "key_budget_exceeded": 402,
    "order_canceled": 409, "account_suspended": 409, "prices_changed": 409, "context_length_exceeded": 400,
    "model_refused": 400, "model_not_found": 404, "backend_error": 502, "gateway_restarted": 503,
    "gateway_draining": 503,
}
"""Statuses of the reasons for which an order ends unserved; 500 for all others."""


def error_of(
    status: int,
    fault: Fault,
    *,
    order_id: Optional[str] = None,
    charged: Optional[bool] = False,
    headers: Optional[Mapping[str, str]] = None,
    retryable: bool = False,
) -> SluiceError:
    """The error of an answer with this status, in the class of its kind."""
    code = fault.get("code")
    other = ServerError if status >= 500 or status == 408 else InvalidRequestError
    kind = _CLASSES.get(status, other)
    if code == "capacity_unavailable" or (status == 408 and code is not None):
        kind = OrderExpiredError
    return kind(
        fault.get("message", ""),
        status=status,
        fault=fault,
        order_id=order_id,
        charged=charged,
        headers=headers,
        retryable=retryable,
    )


def end_of(order_id: Optional[str], fault: Fault) -> SluiceError:
    """How an order ended without an answer: nothing was charged."""
    status = _STATUS_OF_END.get(fault.get("code") or "", 500)
    return error_of(status, fault, order_id=order_id, retryable=status >= 500)


def fault_in(text: str) -> Optional[Fault]:
    """The fault in the text of an answer; None when something else than the gateway wrote it."""
    try:
        fault = json.loads(text)["error"]
        return fault if fault["type"] and isinstance(fault["message"], str) else None
    except (ValueError, KeyError, TypeError):
        return None
