// The scenario of sdk-tests/README.md with the Go client.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"time"

	sluice "github.com/sluice-gateway/sluice-go"
)

const (
	batchDeadline   = time.Minute
	repriceDeadline = time.Minute
	resultDeadline  = time.Minute
)

var (
	client = newClient()
	ctx    = context.WithValue(context.Background(), sluice.ContextAccessToken, os.Getenv("SLUICE_KEY"))
)

func main() {
	ratio := listModels()
	done("list models")
	readLevel()
	done("read the level")
	readQuote()
	done("read a quote")
	readHistory()
	done("read the history")
	readDepth()
	done("read the depth")
	askForEstimate()
	done("ask for an estimate")
	answer := completeChat()
	done("complete a chat")
	checkReceipt(answer, ratio)
	done("check the receipt")
	boundCharge()
	done("bound a charge")
	keepSignedReceipt(answer.Usage.XMarket)
	done("keep the signed receipt")
	waiting := repriceWaiting()
	done("reprice a waiting order")
	cancel(waiting)
	done("cancel it")
	respondInBackground()
	done("respond in the background")
	followOrder()
	done("follow an order")
	giveDeadline()
	done("give an order a deadline")
	readUsage(answer.Usage.XMarket, waiting)
	done("read the usage")
	file := upload()
	done("upload a file")
	runBatch(file)
	done("run a batch")
	catchRefusal()
	done("catch a refusal")
	catchMisspeltBound()
	done("catch a misspelt bound")
	payOnceWithTwoClients()
	done("pay once with two clients")
}

func listModels() sluice.PricingRatio {
	models := must(client.ModelsAPI.ListModels(ctx).Execute())
	check(models.Default == "tide", "the default is ", models.Default)
	pricing := map[string]string{}
	var ratio sluice.PricingRatio
	for _, model := range models.Data {
		pricing[model.Id] = model.Pricing.Type
		if model.Id == "tide" {
			ratio = model.PricingRatio
		}
	}
	right := pricing["tide"] == "market" && pricing["harbor"] == "fixed" && pricing["narrows"] == "market"
	check(right && len(pricing) == 3, "the models are ", pricing)
	return ratio
}

func readLevel() {
	level := must(client.MarketAPI.GetMarket(ctx).Model("tide").Execute())
	check(level.Level.Cmp("0") > 0 && !level.Degraded, "the level is ", level)
	frames := must(client.StreamsAPI.StreamMarket(ctx).Model("tide").Execute())
	defer frames.Close()
	var frame sluice.MarketFrame
	check(frames.Next() && json.Unmarshal([]byte(frames.Event().Data), &frame) == nil, "the frame is ", frames.Event())
	check(frame.Level.Cmp("0") > 0, "the frame is ", frame)
}

func readQuote() {
	quote := must(client.MarketAPI.GetPriceLock(ctx).Model("tide").Execute())
	check(quote.Price.Cmp("0") >= 0 && quote.ExecuteWindowSeconds == 10, "the quote is ", quote)
	check(quote.ValidForMs >= 0 && quote.ValidForMs <= quote.IntervalMs, "the quote holds for ", quote.ValidForMs)
}

func readHistory() {
	history := must(client.MarketAPI.GetMarketHistory(ctx).Model("tide").Range_("1h").Execute())
	check(history.Model == "tide" && history.Range == "1h", "the history is of ", history.Model, history.Range)
}

func readDepth() {
	depth := must(client.MarketAPI.GetMarketDepth(ctx).Model("tide").Execute())
	check(depth.Model == "tide" && depth.AccountsMin == 3, "the depth is ", depth)
	// A single account tells nobody what it bids.
	check(len(depth.Steps) == 0, "the steps are ", depth.Steps)
}

func askForEstimate() {
	request := client.MarketAPI.GetMarketEstimate(ctx).Model("tide").PriceLimit("2")
	estimate := must(request.InputTokens(1000).OutputTokens(100).Execute())
	check(estimate.GetBid() == "2" && estimate.GetChance() == 1, "the estimate is ", estimate)
	greatest := estimate.GetGreatestChargeUsd()
	check(estimate.GetExpectedChargeUsd().Cmp(greatest) <= 0, "the charges are ", estimate)
	forward := must(client.MarketAPI.GetMarketEstimate(ctx).Model("tide").Chance("0.9").Requests(2).Execute())
	check(forward.Bid.Get() != nil && forward.Requests == 2, "the forward quote is ", forward)
}

func completeChat() *sluice.ChatCompletion {
	request := chat("tide")
	request.SetPriceLimit("2")
	answer := must(client.InferenceAPI.CreateChatCompletion(ctx).ChatCompletionRequest(request).Execute())
	check(answer.Choices[0].Message.GetContent() != "", "there is no text")
	check(answer.Usage.CompletionTokens > 0, "no tokens were counted")
	return answer
}

func checkReceipt(answer *sluice.ChatCompletion, ratio sluice.PricingRatio) {
	receipt := answer.Usage.XMarket
	computed := chargeOf(answer.Usage, ratio)
	charged, isWhole := receipt.ChargedUsd.Nano()
	check(isWhole && nano(computed) == charged, "computed ", computed, ", charged ", receipt.ChargedUsd)
	order := must(client.OrdersAPI.GetOrder(ctx, receipt.OrderId).Include([]string{"usage"}).Execute())
	usage := order.GetUsage()
	check(order.Status == "done" && usage.ChargedUsd == receipt.ChargedUsd, "the order is ", order)
}

func boundCharge() {
	request := chat("harbor")
	request.SetMaxTokens(3)
	dry := must(client.InferenceAPI.DryRunChatCompletion(ctx).ChatCompletionRequest(request).Execute())
	check(dry.Object == "dry_run" && dry.Model == "harbor" && dry.OutputTokensMax == 3, "the dry run is ", dry)
	bounded := chat("harbor")
	bounded.SetMaxChargeUsd(dry.GreatestChargeUsd)
	cut := must(client.InferenceAPI.CreateChatCompletion(ctx).ChatCompletionRequest(bounded).Execute())
	receipt := cut.Usage.XMarket
	check(cut.Choices[0].FinishReason == "length" && receipt.GetMaxChargeReached(), "the answer is ", cut)
	check(receipt.ChargedUsd.Cmp(dry.GreatestChargeUsd) <= 0, "charged ", receipt.ChargedUsd)
}

func keepSignedReceipt(receipt sluice.Receipt) {
	signed := must(client.OrdersAPI.GetOrderReceipt(ctx, receipt.OrderId).Execute())
	check(sluice.MoneyOfNano(signed.Receipt.ChargedNanoUsd) == receipt.ChargedUsd, "the signed receipt is ", signed.Receipt)
	published := must(client.SystemAPI.GetSigningKeys(ctx).Execute())
	check(len(published.Keys) > 0 && signed.Receipt.Iss == published.Issuer, "the issuer is ", signed.Receipt.Iss)
	level := signed.Receipt.LevelRow.Get()
	check(level != nil && strings.Count(signed.Jws, ".") == 2, "the signed receipt is ", signed)
	request := client.MarketAPI.GetMarketLedger(ctx).Model("tide").After(level.Number - 1).Limit(1)
	row := must(request.Execute()).Data[0]
	check(row.Number == level.Number && row.Hash == *level.Hash.Get(), "the row is ", row)
	head := must(client.MarketAPI.GetMarketLedgerHead(ctx).Model("tide").Execute())
	check(head.Jws.Get() != nil && head.Head.Get().Number > 0, "the head is ", head)
}

func repriceWaiting() string {
	request := chat("narrows")
	request.SetPriceLimit("1")
	accepted := must(client.InferenceAPI.CreateDetachedChatCompletion(ctx).ChatCompletionRequest(request).Execute())
	repriced := reprice(accepted.Id, "1.5")
	check(repriced.Changed == 1, "repriced ", repriced)
	order := must(client.OrdersAPI.GetOrder(ctx, accepted.Id).Execute())
	check(order.Status == "queued" && order.Bid == "1.5", "the order is ", order)
	return accepted.Id
}

func giveDeadline() {
	request := chat("narrows")
	request.SetPriceLimit("1")
	request.SetDeadline(3600)
	accepted := must(client.InferenceAPI.CreateDetachedChatCompletion(ctx).ChatCompletionRequest(request).Execute())
	order := must(client.OrdersAPI.GetOrder(ctx, accepted.Id).Execute())
	check(order.Strategy != nil && order.Strategy.Kind == "deadline", "the order is ", order)
	check(order.Strategy.PriceLimit == "1" && order.Bid.Cmp("1") <= 0, "the order is ", order)
	cancel(accepted.Id)
}

// Sends the price again while the market does not confirm in time.
func reprice(id string, priceLimit sluice.Money) *sluice.RepriceResult {
	request := sluice.NewRepriceRequest([]string{id}, priceLimit)
	deadline := time.Now().Add(repriceDeadline)
	for {
		repriced, response, err := client.OrdersAPI.RepriceOrders(ctx).RepriceRequest(*request).Execute()
		unconfirmed := response != nil && response.StatusCode == http.StatusServiceUnavailable
		if !unconfirmed || time.Now().After(deadline) {
			return must(repriced, response, err)
		}
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

func cancel(id string) {
	canceled := must(client.OrdersAPI.CancelOrder(ctx, id).Execute())
	check(canceled.Status == "canceled", "the answer is ", canceled)
	order := must(client.OrdersAPI.GetOrder(ctx, id).Execute())
	check(order.Status == "canceled", "the order is ", order)
}

func respondInBackground() {
	create := func(model string, priceLimit sluice.Money) *sluice.ResponseObject {
		request := sluice.NewResponseRequest("Say hello.")
		request.SetModel(model)
		request.SetPriceLimit(priceLimit)
		request.SetBackground(true)
		return must(client.InferenceAPI.CreateResponse(ctx).ResponseRequest(*request).Execute())
	}
	response := create("tide", "2")
	for response.Status != "completed" {
		check(response.Status == "queued" || response.Status == "in_progress", "the response is ", response.Status)
		time.Sleep(100 * time.Millisecond)
		response = must(client.InferenceAPI.GetResponse(ctx, response.Id).Execute())
	}
	check(response.Background && len(response.Output) > 0, "the response is ", response)
	cancelled := must(client.InferenceAPI.CancelResponse(ctx, create("narrows", "1").Id).Execute())
	check(cancelled.Status == "cancelled", "the response is ", cancelled.Status)
}

func followOrder() {
	request := chat("tide")
	request.SetPriceLimit("2")
	id := must(client.InferenceAPI.CreateDetachedChatCompletion(ctx).ChatCompletionRequest(request).Execute()).Id
	events := must(follow(client.StreamsAPI.StreamOrder(ctx, id)))
	var joined []sluice.StreamEvent
	for len(joined) < 10 && events.Next() {
		joined = append(joined, events.Event())
	}
	check(events.LastEventID() == "9", "the last id is ", events.LastEventID())
	events.Close()
	joined = append(joined, allOf(must(follow(client.StreamsAPI.StreamOrder(ctx, id).StartingAfter(9))))...)
	whole := allOf(must(follow(client.StreamsAPI.StreamOrder(ctx, id))))
	check(reflect.DeepEqual(joined, whole), "joined are ", joined, ", whole is ", whole)
	said := ""
	for number, event := range whole {
		check(event.ID == strconv.Itoa(number), "the event is ", event)
		var chunk sluice.ChatCompletionChunk
		if number < len(whole)-1 && json.Unmarshal([]byte(event.Data), &chunk) == nil && len(chunk.Choices) > 0 {
			content, _ := chunk.Choices[0].Delta["content"].(string)
			said += content
		}
	}
	check(whole[len(whole)-1].Data == "[DONE]", "the last event is ", whole[len(whole)-1])
	result := must(client.OrdersAPI.GetOrderResult(ctx, id).Execute())
	encoded, err := json.Marshal(result.Body)
	var answer sluice.ChatCompletion
	check(err == nil && json.Unmarshal(encoded, &answer) == nil, "the result is ", result)
	check(answer.Choices[0].Message.GetContent() == said, "the result is ", result)
	_, response, err := follow(client.StreamsAPI.StreamOrder(ctx, id).StartingAfter(int32(len(whole))))
	var failure *sluice.GenericOpenAPIError
	check(errors.As(err, &failure) && response.StatusCode == http.StatusBadRequest, "the error is ", err)
	refusal, ok := failure.Model().(sluice.ErrorEnvelope)
	check(ok && refusal.Error.GetParam() == "starting_after", "the refusal is ", refusal)
}

// Waits while the result is being written.
func follow(request sluice.ApiStreamOrderRequest) (*sluice.EventStream, *http.Response, error) {
	deadline := time.Now().Add(resultDeadline)
	for {
		events, response, err := request.Execute()
		unwritten := response != nil && response.StatusCode == http.StatusTooManyRequests
		if !unwritten || time.Now().After(deadline) {
			return events, response, err
		}
		seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

func allOf(events *sluice.EventStream) (all []sluice.StreamEvent) {
	for events.Next() {
		all = append(all, events.Event())
	}
	check(events.Err() == nil, events.Err())
	return all
}

func readUsage(receipt sluice.Receipt, canceled string) {
	usage := must(client.AccountAPI.ListUsage(ctx).Execute())
	charged := map[string]sluice.Money{}
	for _, record := range usage.Data {
		charged[record.OrderId] = record.ChargedUsd
	}
	check(charged[receipt.OrderId] == receipt.ChargedUsd, "the usage is ", charged)
	_, present := charged[canceled]
	check(!present, "the canceled order is in the usage")
}

func upload() string {
	var lines []string
	for _, name := range []string{"first", "second"} {
		body := chat("harbor")
		line := map[string]any{"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}
		encoded, err := json.Marshal(line)
		check(err == nil, err)
		lines = append(lines, string(encoded))
	}
	content := strings.Join(lines, "\n")
	folder, err := os.MkdirTemp("", "scenario")
	check(err == nil, err)
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "questions.jsonl")
	check(os.WriteFile(path, []byte(content), 0o600) == nil, "cannot write ", path)
	input, err := os.Open(path)
	check(err == nil, err)
	file := must(client.FilesAPI.UploadFile(ctx).File(input).Purpose("batch").Execute())
	check(file.Filename == "questions.jsonl" && file.Bytes == int64(len(content)), "the file is ", file)
	return file.Id
}

func runBatch(file string) {
	request := sluice.NewBatchRequest(file, "/v1/chat/completions")
	request.SetDeadline(3600)
	batch := must(client.BatchesAPI.CreateBatch(ctx).BatchRequest(*request).Execute())
	check(batch.XMarket.GetDeadline() == batch.CreatedAt+3600, "the batch is ", batch)
	deadline := time.Now().Add(batchDeadline)
	for (batch.Status == "validating" || batch.Status == "in_progress") && time.Now().Before(deadline) {
		time.Sleep(200 * time.Millisecond)
		batch = must(client.BatchesAPI.GetBatch(ctx, batch.Id).Execute())
	}
	check(batch.Status == "completed" && batch.RequestCounts.Completed == 2, "the batch is ", batch)
	output := must(client.FilesAPI.GetFileContent(ctx, batch.GetOutputFileId()).Execute())
	answered := map[string]bool{}
	for lines := bufio.NewScanner(strings.NewReader(output)); lines.Scan(); {
		var line sluice.BatchOutputLine
		check(json.Unmarshal(lines.Bytes(), &line) == nil, "a line is ", lines.Text())
		response := line.Response.Get()
		answered[line.CustomId] = response != nil && response.StatusCode == 200
	}
	check(len(answered) == 2 && answered["first"] && answered["second"], "the answers are ", answered)
}

func catchRefusal() {
	_, response, err := client.InferenceAPI.CreateChatCompletion(ctx).ChatCompletionRequest(chat("nowhere")).Execute()
	var failure *sluice.GenericOpenAPIError
	check(errors.As(err, &failure), "the error is ", err)
	refusal, ok := failure.Model().(sluice.ErrorEnvelope)
	check(ok && response.StatusCode == 404, "the refusal is ", failure)
	right := refusal.Error.GetCode() == "model_not_found" && refusal.Error.GetParam() == "model"
	check(right && strings.Contains(refusal.Error.Message, "nowhere"), "the refusal is ", refusal)
}

func catchMisspeltBound() {
	request := chat("tide")
	request.AdditionalProperties = map[string]interface{}{"price_limt": 0.1}
	_, response, err := client.InferenceAPI.CreateChatCompletion(ctx).ChatCompletionRequest(request).Execute()
	var failure *sluice.GenericOpenAPIError
	check(errors.As(err, &failure), "the error is ", err)
	refusal, ok := failure.Model().(sluice.ErrorEnvelope)
	check(ok && response.StatusCode == 400, "the refusal is ", failure)
	check(strings.Contains(refusal.Error.Message, "did you mean price_limit?"), "the refusal is ", refusal)
}

func payOnceWithTwoClients() {
	keyed := sluice.With(context.Background(), sluice.CallOptions{IdempotencyKey: fmt.Sprint(time.Now().UnixNano())})
	place := func(model string) (*sluice.OrderHandle, error) {
		own, err := sluice.New(sluice.Options{})
		check(err == nil, err)
		request := chat(model)
		request.SetPriceLimit("2")
		return own.Orders.Place(keyed, request)
	}
	ids := make(chan string)
	for range 2 {
		go func() {
			order, err := place("tide")
			check(err == nil, err)
			result, err := order.Result(keyed)
			check(err == nil && result.Usage.XMarket.OrderId == order.ID, err)
			ids <- order.ID
		}()
	}
	check(<-ids == <-ids, "two orders with one key")
	_, err := place("harbor")
	var conflict *sluice.ConflictError
	check(errors.As(err, &conflict) && conflict.Code == "idempotency_error", "the error is ", err)
	check(conflict.Charged == sluice.NotCharged && conflict.OrderID == "", "the error is ", err)
}

func newClient() *sluice.APIClient {
	configuration := sluice.NewConfiguration()
	configuration.Servers[0].URL = os.Getenv("SLUICE_URL")
	return sluice.NewAPIClient(configuration)
}

func chat(model string) sluice.ChatCompletionRequest {
	message := sluice.NewChatMessage("user")
	message.SetContent("What is a sluice?")
	request := sluice.NewChatCompletionRequest([]sluice.ChatMessage{*message})
	request.SetModel(model)
	return *request
}

// The cost of an answer at the level of its receipt, in USD.
func chargeOf(usage sluice.ChatUsage, ratio sluice.PricingRatio) float64 {
	cached := float64(usage.PromptTokensDetails.CachedTokens)
	uncached := float64(usage.PromptTokens) - cached
	weighted := cached*ratio.Cached + uncached*ratio.Uncached + float64(usage.CompletionTokens)*ratio.Output
	mix := 0.9*ratio.Cached + 0.1*ratio.Uncached + 0.02*ratio.Output
	level, _ := usage.XMarket.LevelAtExecution.Rat().Float64()
	return level * weighted / mix / 1e6
}

func nano(usd float64) int64 {
	return int64(math.Round(usd * 1e9))
}

// Returns the answer of a call; ends the program when it was refused.
func must[Answer any](answer Answer, response *http.Response, err error) Answer {
	if err != nil {
		body := []byte{}
		if response != nil {
			body, _ = io.ReadAll(response.Body)
		}
		log.Panic(err, " ", string(body))
	}
	return answer
}

func check(holds bool, otherwise ...any) {
	if !holds {
		log.Panic(otherwise...)
	}
}

func done(step string) {
	fmt.Println("ok", step)
}
