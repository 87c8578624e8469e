package sluice

// Market data that goes on after a cut. This file is handwritten: the generated streams end with their connection.

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"
)

// Market has prices. It needs no key.
type Market struct{ client *Client }

// Levels has the level of each market, and then every change, for as long as the context lasts. It connects again
// after a cut, and while the gateway is away or busy; any other error ends it.
func (m *Market) Levels(ctx context.Context) iter.Seq2[LevelsFrameEntry, error] {
	return func(yield func(LevelsFrameEntry, error) bool) {
		open := func() (*EventStream, error) { return done(m.client.API.StreamsAPI.StreamLevels(ctx).Execute()) }
		err := m.client.follow(ctx, "", open, func(event StreamEvent) (isOver bool, err error) {
			var frame LevelsFrame
			err = json.Unmarshal([]byte(event.Data), &frame)
			for index := 0; index < len(frame.Levels) && !isOver; index++ {
				isOver = !yield(frame.Levels[index], nil)
			}
			return isOver, err
		})
		if err != nil {
			yield(LevelsFrameEntry{}, err)
		}
	}
}

// Reads a stream and connects again after each cut until `take` says that it is over: without an order for as long as the
// context lasts, with one until the last retries brought nothing.
func (c *Client) follow(ctx context.Context, orderID string, open func() (*EventStream, error), take func(StreamEvent) (bool, error)) error {
	for fruitless := 0; ; fruitless++ {
		events, err := open()
		var failure *SluiceError
		isPassing := orderID == "" && errors.As(err, &failure) && failure.Retryable
		if err != nil && !isPassing {
			return err
		}
		for err == nil && events.Next() {
			fruitless = 0
			if isOver, err := take(events.Event()); isOver || err != nil {
				events.Close()
				return err
			}
		}
		if err == nil {
			err = cmp.Or(events.Err(), errors.New("the stream ended before its last event"))
		}
		isLast := orderID != "" && fruitless > c.maxRetries
		if !isLast && sleep(ctx, backoff(fruitless)) {
			continue
		}
		if ctx.Err() != nil {
			return lateError(ctx, err.Error(), orderID)
		}
		return &ConnectionError{&SluiceError{
			Message: err.Error(), OrderID: orderID, Retryable: true, Charged: c.chargeOf(ctx, orderID), cause: err,
		}}
	}
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
