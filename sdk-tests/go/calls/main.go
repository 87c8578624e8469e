// The three hundred calls of sdk-tests/README.md with the Go client.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	sluice "github.com/sluice-gateway/sluice-go"
)

const atOnce = 8

type asked struct {
	Call       int
	How, Model string
	PriceLimit sluice.Money
	Store      bool
	Simulate   map[string]any
	MaxWait    *int32
	TimeoutMs  *int
}

type printed struct {
	Call       int     `json:"call"`
	Returned   bool    `json:"returned"`
	OrderID    *string `json:"orderId"`
	Charged    *bool   `json:"charged"`
	ChargedUSD *string `json:"chargedUsd"`
	Error      *string `json:"error"`
}

func main() {
	client, err := sluice.New(sluice.Options{})
	if err != nil {
		panic(err)
	}
	file, err := os.Open(os.Getenv("SLUICE_CALLS"))
	if err != nil {
		panic(err)
	}
	calls := make(chan asked)
	var printing sync.Mutex
	var workers sync.WaitGroup
	for range atOnce {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for call := range calls {
				line, err := json.Marshal(outcome(client, call))
				if err != nil {
					panic(err)
				}
				printing.Lock()
				fmt.Println(string(line))
				printing.Unlock()
			}
		}()
	}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var call asked
		if err := json.Unmarshal(lines.Bytes(), &call); err != nil {
			panic(err)
		}
		calls <- call
	}
	close(calls)
	workers.Wait()
}

func outcome(client *sluice.Client, call asked) printed {
	orderID, charge, err := take(client, call)
	if err == nil {
		yes, usd := true, string(charge)
		return printed{Call: call.Call, Returned: true, OrderID: &orderID, Charged: &yes, ChargedUSD: &usd}
	}
	sentence := err.Error()
	line := printed{Call: call.Call, Error: &sentence}
	var failure *sluice.SluiceError
	if !errors.As(err, &failure) {
		return line
	}
	if failure.OrderID != "" {
		line.OrderID = &failure.OrderID
	}
	if failure.Charged != sluice.ChargeUnknown {
		isCharged := failure.Charged == sluice.Charged
		line.Charged = &isCharged
	}
	return line
}

func take(client *sluice.Client, call asked) (orderID string, charge sluice.Money, err error) {
	ctx := context.Background()
	if call.TimeoutMs != nil {
		var cancel func()
		ctx, cancel = context.WithTimeout(ctx, time.Duration(*call.TimeoutMs)*time.Millisecond)
		defer cancel()
	}
	message := sluice.NewChatMessage("user")
	message.SetContent("call " + strconv.Itoa(call.Call))
	request := sluice.NewChatCompletionRequest([]sluice.ChatMessage{*message})
	request.SetModel(call.Model)
	request.SetPriceLimit(call.PriceLimit)
	request.SetStore(call.Store)
	if call.MaxWait != nil {
		request.SetMaxWait(*call.MaxWait)
	}
	request.AdditionalProperties = map[string]any{"x_simulate": call.Simulate}
	if call.How == "complete" {
		answer, _, err := client.API.InferenceAPI.CreateChatCompletion(ctx).ChatCompletionRequest(*request).Execute()
		if err != nil {
			return "", "", err
		}
		return answer.Usage.XMarket.OrderId, answer.Usage.XMarket.ChargedUsd, nil
	}
	order, err := client.Orders.Place(ctx, *request)
	if err != nil {
		return "", "", err
	}
	if call.How == "cancel" {
		if err := order.Cancel(ctx); err != nil {
			return "", "", err
		}
	}
	if call.How == "stream" {
		for _, err := range order.Stream(ctx) {
			if err != nil {
				return "", "", err
			}
		}
	}
	result, err := order.Result(ctx)
	if err != nil {
		return "", "", err
	}
	return order.ID, result.Usage.XMarket.ChargedUsd, nil
}
