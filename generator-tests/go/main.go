// Calls a gateway with the client of ogen: reads a level, and asks for a chat completion.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"sluice.example/generators/ogen"
)

type key struct{}

func (key) BearerAuth(context.Context, ogen.OperationName) (ogen.BearerAuth, error) {
	return ogen.BearerAuth{Token: os.Getenv("SLUICE_KEY")}, nil
}

func (key) ApiKeyHeader(context.Context, ogen.OperationName) (ogen.ApiKeyHeader, error) {
	return ogen.ApiKeyHeader{}, nil
}

func main() {
	gateway, err := ogen.NewClient(os.Getenv("SLUICE_URL"), key{})
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	level, err := gateway.GetMarket(ctx, ogen.GetMarketParams{Model: ogen.NewOptString("tide")})
	if err != nil {
		log.Fatal(err)
	}
	here, isLevel := level.(*ogen.LevelHeaders)
	if !isLevel {
		log.Fatalf("not a level: %#v", level)
	}
	fmt.Println("level", here.Response.Level)
	question := &ogen.ChatCompletionRequest{
		Model:     ogen.NewOptNilString("harbor"),
		Messages:  []ogen.ChatMessage{{Role: "user", Content: []byte(`"Hello"`)}},
		MaxTokens: ogen.NewOptNilInt64(5),
	}
	answer, err := gateway.CreateChatCompletion(ctx, question, ogen.CreateChatCompletionParams{})
	if err != nil {
		log.Fatal(err)
	}
	completion, isCompletion := answer.(*ogen.ChatCompletionHeaders)
	if !isCompletion {
		log.Fatalf("not a completion: %#v", answer)
	}
	fmt.Println("answer", completion.Response.Choices[0].Message.Content.Value)
}
