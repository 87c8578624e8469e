// The layer of the Go client, against a gateway that says what a test tells it.
package layer

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	sluice "github.com/sluice-gateway/sluice-go"
)

const (
	orderID  = "01a1fdc3-6a2b-7000-8d5e-0c9f3b7a1e24"
	at       = `"2025-11-27T00:00:00.000Z"`
	accepted = `{"id":"` + orderID + `","object":"order","status":"queued","expires_at":` + at +
		`,"result_url":"/","result_stored":true,"result_retention_days":7}`
	refused = `{"error":{"message":"no","type":"%s","param":null,"code":"%s"}}`
)

// An answer of the gateway; none closes the connection.
type answer struct {
	status  int
	headers map[string]string
	body    string
}

var nothing = answer{}

func orderIs(status string) answer {
	return answer{status: 200, body: `{"id":"` + orderID + `","status":"` + status + `","bid":2,"kind":"chat","model":"tide",` +
		`"created_at":` + at + `,"admitted_at":null,"finished_at":null,"expires_at":` + at +
		`,"level_at_execution":null,"queue_position":null,"error":null}`}
}

func refusal(status int, kind, code string) answer {
	return answer{status: status, headers: map[string]string{}, body: fmt.Sprintf(refused, kind, code)}
}

func (a answer) with(name, value string) answer {
	headers := map[string]string{name: value}
	for other, value := range a.headers {
		headers[other] = value
	}
	a.headers = headers
	return a
}

type gateway struct {
	lock     sync.Mutex
	answers  map[string][]answer
	requests []*http.Request
}

// Answers each request with the next answer for its method and path, and goes on with the last one.
func (g *gateway) ServeHTTP(response http.ResponseWriter, request *http.Request) {
	g.lock.Lock()
	g.requests = append(g.requests, request)
	key := request.Method + " " + request.URL.Path
	left := g.answers[key]
	if len(left) > 1 {
		g.answers[key] = left[1:]
	}
	g.lock.Unlock()
	if len(left) == 0 || left[0].status == 0 {
		panic(http.ErrAbortHandler)
	}
	response.Header().Set("Content-Type", "application/json")
	for name, value := range left[0].headers {
		response.Header().Set(name, value)
	}
	response.WriteHeader(left[0].status)
	fmt.Fprint(response, left[0].body)
	if strings.HasSuffix(left[0].body, "CUT") {
		response.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

func (g *gateway) keys(path string) (keys []string) {
	for _, request := range g.requests {
		if request.Method == "POST" && request.URL.Path == path {
			keys = append(keys, request.Header.Get("Idempotency-Key"))
		}
	}
	return keys
}

func open(t *testing.T, answers map[string][]answer) (*sluice.Client, *gateway) {
	t.Helper()
	own := &gateway{answers: answers}
	server := httptest.NewServer(own)
	t.Cleanup(server.Close)
	client, err := sluice.New(sluice.Options{APIKey: "sk", BaseURL: server.URL + "/"})
	if err != nil {
		t.Fatal(err)
	}
	return client, own
}

const chats = "/v1/chat/completions"

func place(client *sluice.Client, options sluice.CallOptions) (*sluice.OrderHandle, error) {
	request := sluice.NewChatCompletionRequest([]sluice.ChatMessage{sluice.UserMessage("Hello")})
	request.SetPriceLimit("2.017")
	request.SetTags([]string{"a"})
	return client.Orders.Place(sluice.With(context.Background(), options), *request)
}

func failureOf(t *testing.T, err error) *sluice.SluiceError {
	t.Helper()
	var failure *sluice.SluiceError
	if !errors.As(err, &failure) {
		t.Fatalf("%T %v is no SluiceError", err, err)
	}
	return failure
}

func check(t *testing.T, holds bool, otherwise ...any) {
	t.Helper()
	if !holds {
		t.Fatal(otherwise...)
	}
}

func TestAllAttemptsOfACallHaveOneKey(t *testing.T) {
	client, own := open(t, map[string][]answer{"POST " + chats: {nothing, {status: 502, body: "<h1>"}, {status: 202, body: accepted}}})
	order, err := place(client, sluice.CallOptions{})
	check(t, err == nil && order.ID == orderID, err)
	keys := own.keys(chats)
	check(t, len(keys) == 3 && keys[0] != "" && keys[0] == keys[1] && keys[1] == keys[2], keys)
}

func TestTheKeyOfTheCallerIsSent(t *testing.T) {
	client, own := open(t, map[string][]answer{"POST " + chats: {{status: 202, body: accepted}}})
	_, err := place(client, sluice.CallOptions{IdempotencyKey: "mine", Headers: map[string]string{"X-Own": "yes"}})
	check(t, err == nil && own.keys(chats)[0] == "mine" && own.requests[0].Header.Get("X-Own") == "yes", err)
	check(t, own.requests[0].Header.Get("X-Strict") == "true", own.requests[0].Header)
}

func TestXShouldRetryStopsRetries(t *testing.T) {
	end := refusal(502, "server_error", "backend_error").with("x-should-retry", "false").with("x-service-order-id", orderID)
	client, own := open(t, map[string][]answer{"POST " + chats: {end}, "GET /v1/orders/" + orderID: {orderIs("error")}})
	_, err := place(client, sluice.CallOptions{})
	failure := failureOf(t, err)
	var server *sluice.ServerError
	check(t, errors.As(err, &server) && failure.Code == "backend_error" && failure.OrderID == orderID, err)
	check(t, failure.Charged == sluice.NotCharged && len(own.keys(chats)) == 1, failure.Charged, len(own.requests))
}

func TestCutJSONIsTriedAgainWithTheSameKey(t *testing.T) {
	cut := answer{status: 202, body: accepted[:40]}
	client, own := open(t, map[string][]answer{"POST " + chats: {cut, {status: 202, body: accepted}}})
	order, err := place(client, sluice.CallOptions{})
	keys := own.keys(chats)
	check(t, err == nil && order.ID == orderID && len(keys) == 2 && keys[0] == keys[1], err, keys)
}

func TestAPageOrARedirectLeavesTheChargeOpenAndIsNotFollowed(t *testing.T) {
	page := answer{status: 200, body: "<h1>Sign in</h1>"}.with("Content-Type", "text/html")
	moved := answer{status: 302}.with("Location", "/elsewhere")
	for _, odd := range []answer{page, moved} {
		client, own := open(t, map[string][]answer{"POST " + chats: {odd}, "GET /v1/models": {odd}})
		_, err := place(client, sluice.CallOptions{IdempotencyKey: "mine"})
		var unexpected *sluice.UnexpectedAnswerError
		check(t, errors.As(err, &unexpected) && unexpected.Status == odd.status, err)
		check(t, unexpected.Charged == sluice.ChargeUnknown && strings.Contains(err.Error(), "Idempotency-Key mine finds"), err)
		_, err = client.Market.Models(context.Background())
		check(t, errors.As(err, &unexpected) && len(own.requests) == 2, err, len(own.requests))
	}
}

func TestRetryAfterIsWaitedForAMinuteAtMost(t *testing.T) {
	limited := refusal(429, "rate_limit_error", "rate_limit_error")
	for _, said := range []string{"86400", "1e300", "Fri, 31 Dec 2100 23:59:59 GMT"} {
		client, own := open(t, map[string][]answer{"POST " + chats: {limited.with("Retry-After", said)}})
		_, err := place(client, sluice.CallOptions{})
		failure := failureOf(t, err)
		check(t, failure.Charged == sluice.NotCharged && failure.Retryable && len(own.requests) == 1, err, len(own.requests))
	}
	past := limited.with("Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT")
	client, own := open(t, map[string][]answer{"POST " + chats: {past, {status: 202, body: accepted}}})
	_, err := place(client, sluice.CallOptions{})
	check(t, err == nil && len(own.requests) == 2, err)
}

func TestTheEndOfTheContextInAWaitForARetrySaysWhetherAnOrderMayExist(t *testing.T) {
	limited := refusal(429, "rate_limit_error", "rate_limit_error").with("Retry-After", "30")
	for wanted, odd := range map[sluice.Charge]answer{sluice.NotCharged: limited, sluice.ChargeUnknown: {status: 502, body: "<h1>"}} {
		client, _ := open(t, map[string][]answer{"POST " + chats: {odd}})
		ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
		defer cancel()
		request := sluice.NewChatCompletionRequest([]sluice.ChatMessage{sluice.UserMessage("Hello")})
		_, err := client.Orders.Place(sluice.With(ctx, sluice.CallOptions{MaxRetries: 1000}), *request)
		var late *sluice.TimeoutError
		check(t, errors.As(err, &late) && late.Charged == wanted, err)
	}
}

func TestALineBreakInAHeaderIsNotSentAndAnAddressMayHaveAPath(t *testing.T) {
	behind := "/behind" + chats
	own := &gateway{answers: map[string][]answer{"POST " + behind: {{status: 202, body: accepted}}}}
	server := httptest.NewServer(own)
	defer server.Close()
	client, err := sluice.New(sluice.Options{APIKey: "sk\n", BaseURL: " " + server.URL + "/behind/v1/ "})
	check(t, err == nil, err)
	_, err = place(client, sluice.CallOptions{})
	check(t, err == nil && own.requests[0].Header.Get("Authorization") == "Bearer sk", err)
	for _, options := range []sluice.CallOptions{{IdempotencyKey: "a\nb"}, {Headers: map[string]string{"X-Own": "a\r\nb"}}} {
		_, err = place(client, options)
		var invalid *sluice.InvalidRequestError
		check(t, errors.As(err, &invalid) && invalid.Charged == sluice.NotCharged && len(own.requests) == 1, err)
	}
}

func TestARefusalIsNotCharged(t *testing.T) {
	client, _ := open(t, map[string][]answer{"POST " + chats: {refusal(402, "insufficient_quota", "insufficient_balance")}})
	_, err := place(client, sluice.CallOptions{})
	var quota *sluice.InsufficientQuotaError
	check(t, errors.As(err, &quota) && quota.Charged == sluice.NotCharged && quota.OrderID == "", err)
}

func TestABrokenConnectionLeavesTheChargeOpenAndNamesTheKey(t *testing.T) {
	client, own := open(t, map[string][]answer{})
	_, err := place(client, sluice.CallOptions{MaxRetries: 1})
	var broken *sluice.ConnectionError
	check(t, errors.As(err, &broken) && broken.Charged == sluice.ChargeUnknown, err)
	keys := own.keys(chats)
	check(t, len(keys) == 2 && strings.Contains(err.Error(), keys[0]), err)
}

func TestARefusalAfterABrokenAttemptLeavesTheChargeOpen(t *testing.T) {
	limited := refusal(429, "rate_limit_error", "rate_limit_error")
	client, _ := open(t, map[string][]answer{"POST " + chats: {nothing, limited}})
	_, err := place(client, sluice.CallOptions{MaxRetries: 1})
	check(t, failureOf(t, err).Charged == sluice.ChargeUnknown, err)
}

func TestAnUnreachableServerChargedNothing(t *testing.T) {
	client, err := sluice.New(sluice.Options{BaseURL: "http://127.0.0.1:1"})
	check(t, err == nil, err)
	_, err = place(client, sluice.CallOptions{MaxRetries: -1})
	var broken *sluice.ConnectionError
	check(t, errors.As(err, &broken) && broken.Charged == sluice.NotCharged, err)
	_, err = sluice.New(sluice.Options{BaseURL: "127.0.0.1:8080"})
	check(t, err != nil, "an address without a scheme was taken")
}

func TestAResultThatIsGoneWasCharged(t *testing.T) {
	gone := refusal(410, "gone_error", "result_unavailable").with("x-service-order-id", orderID)
	client, _ := open(t, map[string][]answer{"POST " + chats: {nothing, gone}, "GET /v1/orders/" + orderID: {orderIs("done")}})
	_, err := place(client, sluice.CallOptions{})
	var missing *sluice.ResultUnavailableError
	check(t, errors.As(err, &missing) && missing.Charged == sluice.Charged && missing.OrderID == orderID, err)
}

func TestAnUndescribedSuccessNamesItsOrder(t *testing.T) {
	completed := answer{status: 200, body: `{}`, headers: map[string]string{"x-service-order-id": orderID}}
	client, _ := open(t, map[string][]answer{"POST " + chats: {completed}, "GET /v1/orders/" + orderID: {orderIs("done")}})
	_, err := place(client, sluice.CallOptions{})
	var odd *sluice.UnexpectedAnswerError
	check(t, errors.As(err, &odd) && odd.OrderID == orderID && odd.Charged == sluice.Charged, err)
	// A gateway that does not know X-Dry-Run would place the order.
	_, err = client.Orders.Preview(context.Background(), *sluice.NewChatCompletionRequest(nil))
	check(t, errors.As(err, &odd) && odd.OrderID == orderID && odd.Charged == sluice.Charged, err)
}

func TestSmugglingDetachedOrStreamIntoAnOrdinaryCallLosesNoOrder(t *testing.T) {
	for _, success := range []answer{{status: 202, body: accepted}, {status: 200, body: "data: {}\n\n"}} {
		sent := success.with("x-service-order-id", orderID)
		if success.status == 200 {
			sent = sent.with("Content-Type", "text/event-stream")
		}
		client, _ := open(t, map[string][]answer{"POST " + chats: {sent}, "GET /v1/orders/" + orderID: {orderIs("queued")}})
		request := sluice.NewChatCompletionRequest([]sluice.ChatMessage{sluice.UserMessage("Hello")})
		request.AdditionalProperties = map[string]any{"detached": true, "stream": true}
		_, _, err := client.API.InferenceAPI.CreateChatCompletion(context.Background()).ChatCompletionRequest(*request).Execute()
		var odd *sluice.UnexpectedAnswerError
		check(t, errors.As(err, &odd) && odd.OrderID == orderID, err)
	}
}

func TestTheEndOfTheContextIsATimeout(t *testing.T) {
	client, _ := open(t, map[string][]answer{"GET /v1/orders/" + orderID + "/result": {
		{status: 200, body: `{"status":"queued","body":null,"error":null,"id":"a","object":"o","kind":"chat","created_at":` +
			at + `,"expires_at":` + at + `,"result_expires_at":null}`}}, "GET /v1/orders/" + orderID: {orderIs("queued")}})
	order, err := client.Orders.Get(context.Background(), orderID)
	check(t, err == nil, err)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err = order.Result(ctx)
	var late *sluice.TimeoutError
	check(t, errors.As(err, &late) && errors.Is(err, context.DeadlineExceeded) && late.OrderID == orderID, err)
}

func chunk(number int, text string) string {
	return fmt.Sprintf("id: %d\ndata: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"tide\","+
		"\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":null}]}\n\n", number, text)
}

func TestAStreamGoesOnAfterACutAndAfterARestart(t *testing.T) {
	events := func(text string) answer {
		return answer{status: 200, headers: map[string]string{"Content-Type": "text/event-stream"}, body: text}
	}
	client, own := open(t, map[string][]answer{
		"GET /v1/orders/" + orderID: {orderIs("executing")},
		"GET /v1/orders/" + orderID + "/stream": {
			events(chunk(0, "a") + chunk(1, "b") + "id: 2\ndata: CUT"),
			nothing,
			refusal(409, "conflict_error", "stream_restarted").with("x-should-retry", "false"),
			events(chunk(0, "c") + "id: 1\ndata: [DONE]\n\n"),
		},
	})
	order, err := client.Orders.Get(context.Background(), orderID)
	check(t, err == nil, err)
	var seen []string
	for event, err := range order.Stream(context.Background()) {
		check(t, err == nil, err)
		seen = append(seen, fmt.Sprint(event.Number, event.Text, event.Restarted))
	}
	check(t, strings.Join(seen, " ") == "0afalse 1bfalse 0ctrue", seen)
	check(t, own.requests[2].URL.Query().Get("starting_after") == "1", own.requests[2].URL)
}

func TestTheErrorOfAStreamIsThatOfTheOrder(t *testing.T) {
	failed := answer{status: 200, headers: map[string]string{"Content-Type": "text/event-stream"}}
	failed.body = "data: " + fmt.Sprintf(refused, "server_error", "backend_error") + "\n\n"
	client, _ := open(t, map[string][]answer{
		"GET /v1/orders/" + orderID: {orderIs("error")}, "GET /v1/orders/" + orderID + "/stream": {failed}})
	order, _ := client.Orders.Get(context.Background(), orderID)
	for _, err := range order.Stream(context.Background()) {
		failure := failureOf(t, err)
		check(t, failure.Code == "backend_error" && failure.Charged == sluice.NotCharged && failure.OrderID == orderID, err)
	}
}

func TestACancellationWhoseAnswerWasLostIsNoError(t *testing.T) {
	late := refusal(409, "conflict_error", "order_not_cancelable").with("x-should-retry", "false")
	client, _ := open(t, map[string][]answer{
		"GET /v1/orders/" + orderID: {orderIs("canceled")}, "POST /v1/orders/" + orderID + "/cancel": {nothing, late}})
	order, _ := client.Orders.Get(context.Background(), orderID)
	check(t, order.Cancel(context.Background()) == nil && order.Status == "canceled", order.Status)
}

func TestAnUnconfirmedPriceIsSentAgain(t *testing.T) {
	result := func(changed, code string) answer {
		return answer{status: 200, body: `{"object":"list","price_limit":3,"changed":` + changed + `,"data":[{"id":"` + orderID +
			`","changed":false,"code":` + code + `,"reason":"no"}]}`}
	}
	client, own := open(t, map[string][]answer{"GET /v1/orders/" + orderID: {orderIs("done")}, "POST /v1/orders/price": {
		result("0", `"unavailable"`), result("1", "null"), result("0", `"not_queued"`)}})
	order, _ := client.Orders.Get(context.Background(), orderID)
	check(t, order.Reprice(context.Background(), "3") == nil && len(own.requests) == 3, len(own.requests))
	failure := failureOf(t, order.Reprice(context.Background(), "3"))
	check(t, failure.Code == "not_queued" && failure.Charged == sluice.Charged && failure.OrderID == orderID, failure)
}

func TestAListAsksForTheNextPageWhenTheLoopGetsThere(t *testing.T) {
	page := func(cursor string) answer {
		return answer{status: 200, body: `{"object":"list","data":[` + orderIs("done").body + `],"has_more":` +
			fmt.Sprint(cursor != "null") + `,"next_cursor":` + cursor + `,"total_orders":null,"total_failed":null,` +
			`"total_charged_usd":null,"total_at_bid_usd":null,"total_saved_usd":null,"counts":null}`}
	}
	client, own := open(t, map[string][]answer{"GET /v1/orders": {page(`"next"`), page("null")}})
	count := 0
	request := client.API.OrdersAPI.ListOrders(context.Background()).Status([]string{"done", "error"})
	for order, err := range client.Orders.List(request) {
		count++
		check(t, err == nil && order.Order.Bid == "2" && len(own.requests) == count, err, len(own.requests))
	}
	last := own.requests[len(own.requests)-1].URL.Query()
	check(t, count == 2 && last.Get("cursor") == "next" && last.Get("status") == "done,error", count, last)
}

func TestABatchWhoseAnswerWasLostIsNotMadeAgain(t *testing.T) {
	client, own := open(t, map[string][]answer{"POST /v1/batches": {nothing}, "GET /v1/batches": {nothing},
		"POST /v1/files": {{status: 200, body: `{"id":"file-1","object":"file","bytes":3,"created_at":1,"expires_at":2,` +
			`"filename":"lines.jsonl","purpose":"batch","status":"processed"}`}}})
	_, err := client.Batches.Run(sluice.With(context.Background(), sluice.CallOptions{MaxRetries: -1}), nil, sluice.BatchRequest{}, nil)
	var broken *sluice.ConnectionError
	made := len(own.keys("/v1/batches"))
	asked := own.requests[len(own.requests)-1]
	check(t, errors.As(err, &broken) && made == 1 && asked.Method == "GET", err, made, asked.Method)
}

func TestABatchReturnsWhatEachLineBecameInTheirOrder(t *testing.T) {
	batch := `{"id":"b","object":"batch","endpoint":"/v1/chat/completions","status":"completed","created_at":1,"expires_at":2,` +
		`"completion_window":"24h","errors":null,"input_file_id":"in","output_file_id":"out","error_file_id":"err",` +
		`"request_counts":{"total":3,"completed":1,"failed":1},"metadata":{},"in_progress_at":null,"completed_at":null,` +
		`"failed_at":null,"expired_at":null,"cancelling_at":null,"cancelled_at":null,"finalizing_at":null,"x_retention":{"output_days":1,"output_expires_at":null,"output_deleted":false},` +
		`"x_market":{"active":0,"pending_result":0,"expired":0,"canceled":0,"bid":null,"deadline":null}}`
	text := func(body string) []answer {
		return []answer{{status: 200, headers: map[string]string{"Content-Type": "application/jsonl"}, body: body}}
	}
	client, own := open(t, map[string][]answer{
		"POST /v1/files": {{status: 200, body: `{"id":"in","object":"file","bytes":3,"created_at":1,"expires_at":2,` +
			`"filename":"lines.jsonl","purpose":"batch","status":"processed"}`}},
		"POST /v1/batches":         {{status: 200, body: batch}},
		"GET /v1/files/in/content": text("{\"custom_id\":\"a\"}\n{\"custom_id\":\"b\"}\n{\"custom_id\":\"c\"}\n"),
		"GET /v1/files/out/content": text(`{"id":"1","custom_id":"b","response":{"status_code":200,"request_id":"` + orderID +
			`","body":{"usage":{"x_market":{"charged_usd":1234567890123456.123456789}}}},"error":null}`),
		"GET /v1/files/err/content": text(`{"id":"2","custom_id":"a","response":null,"error":{"code":"expired","message":"late"}}`),
	})
	results, err := client.Batches.Run(context.Background(), nil, sluice.BatchRequest{}, nil)
	check(t, err == nil && len(results) == 3, err, results, len(own.requests))
	check(t, failureOf(t, results[0].Err).Code == "expired" && failureOf(t, results[2].Err).Code == "no_result", results)
	check(t, results[1].CustomID == "b" && results[1].Err == nil && results[1].OrderID == orderID, results[1])
	written, err := json.Marshal(results[1].Body)
	check(t, err == nil && strings.Contains(string(written), "1234567890123456.123456789"), string(written))
}

func TestLevelsGoOnWhileTheGatewayIsAway(t *testing.T) {
	frame := answer{status: 200, headers: map[string]string{"Content-Type": "text/event-stream"},
		body: `data: {"levels":[{"model":"tide","level":0.5,"updated_at":"2025-11-27T00:00:00.000Z"}]}` + "\n\n"}
	client, _ := open(t, map[string][]answer{"GET /v1/market/levels/stream": {frame, nothing, frame}})
	count := 0
	for level, err := range client.Market.Levels(sluice.With(context.Background(), sluice.CallOptions{MaxRetries: -1})) {
		check(t, err == nil && level.Level == "0.5", err, level)
		if count++; count == 2 {
			break
		}
	}
	check(t, count == 2, count)
}

func TestAmountsInHeadersAndInAnyKeepTheirDigits(t *testing.T) {
	result := `{"id":"` + orderID + `","object":"order.result","kind":"chat","status":"done","created_at":` + at + `,"expires_at":` + at +
		`,"result_expires_at":null,"error":null,"body":{"amount":1234567890.123456789012},"later":0.12345678901234567890}`
	client, own := open(t, map[string][]answer{"GET /v1/orders/" + orderID + "/result": {{status: 200, body: result}},
		"POST " + chats: {{status: 202, body: accepted}}, "GET /v1/orders/" + orderID: {orderIs("queued")}})
	ctx := context.Background()
	create := client.API.InferenceAPI.CreateDetachedChatCompletion(ctx).XPriceLimit("1234567890.123456789").XMaxChargeUSD("0.000000001")
	_, _, err := create.ChatCompletionRequest(*sluice.NewChatCompletionRequest(nil)).Execute()
	sent := own.requests[0].Header
	check(t, err == nil && sent.Get("X-Price-Limit") == "1234567890.123456789" && sent.Get("X-Max-Charge-USD") == "0.000000001", err, sent)
	read, _, err := client.API.OrdersAPI.GetOrderResult(ctx, orderID).Execute()
	check(t, err == nil, err)
	check(t, fmt.Sprint(read.Body["amount"]) == "1234567890.123456789012", read.Body)
	check(t, fmt.Sprint(read.AdditionalProperties["later"]) == "0.12345678901234567890", read.AdditionalProperties)
}

func TestMoneyIsExact(t *testing.T) {
	small, err := sluice.ParseMoney("3.33333E-4")
	check(t, err == nil && small == "0.000333333", small)
	check(t, small.Add("0.1") == "0.100333333" && sluice.Money("0.3").Sub("0.1") == "0.2", small.Add("0.1"))
	check(t, sluice.Money("2").Cmp("2.0") == 0 && sluice.Money("0.1").Cmp("0.2") < 0, "compared wrongly")
	nano, isWhole := sluice.Money("0.000006852").Nano()
	check(t, isWhole && nano == 6852 && sluice.MoneyOfNano(6852) == "0.000006852", nano)
	_, isWhole = sluice.Money("0.0000000001").Nano()
	check(t, !isWhole, "a tenth of a nano-dollar is whole")
	for _, wrong := range []string{"", "2 USD", "1e999", "NaN", "0x1", "1/3"} {
		_, err := sluice.ParseMoney(wrong)
		check(t, err != nil, wrong)
	}
	_, err = json.Marshal(sluice.Money("two"))
	check(t, err != nil, "a word was written as a number")
	var read struct{ Charged sluice.Money }
	check(t, json.Unmarshal([]byte(`{"charged":12345678901234567890.123456789}`), &read) == nil, "not read")
	check(t, read.Charged == "12345678901234567890.123456789", read.Charged)
}

func receiptOf(t *testing.T, change func(claims map[string]any)) *sluice.OrderReceipt {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	check(t, err == nil, err)
	claims := map[string]any{"iss": "gw", "iat": 1, "order_id": orderID, "kind": "chat", "model": "tide",
		"created_at": json.RawMessage(at), "admitted_at": nil, "settled_at": json.RawMessage(at),
		"tariff": "market:100000000:1000000000:4000000000", "level_nano_usd": 10_000_000, "bid_nano_usd": 2_000_000_000,
		"prompt_tokens": 17, "cached_tokens": 0, "output_tokens": 42, "estimated": false, "charged_nano_usd": 6852,
		"written_off_nano_usd": 0, "level_row": nil, "quote_window": nil}
	change(claims)
	text, _ := json.Marshal(claims)
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"EdDSA","typ":"sluice-receipt+jws","kid":"k"}`)) + "." + encode(text)
	key := sluice.SigningKey{Kty: "OKP", Crv: "Ed25519", X: encode(public), Kid: "k", Use: "sig", Alg: "EdDSA"}
	keys := sluice.SigningKeys{Issuer: "gw", Keys: []sluice.SigningKey{key}}
	receipt, err := sluice.NewOrderReceipt(signed+"."+encode(ed25519.Sign(private, []byte(signed))), keys)
	check(t, err == nil, err)
	return receipt
}

func TestAReceiptIsVerifiedOffline(t *testing.T) {
	right := receiptOf(t, func(map[string]any) {})
	check(t, right.Verify() == nil && right.Charge() == "0.000006852", right.Verify(), right.Charge())
	check(t, receiptOf(t, func(claims map[string]any) { claims["charged_nano_usd"] = 6853 }).Verify() != nil, "a wrong charge passed")
	check(t, receiptOf(t, func(claims map[string]any) { claims["iss"] = "other" }).Verify() != nil, "another issuer passed")
	parts := strings.Split(right.JWS, ".")
	forged, err := sluice.NewOrderReceipt(parts[0]+"."+parts[1]+"."+strings.Repeat("A", 86), right.Keys)
	check(t, err == nil, err)
	var wrong *sluice.ReceiptError
	check(t, errors.As(forged.Verify(), &wrong) && wrong.Charged == sluice.ChargeUnknown, "a forged signature passed")
	for _, text := range []string{"not a receipt", "a.b.c"} {
		_, err = sluice.NewOrderReceipt(text, right.Keys)
		var base *sluice.SluiceError
		check(t, errors.As(err, &wrong) && errors.As(err, &base), err)
	}
	saved, _ := json.Marshal(right.Keys)
	var keys sluice.SigningKeys
	check(t, json.Unmarshal(saved, &keys) == nil && keys.Issuer == "gw", string(saved))
}

// What loses a paid answer, or its price, does not compile.
func TestMistakesDoNotCompile(t *testing.T) {
	mistakes := map[string]string{
		"request.SetDetached(true)": "SetDetached",
		"request.SetStream(true)":   "SetStream",
		`client.API.InferenceAPI.DryRunChatCompletion(ctx).XDryRun("false")`: "XDryRun",
		`_ = sluice.ChatCompletionRequest{PriceLimt: "2"}`:                   "PriceLimt",
		`request.SetPriceLimt("2")`:                                          "SetPriceLimt",
		"request.SetPriceLimit(2.0)":                                         "cannot use 2.0",
		"var answer sluice.ChatCompletion; _ = answer.Chioces":               "Chioces",
		`client.API.OrdersAPI.ListOrders(ctx).Status("a")`:                   "cannot use",
	}
	folder, err := os.MkdirTemp(".", "mistake")
	check(t, err == nil, err)
	defer os.RemoveAll(folder)
	for mistake, word := range mistakes {
		program := "package main\n\nimport (\n\t\"context\"\n\n\tsluice \"github.com/sluice-gateway/sluice-go\"\n)\n\nfunc main() {\n" +
			"\tctx := context.Background()\n\tclient, _ := sluice.New(sluice.Options{})\n\tvar request sluice.ChatCompletionRequest\n" +
			"\t_, _, _ = ctx, client, request\n\t" + mistake + "\n}\n"
		check(t, os.WriteFile(filepath.Join(folder, "main.go"), []byte(program), 0o600) == nil, "cannot write")
		output, err := exec.Command("go", "vet", "./"+filepath.Base(folder)).CombinedOutput()
		check(t, err != nil && strings.Contains(string(output), word), mistake, " gave ", string(output))
	}
}
