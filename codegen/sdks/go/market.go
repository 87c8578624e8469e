package sluice

// Market data that goes on after a cut. This file is handwritten: the generated streams end with their connection.

import (
	"context"
	"encoding/json"
	"iter"
	"time"
)

// Market has prices. It needs no key.
type Market struct{ client *Client }

// Levels has the level of each market, and then every change, for as long as the context lasts. It connects again
// after a cut; an error ends it.
func (m *Market) Levels(ctx context.Context, options ...CallOption) iter.Seq2[LevelsFrameEntry, error] {
	return func(yield func(LevelsFrameEntry, error) bool) {
		for fruitless := 0; ; fruitless++ {
			events, err := done(m.client.API.StreamsAPI.StreamLevels(With(ctx, options...)).Execute())
			if err != nil {
				yield(LevelsFrameEntry{}, err)
				return
			}
			for events.Next() {
				fruitless = 0
				if !eachLevel(events.Event(), yield) {
					events.Close()
					return
				}
			}
			if !sleep(ctx, min(firstBackoff<<min(fruitless, 10), longBackoff)) {
				yield(LevelsFrameEntry{}, lateError(ctx, "the context ended", ""))
				return
			}
		}
	}
}

// Returns whether the loop goes on.
func eachLevel(event StreamEvent, yield func(LevelsFrameEntry, error) bool) bool {
	var frame LevelsFrame
	if err := json.Unmarshal([]byte(event.Data), &frame); err != nil {
		return yield(LevelsFrameEntry{}, err)
	}
	for _, entry := range frame.Levels {
		if !yield(entry, nil) {
			return false
		}
	}
	return true
}

// Candles has the levels of a market over a span (1h, 24h, 7d or 30d), in buckets of this length or the next shorter.
func (m *Market) Candles(ctx context.Context, model, span string, bucket time.Duration) (*MarketCandles, error) {
	ask := m.client.API.MarketAPI.GetMarketCandles(ctx).Model(model).Range_(span)
	return done(ask.Bucket(int32(bucket / time.Second)).Execute())
}

// Quote is what a locked order would bid at most now.
func (m *Market) Quote(ctx context.Context, model string) (*Quote, error) {
	return done(m.client.API.MarketAPI.GetPriceLock(ctx).Model(model).Execute())
}

// Models lists what is sold.
func (m *Market) Models(ctx context.Context) (*ModelList, error) {
	return done(m.client.API.ModelsAPI.ListModels(ctx).Execute())
}
