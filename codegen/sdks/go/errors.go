package sluice

// The errors of every call, also of those of the generated API. This file is handwritten: the generator's error has
// neither the order nor the headers, and does not say whether anything was charged.

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Charge says whether the account paid for the order of a call.
type Charge int

const (
	// ChargeUnknown: the connection broke, or the call was left, before the gateway could say it.
	ChargeUnknown Charge = iota
	// NotCharged: there was no order, or it ended without an answer.
	NotCharged
	// Charged: the order ran and was paid.
	Charged
)

func (c Charge) String() string { return [...]string{"unknown", "not charged", "charged"}[c] }

// SluiceError is what every failed call returns, in a type of its code (InsufficientBalanceError), which is one of a family
// (InsufficientQuotaError), or in one of the types below. errors.As finds all of them.
type SluiceError struct {
	Message string
	// Status is that of HTTP; 0 when there was no answer.
	Status int
	// Type, Code and Param are those of the gateway; empty where it gave none, or something else answered.
	Type, Code, Param string
	// OrderID and RequestID are empty when unknown.
	OrderID, RequestID string
	Header             http.Header
	// Retryable says that the same call may succeed later.
	Retryable bool
	Charged   Charge
	cause     error
}

func (e *SluiceError) Error() string {
	text := e.Message
	if e.Code != "" {
		text = fmt.Sprintf("%d %s: %s", e.Status, e.Code, text)
	}
	if e.OrderID != "" {
		text += fmt.Sprintf(" (order %s, %s)", e.OrderID, e.Charged)
	}
	return text
}

// Unwrap is the error of the connection, the stream or the context; nil for a refusal.
func (e *SluiceError) Unwrap() error { return e.cause }

// As lets errors.As find a SluiceError in each of its types.
func (e *SluiceError) As(target any) bool {
	found, ok := target.(**SluiceError)
	if ok {
		*found = e
	}
	return ok
}

type (
	// TimeoutError: the context of the call ended first. It unwraps to the error of the context.
	TimeoutError struct{ *SluiceError }
	// ConnectionError: no answer came, also not after the retries.
	ConnectionError struct{ *SluiceError }
	// UnexpectedAnswerError: a success that the gateway does not describe. If it names an order, OrderID has it.
	UnexpectedAnswerError struct{ *SluiceError }
)

// The error in the type of its code, or else of its status.
func (e *SluiceError) typed() error {
	if kind, isKnown := kinds[e.Code]; isKnown {
		return kind.typed(e)
	}
	if family, isKnown := families[e.Status]; isKnown {
		return family(e)
	}
	if e.Status >= 500 || e.Status == http.StatusRequestTimeout {
		return &ServerError{e}
	}
	return &InvalidRequestError{e}
}

// What is wrong, in an envelope, the result of an order, or an event.
type fault struct{ Message, Type, Code, Param string }

// What an answer that is no success says, in its headers and in the gateway's envelope, if it has one.
func refusalOf(response *http.Response, body []byte) *SluiceError {
	header := response.Header
	refusal := &SluiceError{Status: response.StatusCode, Header: header}
	refusal.OrderID, refusal.RequestID = header.Get("x-service-order-id"), header.Get("x-request-id")
	var envelope struct{ Error fault }
	if json.Unmarshal(body, &envelope) == nil && envelope.Error.Type != "" {
		reason := envelope.Error
		refusal.Message, refusal.Type, refusal.Code, refusal.Param = reason.Message, reason.Type, reason.Code, reason.Param
	} else {
		excerpt := strings.ToValidUTF8(string(body[:min(len(body), 200)]), "\uFFFD")
		refusal.Message = fmt.Sprintf("%s, which the gateway does not describe for this call: %s", response.Status, excerpt)
	}
	return refusal
}

// An error that no answer was: how an order ended, or why its price was not changed.
func errorOf(reason fault, orderID string, charged Charge) error {
	kind, isKnown := kinds[reason.Code]
	if !isKnown {
		kind = errorKind{status: http.StatusInternalServerError, retryable: true}
	}
	failure := &SluiceError{Message: reason.Message, Status: kind.status, Type: reason.Type, Code: reason.Code, Param: reason.Param}
	failure.OrderID, failure.Charged, failure.Retryable = orderID, charged, kind.retryable
	return failure.typed()
}

// The context ended before the order or batch did; its charge is open.
func lateError(ctx context.Context, message, orderID string) error {
	return &TimeoutError{&SluiceError{Message: message, OrderID: orderID, cause: ctx.Err(), Retryable: true}}
}
