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

// SluiceError is what every failed call returns, in one of the types below: errors.As finds it in all of them.
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
	// InvalidRequestError: 400, 405, 413: the request is wrong; Param names the field.
	InvalidRequestError struct{ *SluiceError }
	// AuthenticationError: 401: the key.
	AuthenticationError struct{ *SluiceError }
	// InsufficientQuotaError: 402: the balance or the budget of the key.
	InsufficientQuotaError struct{ *SluiceError }
	// PermissionError: 403: what the key or the account may not do.
	PermissionError struct{ *SluiceError }
	// NotFoundError: 404: no such model, or nothing of yours with this id.
	NotFoundError struct{ *SluiceError }
	// OrderExpiredError: 408: the order waited until its end, or its lock or its slot did not come in time.
	OrderExpiredError struct{ *SluiceError }
	// ConflictError: 409: what was asked does not fit the state of the order, batch or key.
	ConflictError struct{ *SluiceError }
	// ResultUnavailableError: 410: the result was not stored, or not any more.
	ResultUnavailableError struct{ *SluiceError }
	// RateLimitError: 429: too many requests, or too much that waits.
	RateLimitError struct{ *SluiceError }
	// ServerError: 5xx.
	ServerError struct{ *SluiceError }
	// TimeoutError: the context of the call ended first. It unwraps to the error of the context.
	TimeoutError struct{ *SluiceError }
	// ConnectionError: no answer came, also not after the retries.
	ConnectionError struct{ *SluiceError }
	// UnexpectedAnswerError: a success that the gateway does not describe. If it names an order, OrderID has it.
	UnexpectedAnswerError struct{ *SluiceError }
)

// The error in the type of its status. Answers of the gateway and ends of orders have one.
func (e *SluiceError) typed() error {
	switch {
	case e.Code == "capacity_unavailable" || e.Status == 408 && e.Code != "":
		return &OrderExpiredError{e}
	case e.Status == 401:
		return &AuthenticationError{e}
	case e.Status == 402:
		return &InsufficientQuotaError{e}
	case e.Status == 403:
		return &PermissionError{e}
	case e.Status == 404:
		return &NotFoundError{e}
	case e.Status == 409:
		return &ConflictError{e}
	case e.Status == 410:
		return &ResultUnavailableError{e}
	case e.Status == 429:
		return &RateLimitError{e}
	case e.Status >= 500 || e.Status == 408:
		return &ServerError{e}
	}
	return &InvalidRequestError{e}
}

// Statuses of the reasons for which an order ends without an answer; 500 for all others.
var statusOfEnd = map[string]int{
	"order_expired": 408, "capacity_unavailable": 429, "insufficient_balance": 402, "key_budget_exceeded": 402,
	"order_canceled": 409, "account_suspended": 409, "prices_changed": 409, "context_length_exceeded": 400,
	"model_refused": 400, "model_not_found": 404, "backend_error": 502, "gateway_restarted": 503, "gateway_draining": 503,
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

// An error of an order that has this status of HTTP.
func errorOf(status int, reason fault, orderID string, charged Charge) error {
	failure := &SluiceError{Message: reason.Message, Status: status, Type: reason.Type, Code: reason.Code, Param: reason.Param}
	failure.OrderID, failure.Charged, failure.Retryable = orderID, charged, status >= 500
	return failure.typed()
}

// How an order ended: nothing was charged.
func endOf(orderID string, reason fault) error {
	status, known := statusOfEnd[reason.Code]
	if !known {
		status = http.StatusInternalServerError
	}
	return errorOf(status, reason, orderID, NotCharged)
}

// The context ended before the order or batch did; its charge is open.
func lateError(ctx context.Context, message, orderID string) error {
	return &TimeoutError{&SluiceError{Message: message, OrderID: orderID, cause: ctx.Err(), Retryable: true}}
}
