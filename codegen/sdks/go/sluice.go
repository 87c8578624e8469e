package sluice

// The client. This file is handwritten: the generated API has one method per operation, and knows neither an order that
// is followed to its end nor one configuration for everything.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"
)

const (
	defaultBaseURL    = "http://127.0.0.1:8080"
	defaultMaxRetries = 2
	connectTimeout    = 10 * time.Second
)

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

	http       *http.Client
	baseURL    string
	maxRetries int
	keysLock   sync.Mutex
	keys       *SigningKeys
}

// New makes a client. It fails when the address is not one of HTTP.
func New(options Options) (*Client, error) {
	base := firstOf(options.BaseURL, os.Getenv("SLUICE_BASE_URL"), defaultBaseURL)
	address, err := url.Parse(base)
	if err != nil || address.Host == "" || address.Scheme != "http" && address.Scheme != "https" {
		return nil, fmt.Errorf("BaseURL is %q, not an address such as %s", base, defaultBaseURL)
	}
	address.Path, address.RawPath, address.RawQuery = trimSlash(address.Path), "", ""
	retries := options.MaxRetries
	if retries == 0 {
		retries = defaultMaxRetries
	}
	headers := http.Header{}
	headers.Set("User-Agent", "sluice-go/"+version)
	if !options.Lenient {
		headers.Set("X-Strict", "true")
	}
	for name, value := range options.Headers {
		headers.Set(name, value)
	}
	own := http.Client{}
	if options.HTTPClient != nil {
		own = *options.HTTPClient
	}
	if own.Transport == nil {
		own.Transport = patientTransport()
	}
	own.Transport = &transport{
		base: own.Transport, headers: headers, onAttempt: options.OnAttempt, maxRetries: max(retries, 0),
		apiKey: firstOf(options.APIKey, os.Getenv("SLUICE_KEY")),
	}
	configuration := NewConfiguration()
	configuration.Servers = ServerConfigurations{{URL: address.String()}}
	configuration.DefaultHeader = map[string]string{}
	configuration.UserAgent = ""
	configuration.HTTPClient = &own
	client := &Client{http: &own, baseURL: address.String(), maxRetries: max(retries, 0), API: NewAPIClient(configuration)}
	client.Orders, client.Batches = &Orders{client}, &Batches{client}
	client.Files, client.Market = &Files{client}, &Market{client}
	return client, nil
}

func patientTransport() *http.Transport {
	patient := http.DefaultTransport.(*http.Transport).Clone()
	patient.DialContext = (&net.Dialer{Timeout: connectTimeout, KeepAlive: 15 * time.Second}).DialContext
	patient.MaxIdleConnsPerHost = 64
	return patient
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func trimSlash(path string) string {
	for len(path) > 0 && path[len(path)-1] == '/' {
		path = path[:len(path)-1]
	}
	return path
}

// A request of the layer, with a body of JSON unless `content` names another.
type sending struct {
	method, path string
	query        url.Values
	body         any
	content      string
	accept       string
}

// Sends a request; the body of the answer is whole, or a stream.
func (c *Client) send(ctx context.Context, s sending) (*http.Response, error) {
	var body io.Reader
	if raw, ok := s.body.([]byte); ok {
		body = bytes.NewReader(raw)
	} else if s.body != nil {
		text, err := json.Marshal(s.body)
		if err != nil {
			return nil, &InvalidRequestError{&SluiceError{Message: err.Error(), Charged: NotCharged, cause: err}}
		}
		body, s.content = bytes.NewReader(text), "application/json"
	}
	address := c.baseURL + s.path
	if len(s.query) > 0 {
		address += "?" + s.query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, s.method, address, body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", firstOf(s.accept, "application/json"))
	if s.content != "" {
		request.Header.Set("Content-Type", s.content)
	}
	response, err := c.http.Do(request)
	var failure *url.Error
	if errors.As(err, &failure) {
		err = failure.Err
	}
	return response, err
}

// Sends a request and reads the JSON of its answer.
func fetch[T any](ctx context.Context, c *Client, s sending) (*T, error) {
	response, err := c.send(ctx, s)
	if err != nil {
		return nil, err
	}
	into := new(T)
	if err := json.NewDecoder(response.Body).Decode(into); err != nil {
		failure := &SluiceError{Message: err.Error(), Status: response.StatusCode, Header: response.Header, cause: err}
		failure.OrderID = response.Header.Get("x-service-order-id")
		failure.RequestID = response.Header.Get("x-request-id")
		if failure.OrderID == "" {
			failure.Charged = NotCharged
		}
		return nil, &UnexpectedAnswerError{failure}
	}
	return into, nil
}

// Publishes the keys that sign receipts; asked once.
func (c *Client) signingKeys(ctx context.Context) (*SigningKeys, error) {
	c.keysLock.Lock()
	defer c.keysLock.Unlock()
	if c.keys == nil {
		keys, err := fetch[SigningKeys](ctx, c, sending{method: http.MethodGet, path: "/.well-known/jwks.json"})
		if err != nil {
			return nil, err
		}
		c.keys = keys
	}
	return c.keys, nil
}
