package sluice

// Retries, idempotency and errors for every request, of the layer and of the generated API alike: both use one
// http.Client with this transport. This file is handwritten: the generator writes each call as a single attempt.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
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

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct {
	maxRetries     *int
	headers        http.Header
	idempotencyKey string
	asksForCharge  bool
}

// WithMaxRetries sets how often a call is tried again.
func WithMaxRetries(count int) CallOption { return func(o *callOptions) { o.maxRetries = &count } }

// WithIdempotencyKey sets the key of a call that creates an order: with the key of an earlier call it gets that order.
func WithIdempotencyKey(key string) CallOption {
	return func(o *callOptions) { o.idempotencyKey = key }
}

// WithHeader adds a header.
func WithHeader(name, value string) CallOption {
	return func(o *callOptions) {
		headers := http.Header{}
		maps.Copy(headers, o.headers)
		headers.Set(name, value)
		o.headers = headers
	}
}

type callOptionsKey struct{}

// With returns a context whose calls have these options; it is how calls of the generated API get them.
func With(ctx context.Context, options ...CallOption) context.Context {
	merged, _ := ctx.Value(callOptionsKey{}).(callOptions)
	for _, option := range options {
		option(&merged)
	}
	return context.WithValue(ctx, callOptionsKey{}, merged)
}

type transport struct {
	base       http.RoundTripper
	apiKey     string
	headers    http.Header
	maxRetries int
	onAttempt  func(Attempt)
}

// One call: its attempts have the same body and Idempotency-Key.
type call struct {
	*transport
	request *http.Request
	// Whether it asks a model, which status it waits for, and whether that makes an order.
	infers     bool
	expected   int
	creates    bool
	repeatable bool
	asks       bool
	retries    int
	// Those that count against retries: waiting for an order does not.
	failures int
	attempts int
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
)

// RoundTrip returns a success with all of its body, or a stream as it begins. Everything else is an error.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	options, _ := request.Context().Value(callOptionsKey{}).(callOptions)
	request = request.Clone(request.Context())
	for _, headers := range []http.Header{t.headers, options.headers} {
		for name, values := range headers {
			request.Header[name] = values
		}
	}
	if t.apiKey != "" && request.Header.Get("Authorization") == "" {
		request.Header.Set("Authorization", "Bearer "+t.apiKey)
	}
	c := &call{transport: t, request: request, retries: t.maxRetries, asks: options.asksForCharge}
	if options.maxRetries != nil {
		c.retries = *options.maxRetries
	}
	path := request.URL.Path
	c.infers = request.Method == http.MethodPost && createsOrder.MatchString(path)
	isDry := request.Header.Get("X-Dry-Run") == "true"
	c.creates = c.infers && !isDry
	// The generated API names the answer that it waits for by a fragment, which is not sent.
	c.expected = http.StatusOK
	if isDry {
		c.expected = http.StatusNonAuthoritativeInfo
	} else if request.URL.Fragment == "detached" {
		c.expected = http.StatusAccepted
	}
	if c.creates && options.idempotencyKey != "" {
		request.Header.Set("Idempotency-Key", options.idempotencyKey)
	} else if c.creates && request.Header.Get("Idempotency-Key") == "" {
		request.Header.Set("Idempotency-Key", newKey())
	}
	// A second batch would run all lines again, so Batches looks whether the first exists.
	c.repeatable = !(request.Method == http.MethodPost && strings.HasSuffix(path, "/v1/batches"))
	return c.run()
}

func (c *call) run() (*http.Response, error) {
	for {
		response, body, err := c.attempt()
		switch {
		case err != nil:
			c.failures++
			var network *net.OpError
			isUnsent := errors.As(err, &network) && network.Op == "dial"
			c.mayHaveOrder = c.mayHaveOrder || !isUnsent
			if c.request.Context().Err() == nil && (c.repeatable || isUnsent) && c.failures <= c.retries && c.pause(nil) {
				continue
			}
			return nil, c.broken(err)
		case response.StatusCode < 400:
			if c.infers && (response.StatusCode != c.expected || isStream(response) || !json.Valid(body)) {
				return nil, c.unexpected(response, body)
			}
			return response, nil
		}
		refusal := refusalOf(response, body)
		// Only the gateway's own answers say anything about an order.
		if refusal.Type == "" {
			c.mayHaveOrder = true
		} else if refusal.OrderID != "" {
			c.mayHaveOrder = false
		}
		// The order lives, so this is waiting and not a failure.
		isWaiting := refusal.Code == "result_pending" && response.Header.Get("Retry-After") != ""
		refusal.Retryable = isWaiting || c.isRetryable(refusal)
		if !isWaiting {
			c.failures++
		}
		if refusal.Retryable && c.failures <= c.retries && c.pause(response.Header) {
			continue
		}
		if err := c.request.Context().Err(); err != nil {
			return nil, c.broken(err)
		}
		c.learnCharge(refusal)
		return nil, refusal.typed()
	}
}

// Sends the request once. The body is null for a stream.
func (c *call) attempt() (*http.Response, []byte, error) {
	c.attempts++
	request := c.request.Clone(c.request.Context())
	if c.request.GetBody != nil {
		body, err := c.request.GetBody()
		if err != nil {
			return nil, nil, err
		}
		request.Body = body
	}
	begin := time.Now()
	response, err := c.base.RoundTrip(request)
	attempt := Attempt{Method: request.Method, Path: request.URL.Path, Number: c.attempts}
	var body []byte
	if err == nil {
		attempt.Status, attempt.RequestID = response.StatusCode, response.Header.Get("x-request-id")
		if !isStream(response) {
			body, err = io.ReadAll(response.Body)
			response.Body.Close()
			response.Body = io.NopCloser(bytes.NewReader(body))
		}
	}
	attempt.Err, attempt.Duration = err, time.Since(begin)
	if c.onAttempt != nil {
		c.onAttempt(attempt)
	}
	return response, body, err
}

func newKey() string {
	return fmt.Sprintf("%016x%016x", rand.Uint64(), rand.Uint64())
}

func isStream(response *http.Response) bool {
	isEvents := strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream")
	return response.StatusCode < 300 && isEvents
}

func (c *call) isRetryable(refusal *SluiceError) bool {
	switch refusal.Header.Get("x-should-retry") {
	case "true":
		return c.repeatable
	case "false":
		return false
	}
	status := refusal.Status
	return status == http.StatusTooManyRequests || c.repeatable && (status == http.StatusRequestTimeout || status >= 500)
}

// Waits as long as Retry-After says, or a random time that doubles with each attempt. False when the context ends first.
func (c *call) pause(headers http.Header) bool {
	span := min(firstBackoff<<min(max(c.failures-1, 0), 10), longBackoff)
	wait := rand.N(span)
	if seconds, err := strconv.ParseFloat(headers.Get("Retry-After"), 64); err == nil && seconds > 0 {
		wait = time.Duration(seconds * float64(time.Second))
	} else if at, err := http.ParseTime(headers.Get("Retry-After")); err == nil {
		wait = max(time.Until(at), 0)
	}
	return sleep(c.request.Context(), wait)
}

func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// No answer came, or the context ended while one was awaited.
func (c *call) broken(err error) error {
	failure := &SluiceError{Message: err.Error(), Retryable: true, Charged: NotCharged, cause: err}
	failure.OrderID = c.orderOfPath()
	if key := c.request.Header.Get("Idempotency-Key"); c.creates && c.mayHaveOrder {
		failure.Charged = ChargeUnknown
		failure.Message += "; there may be an order: the same call with the Idempotency-Key " + key + " finds it and pays only once"
	}
	if ended := c.request.Context().Err(); ended != nil {
		failure.cause = ended
		if failure.OrderID != "" {
			failure.Charged = ChargeUnknown
		}
		return &TimeoutError{failure}
	}
	c.learnCharge(failure)
	return &ConnectionError{failure}
}

func (c *call) unexpected(response *http.Response, body []byte) error {
	failure := factsOf(response, fmt.Sprintf("%s is not described for this call: %s", response.Status, excerpt(body)))
	c.mayHaveOrder = failure.OrderID == ""
	c.learnCharge(failure)
	return &UnexpectedAnswerError{failure}
}

// Finds out whether the order of a failed call was charged: its own state decides.
func (c *call) learnCharge(failure *SluiceError) {
	if failure.OrderID == "" {
		failure.OrderID = c.orderOfPath()
	}
	switch {
	case c.asks:
		failure.Charged = ChargeUnknown
	case failure.OrderID == "" && c.creates && c.mayHaveOrder:
		failure.Charged = ChargeUnknown
	case failure.OrderID == "":
		failure.Charged = NotCharged
	default:
		failure.Charged = c.chargeOf(failure.OrderID)
		// An order that ended without a charge frees its key: a later attempt may have made another one.
		if failure.Charged == NotCharged && c.creates && c.mayHaveOrder {
			failure.Charged = ChargeUnknown
		}
	}
}

func (c *call) orderOfPath() string {
	if match := pathOfOrder.FindStringSubmatch(c.request.URL.Path); match != nil {
		return match[1]
	}
	return ""
}

// Asks the gateway, with retries of its own.
func (c *call) chargeOf(orderID string) Charge {
	ctx := With(c.request.Context(), func(o *callOptions) { *o = callOptions{asksForCharge: true, headers: o.headers} })
	address := *c.request.URL
	root, _, _ := strings.Cut(address.Path, "/v1/")
	address.Path, address.RawPath, address.RawQuery = root+"/v1/orders/"+orderID, "", ""
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return ChargeUnknown
	}
	response, err := c.RoundTrip(request)
	var missing *NotFoundError
	if errors.As(err, &missing) && missing.Type != "" {
		return NotCharged
	}
	var order struct{ Status string }
	if err != nil || json.NewDecoder(response.Body).Decode(&order) != nil {
		return ChargeUnknown
	}
	switch order.Status {
	case "done":
		return Charged
	case "error", "canceled", "expired":
		return NotCharged
	}
	return ChargeUnknown
}
