// What a newcomer writes with the README of the Go client alone.
package main

import (
	"context"
	"fmt"
	"time"

	sluice "github.com/sluice-gateway/sluice-go"
)

func main() {
	ctx := context.Background()
	client := must(sluice.New(sluice.Options{}))

	// Place an order and follow it. A cut of the connection does not show.
	order := must(client.Orders.Place(ctx, question("tide", "2")))
	for event, err := range order.Stream(ctx) {
		fmt.Println(event.Number, must(event, err).Data)
	}

	// Verify its receipt: signature and arithmetic, without the gateway.
	receipt := must(order.Receipt(ctx))
	check(receipt.Verify())
	fmt.Println("paid", receipt.Charge(), "USD")

	// Leave an order alone, and collect its answer later by its id.
	id := must(client.Orders.Place(ctx, question("tide", "2"))).ID
	answer := must(must(client.Orders.Get(ctx, id)).Result(ctx))
	fmt.Println(answer.Choices[0].Message.GetContent(), answer.Usage.XMarket.ChargedUsd)

	// Change the price of an order that waits, and cancel it.
	waiting := must(client.Orders.Place(ctx, question("narrows", "1")))
	check(waiting.Reprice(ctx, "1.5"))
	check(waiting.Cancel(ctx))

	for listed, err := range client.Orders.List(client.API.OrdersAPI.ListOrders(ctx)) {
		fmt.Println("order", must(listed, err).ID, "is", listed.Status)
	}

	lines := []sluice.BatchLine{{CustomID: "first", Body: question("tide", "2")}, {CustomID: "second", Body: question("tide", "2")}}
	results := must(client.Batches.Run(ctx, lines, sluice.BatchRequest{}, func(batch sluice.Batch) {
		fmt.Println("batch:", batch.RequestCounts.Completed, "of", batch.RequestCounts.Total)
	}))
	for _, line := range results {
		fmt.Println(line.CustomID, must(line.Completion()).Choices[0].Message.GetContent())
	}

	candles := must(client.Market.Candles(ctx, "tide", "24h", time.Hour))
	fmt.Println(len(candles.Candles), "candles; the level is", candles.GetCurrent())

	for level, err := range client.Market.Levels(ctx) {
		fmt.Println(must(level, err).Model, "is at", level.Level)
		break
	}
}

func question(model string, limit sluice.Money) sluice.ChatCompletionRequest {
	request := sluice.NewChatCompletionRequest([]sluice.ChatMessage{sluice.UserMessage("Why do tides turn?")})
	request.SetModel(model)
	request.SetPriceLimit(limit)
	return *request
}

func must[Value any](value Value, err error) Value {
	check(err)
	return value
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
