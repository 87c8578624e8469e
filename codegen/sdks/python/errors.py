"""What all errors have, and those that no answer of the gateway has; its codes have classes in error_classes.py.

This file is handwritten and copied into the client as it is: the generator's own error has neither the order nor the
charge.
"""

from typing import Mapping, Optional

from typing_extensions import TypedDict, Unpack


class Fault(TypedDict, total=False):
    """An error as the gateway writes it: in an envelope, in the result of an order, in an event."""

    message: str
    type: Optional[str]
    code: Optional[str]
    param: Optional[str]


class Facts(TypedDict, total=False):
    """What is known of a failed call."""

    order_id: Optional[str]
    headers: Mapping[str, str]
    retryable: bool
    charged: Optional[bool]


class SluiceError(Exception):
    """Of all errors of this client."""

    def __init__(
        self, message: str, *, status: Optional[int] = None, fault: Optional[Fault] = None, **facts: Unpack[Facts]
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
        self.order_id = facts.get("order_id")
        """The order that the call made or asked about; None when there is none, or none is known."""
        self.headers = facts.get("headers", {})
        self.request_id = self.headers.get("x-request-id")
        """Names the request in the gateway's log."""
        self.retryable = facts.get("retryable", False)
        """Whether the same call may succeed later."""
        self.charged = facts.get("charged", False)
        """Whether the order was paid. None while it still lives, and when the connection broke and nothing could be learned."""


class TimeoutError(SluiceError):  # noqa: A001
    """The timeout of the call ended it."""


class ConnectionError(SluiceError):  # noqa: A001
    """No answer came, also not after the retries; ``__cause__`` says why."""


class UnexpectedAnswerError(SluiceError):
    """A success or redirect that the gateway does not describe. It may name an order."""
