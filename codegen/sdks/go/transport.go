package sluice

// Retries, idempotency and errors for every request, of the layer and of the generated API alike: both use one
// http.Client with this transport. This file is handwritten: the generator writes each call as a single attempt.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"mime"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Attempt is what a logger gets to know of one attempt.
type Attempt struct {
	Method, Path string
	// Status is 0 when no answer came; then Err says why.
	Status int
	Err    error
	// Number counts the attempts of a call from 1.
	Number    int
	Duration  time.Duration
	RequestID string
}

// CallOptions change calls.
type CallOptions struct {
	// MaxRetries is how often a call is tried again; 0 is as often as the client says, and negative is never.
	MaxRetries int
	// Headers are added.
	Headers map[string]string
	// IdempotencyKey is that of a call that creates an order: with the key of an earlier call it gets that order.
	IdempotencyKey string

	asksForCharge bool
}

type callOptionsKey struct{}

// With returns a context whose calls have these options, those of the generated API, too.
func With(ctx context.Context, options CallOptions) context.Context {
	return context.WithValue(ctx, callOptionsKey{}, options)
}

type transport struct {
	base      http.RoundTripper
	client    *Client
	onAttempt func(Attempt)
}

// One call: its attempts have the same body and Idempotency-Key.
type call struct {
	*transport
	request *http.Request
	options CallOptions
	// Which status it waits for, and whether it makes an order.
	expected int
	creates  bool
	// A second batch would run all lines again, so Batches looks whether the first exists.
	repeatable bool
	attempts   int
	// Those that count against the retries: waiting for an order does not.
	failures int
	// Whether an attempt since the last answer about an order may have made one.
	mayHaveOrder bool
}

var (
	createsOrder = regexp.MustCompile(`/v1/(chat/completions|completions|responses|messages)$`)
	pathOfOrder  = regexp.MustCompile(`/v1/orders/([0-9a-f-]{36})(/|$)`)
)

const (
	firstBackoff = 500 * time.Millisecond
	longBackoff  = 8 * time.Second
	// When Retry-After asks for more, the call ends with its error.
	longestPause = time.Minute
)

// RoundTrip returns a success with all of its body, or a stream as it begins. Everything else is an error.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	c := &call{transport: t, request: request, expected: http.StatusOK}
	c.options, _ = request.Context().Value(callOptionsKey{}).(CallOptions)
	for name, value := range c.options.Headers {
		request.Header.Set(name, value)
	}
	isPost := request.Method == http.MethodPost
	isDry := request.Header.Get("X-Dry-Run") == "true"
	c.creates = isPost && !isDry && createsOrder.MatchString(request.URL.Path)
	c.repeatable = !isPost || !strings.HasSuffix(request.URL.Path, "/v1/batches")
	// The generated API names the answer that it waits for by a fragment, which is not sent.
	if isDry {
		c.expected = http.StatusNonAuthoritativeInfo
	} else if request.URL.Fragment == "detached" {
		c.expected = http.StatusAccepted
	}
	if c.creates {
		key := cmp.Or(c.options.IdempotencyKey, request.Header.Get("Idempotency-Key"), newKey())
		request.Header.Set("Idempotency-Key", key)
	}
	for name, values := range request.Header {
		if strings.ContainsFunc(strings.Join(values, ""), unicode.IsControl) {
			message := "the request was not sent: the header " + name + " has a control character"
			return nil, &InvalidRequestError{&SluiceError{Message: message, Code: "invalid_request", Charged: NotCharged}}
		}
	}
	retries := cmp.Or(c.options.MaxRetries, t.client.maxRetries)
	for {
		response, body, err := c.attempt()
		failure, mayRepeat := c.failureOf(response, body, err)
		if failure == nil {
			return response, nil
		}
		if !mayRepeat || c.failures > max(retries, 0) || !c.pause(failure.Header) {
			return nil, c.end(failure)
		}
	}
}

func newKey() string { return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64()) }

// Sends the request once. The body is null for a stream.
func (c *call) attempt() (*http.Response, []byte, error) {
	c.attempts++
	request := c.request.Clone(c.request.Context())
	if request.GetBody != nil {
		// It is in memory, so this cannot fail.
		request.Body, _ = request.GetBody()
	}
	begin := time.Now()
	response, err := c.base.RoundTrip(request)
	attempt := Attempt{Method: request.Method, Path: request.URL.Path, Number: c.attempts}
	var body []byte
	if err == nil {
		attempt.Status, attempt.RequestID = response.StatusCode, response.Header.Get("x-request-id")
		if response.StatusCode >= 400 || typeOf(response) != "text/event-stream" {
			body, err = io.ReadAll(response.Body)
			response.Body.Close()
			response.Body = io.NopCloser(bytes.NewReader(body))
			if err == nil && response.StatusCode < 300 && typeOf(response) == "application/json" && !json.Valid(body) {
				err = io.ErrUnexpectedEOF
			}
		}
	}
	attempt.Err, attempt.Duration = err, time.Since(begin)
	if c.onAttempt != nil {
		c.onAttempt(attempt)
	}
	return response, body, err
}

func typeOf(response *http.Response) string {
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	return kind
}

// What is wrong with the outcome of an attempt, and whether the call may be tried again; nil for a success.
func (c *call) failureOf(response *http.Response, body []byte, err error) (failure *SluiceError, mayRepeat bool) {
	c.failures++
	if err != nil {
		var network *net.OpError
		isUnsent := errors.As(err, &network) && network.Op == "dial"
		c.mayHaveOrder = c.mayHaveOrder || !isUnsent
		return &SluiceError{Message: err.Error(), Retryable: true, cause: err}, c.repeatable || isUnsent
	}
	status := response.StatusCode
	// Where JSON is accepted, lines of it are, too.
	if status == c.expected && strings.HasPrefix(typeOf(response), c.request.Header.Get("Accept")) {
		return nil, false
	}
	response.Body.Close()
	failure = refusalOf(response, body)
	// Only the gateway's own answers say anything about an order.
	if failure.Type == "" && (failure.OrderID == "" || status >= 400) {
		c.mayHaveOrder = true
	} else if failure.OrderID != "" {
		c.mayHaveOrder = false
	}
	// The order lives, so this is waiting and not a failure.
	isWaiting := failure.Code == "result_pending" && failure.Header.Get("Retry-After") != ""
	if isWaiting {
		c.failures--
	}
	isPassing := status == http.StatusRequestTimeout || status >= 500 || failure.Header.Get("x-should-retry") == "true"
	failure.Retryable = isWaiting || failure.Header.Get("x-should-retry") != "false" &&
		(status == http.StatusTooManyRequests || c.repeatable && isPassing)
	return failure, failure.Retryable
}

// Waits as long as Retry-After says, or for the backoff; false when that is too long.
func (c *call) pause(headers http.Header) bool {
	said, wait := headers.Get("Retry-After"), backoff(c.failures-1)
	if seconds, err := strconv.ParseFloat(said, 64); err == nil && seconds > 0 {
		wait = time.Duration(min(seconds, 3600) * float64(time.Second))
	} else if at, err := http.ParseTime(said); err == nil {
		wait = max(time.Until(at), wait)
	}
	return wait <= longestPause && sleep(c.request.Context(), wait)
}

// A random time that doubles with each failure.
func backoff(failures int) time.Duration {
	return rand.N(min(firstBackoff<<min(max(failures, 0), 10), longBackoff))
}

// False when the context ends first.
func sleep(ctx context.Context, wait time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(wait):
		return true
	}
}

// The last failure in its type, with what is known of the order: its own state says whether it was charged.
func (c *call) end(failure *SluiceError) error {
	ended := c.request.Context().Err()
	if match := pathOfOrder.FindStringSubmatch(c.request.URL.Path); match != nil && failure.OrderID == "" {
		failure.OrderID = match[1]
	}
	failure.Charged = NotCharged
	if failure.OrderID != "" && (ended != nil || c.options.asksForCharge) {
		failure.Charged = ChargeUnknown
	} else if failure.OrderID != "" {
		options := CallOptions{asksForCharge: true, Headers: c.options.Headers}
		failure.Charged = c.client.chargeOf(With(c.request.Context(), options), failure.OrderID)
	}
	// Also an order that ended without a charge frees its key: a later attempt may have made another one.
	if c.creates && c.mayHaveOrder && failure.Charged == NotCharged {
		key := c.request.Header.Get("Idempotency-Key")
		failure.Message += "; there may be an order: the same call with the Idempotency-Key " + key + " finds it and pays only once"
		failure.Charged = ChargeUnknown
	}
	switch {
	case ended != nil && failure.Retryable:
		failure.cause = ended
		return &TimeoutError{failure}
	case failure.Status == 0:
		return &ConnectionError{failure}
	case failure.Status < 400:
		return &UnexpectedAnswerError{failure}
	}
	return failure.typed()
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
	kind := kindOf(reason.Code)
	failure := &SluiceError{Message: reason.Message, Status: kind.status, Type: reason.Type, Code: reason.Code, Param: reason.Param}
	failure.OrderID, failure.Charged, failure.Retryable = orderID, charged, kind.retryable
	return failure.typed()
}

// The context ended before the order or batch did; its charge is open.
func lateError(ctx context.Context, message, orderID string) error {
	return &TimeoutError{&SluiceError{Message: message, OrderID: orderID, cause: ctx.Err(), Retryable: true}}
}
