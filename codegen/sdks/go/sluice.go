package sluice

// The client. This file is handwritten: the generated API has one method per operation, and knows neither an order that
// is followed to its end nor one configuration for everything.

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const defaultBaseURL = "http://127.0.0.1:8080"

// Options of a client; the zero value is complete. There is no timeout: a context ends a call.
type Options struct {
	// APIKey is that of the environment, SLUICE_KEY, by default. Market data needs none.
	APIKey string
	// BaseURL is SLUICE_BASE_URL, else http://127.0.0.1:8080, by default; without /v1.
	BaseURL string
	// MaxRetries is 2 by default; negative is none. Waiting for an order does not count.
	MaxRetries int
	// Headers are sent with every request.
	Headers map[string]string
	// Lenient lets misspelt fields pass to the model. Otherwise they are refused, uncharged.
	Lenient bool
	// HTTPClient sends the requests: for proxies, certificates and tests. By default one that gives a connection ten
	// seconds and uses the proxy of the environment.
	HTTPClient *http.Client
	// OnAttempt learns of every attempt, for logs. It is called from the goroutine of the call.
	OnAttempt func(Attempt)
}

// Client is safe for concurrent use.
type Client struct {
	Orders  *Orders
	Batches *Batches
	Files   *Files
	Market  *Market
	// API is the generated API, with the same configuration, retries and errors.
	API *APIClient

	maxRetries int
}

// New makes a client. It fails when the address is not one of HTTP.
func New(options Options) (*Client, error) {
	base := strings.TrimSpace(cmp.Or(options.BaseURL, os.Getenv("SLUICE_BASE_URL"), defaultBaseURL))
	address, err := url.Parse(base)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, fmt.Errorf("BaseURL is %q, not an address such as %s", base, defaultBaseURL)
	}
	configuration := NewConfiguration()
	configuration.Servers = ServerConfigurations{{URL: strings.TrimSuffix(strings.TrimRight(base, "/"), "/v1")}}
	configuration.UserAgent = "sluice-go/" + version
	if options.Lenient {
		delete(configuration.DefaultHeader, "X-Strict")
	}
	if key := strings.TrimSpace(cmp.Or(options.APIKey, os.Getenv("SLUICE_KEY"))); key != "" {
		configuration.AddDefaultHeader("Authorization", "Bearer "+key)
	}
	maps.Copy(configuration.DefaultHeader, options.Headers)
	own := *cmp.Or(options.HTTPClient, &http.Client{})
	configuration.HTTPClient = &own
	client := &Client{maxRetries: cmp.Or(options.MaxRetries, 2)}
	sender := &transport{base: configuration.HTTPClient.Transport, client: client, onAttempt: options.OnAttempt}
	if sender.base == nil {
		patient := http.DefaultTransport.(*http.Transport).Clone()
		patient.DialContext = (&net.Dialer{Timeout: 10 * time.Second, KeepAlive: 15 * time.Second}).DialContext
		patient.MaxIdleConnsPerHost = 64
		sender.base = patient
	}
	configuration.HTTPClient.Transport = sender
	client.API = NewAPIClient(configuration)
	client.Orders, client.Batches = &Orders{client}, &Batches{client}
	client.Files, client.Market = &Files{client}, &Market{client}
	return client, nil
}

// Turns what a method of the generated API returns into the layer's: the error without the words of net/http around it,
// and one of the layer for an answer that is not what it should be.
func done[T any](value T, response *http.Response, err error) (T, error) {
	var none T
	var sent *url.Error
	switch {
	case err == nil:
		return value, nil
	case errors.As(err, &sent):
		return none, sent.Err
	case response == nil:
		return none, &InvalidRequestError{&SluiceError{Message: err.Error(), Charged: NotCharged, cause: err}}
	}
	failure := refusalOf(response, []byte(err.Error()))
	failure.cause = err
	if failure.OrderID == "" {
		failure.Charged = NotCharged
	}
	return none, &UnexpectedAnswerError{failure}
}

// Whether an order was charged, by its own state.
func (c *Client) chargeOf(ctx context.Context, orderID string) Charge {
	order, err := done(c.API.OrdersAPI.GetOrder(ctx, orderID).Execute())
	var missing *NotFoundError
	if errors.As(err, &missing) && missing.Type != "" {
		return NotCharged
	}
	switch order.GetStatus() {
	case "done":
		return Charged
	case "error", "canceled", "expired":
		return NotCharged
	}
	return ChargeUnknown
}
