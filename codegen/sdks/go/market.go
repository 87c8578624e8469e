package sluice

// Market data that goes on after a cut. This file is handwritten: the generated streams end with their connection.

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Market has prices. It needs no key.
type Market struct{ client *Client }

// Levels has the level of each market, and then every change, for as long as the context lasts. It connects again
// after a cut; an error ends it.
func (m *Market) Levels(ctx context.Context, options ...CallOption) iter.Seq2[LevelsFrameEntry, error] {
	open := sending{method: http.MethodGet, path: "/v1/market/levels/stream", accept: "text/event-stream"}
	return func(yield func(LevelsFrameEntry, error) bool) {
		for fruitless := 0; ; fruitless++ {
			response, err := m.client.send(With(ctx, options...), open)
			if err != nil {
				yield(LevelsFrameEntry{}, err)
				return
			}
			events := NewEventStream(response.Body, EventBytesMax)
			for events.Next() {
				fruitless = 0
				var frame LevelsFrame
				err := json.Unmarshal([]byte(events.Event().Data), &frame)
				if err != nil {
					yield(LevelsFrameEntry{}, err)
				}
				for _, entry := range frame.Levels {
					if !yield(entry, nil) {
						err = errors.New("the loop was left")
						break
					}
				}
				if err != nil {
					events.Close()
					return
				}
			}
			if !sleep(ctx, min(firstBackoff<<min(fruitless, 10), longBackoff)) {
				yield(LevelsFrameEntry{}, &TimeoutError{&SluiceError{Message: "the context ended", cause: ctx.Err()}})
				return
			}
		}
	}
}

// Candles has the levels of a market over a span (1h, 24h, 7d or 30d), in buckets of this length or the next shorter.
func (m *Market) Candles(ctx context.Context, model, span string, bucket time.Duration) (*MarketCandles, error) {
	query := url.Values{"model": {model}, "range": {span}, "bucket": {strconv.Itoa(int(bucket / time.Second))}}
	return fetch[MarketCandles](ctx, m.client, sending{method: http.MethodGet, path: "/v1/market/ohlc", query: query})
}

// Quote is what a locked order would bid at most now.
func (m *Market) Quote(ctx context.Context, model string) (*Quote, error) {
	query := url.Values{"model": {model}}
	return fetch[Quote](ctx, m.client, sending{method: http.MethodGet, path: "/v1/market/price-lock", query: query})
}

// Models lists what is sold.
func (m *Market) Models(ctx context.Context) (*ModelList, error) {
	return fetch[ModelList](ctx, m.client, sending{method: http.MethodGet, path: "/v1/models"})
}
