package sluice

// Orders as handles that are placed once, and followed, repriced and collected for as long as they live. This file is
// handwritten: the generated API knows single requests.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strconv"
	"time"
)

// Orders places and finds orders.
type Orders struct{ client *Client }

// OrderHandle is one order. Its fields are those of the last answer about it; Refresh asks again.
type OrderHandle struct {
	ID, Status string
	// Order has all fields, with usage and pricing; nil until Refresh, and after Place.
	Order  *Order
	client *Client
}

const (
	firstPoll = 200 * time.Millisecond
	longPoll  = 2 * time.Second
)

// UserMessage is a message of a conversation with this text.
func UserMessage(text string) ChatMessage {
	return ChatMessage{Role: "user", Content: text}
}

// Place sends an order that goes on without this program. All attempts have one Idempotency-Key, so it is placed once.
func (o *Orders) Place(ctx context.Context, request ChatCompletionRequest, options ...CallOption) (*OrderHandle, error) {
	create := o.client.API.InferenceAPI.CreateDetachedChatCompletion(With(ctx, options...))
	accepted, err := done(create.ChatCompletionRequest(request).Execute())
	if err != nil {
		return nil, err
	}
	return &OrderHandle{ID: accepted.Id, Status: accepted.Status, client: o.client}, nil
}

// Preview is what a request would be held for, cost and wait. Nothing is placed.
func (o *Orders) Preview(ctx context.Context, request ChatCompletionRequest, options ...CallOption) (*DryRun, error) {
	ask := o.client.API.InferenceAPI.DryRunChatCompletion(With(ctx, options...))
	return done(ask.ChatCompletionRequest(request).Execute())
}

// Get finds an order by its id.
func (o *Orders) Get(ctx context.Context, id string, options ...CallOption) (*OrderHandle, error) {
	handle := &OrderHandle{ID: id, client: o.client}
	if err := handle.Refresh(ctx, options...); err != nil {
		return nil, err
	}
	return handle, nil
}

// OrderFilter chooses orders; the zero value all.
type OrderFilter struct {
	Status                 []string
	Model, Kind, Batch, ID string
	// From and To include the moments themselves, by the time when the order was created.
	From, To time.Time
}

// List has the orders, newest first. It asks for the next page when the loop gets there.
func (o *Orders) List(ctx context.Context, filter OrderFilter, options ...CallOption) iter.Seq2[*OrderHandle, error] {
	ask := o.client.API.OrdersAPI.ListOrders(With(ctx, options...)).Include(allOfOrder)
	ask = ask.Model(filter.Model).Kind(filter.Kind).Batch(filter.Batch).Id(filter.ID)
	if len(filter.Status) > 0 {
		ask = ask.Status(filter.Status)
	}
	if !filter.From.IsZero() {
		ask = ask.From(filter.From)
	}
	if !filter.To.IsZero() {
		ask = ask.To(filter.To)
	}
	return func(yield func(*OrderHandle, error) bool) {
		for {
			list, err := done(ask.Execute())
			if err != nil {
				yield(nil, err)
				return
			}
			for index := range list.Data {
				order := &list.Data[index]
				if !yield(&OrderHandle{ID: order.Id, Status: order.Status, Order: order, client: o.client}, nil) {
					return
				}
			}
			if !list.HasMore || list.NextCursor.Get() == nil {
				return
			}
			ask = ask.Cursor(*list.NextCursor.Get())
		}
	}
}

var allOfOrder = []string{"usage", "pricing"}

// Refresh asks for the order.
func (h *OrderHandle) Refresh(ctx context.Context, options ...CallOption) error {
	ask := h.client.API.OrdersAPI.GetOrder(With(ctx, options...), h.ID).Include(allOfOrder)
	order, err := done(ask.Execute())
	if err == nil {
		h.Order, h.Status = order, order.Status
	}
	return err
}

// Cancel ends a queued order, uncharged. It is no error when the order is canceled already.
func (h *OrderHandle) Cancel(ctx context.Context, options ...CallOption) error {
	canceled, err := done(h.client.API.OrdersAPI.CancelOrder(With(ctx, options...), h.ID).Execute())
	if err == nil {
		h.Status = canceled.Status
		return nil
	}
	// An earlier attempt may have canceled it without an answer.
	var conflict *ConflictError
	if errors.As(err, &conflict) && h.Refresh(ctx, options...) == nil && h.Status == "canceled" {
		return nil
	}
	return err
}

// Reprice changes the limit of a queued order, which joins the others at that price behind them. A ConflictError says why
// it cannot be: Code is not_queued, price_locked, fixed_price_model, too_large or max_charge_too_low.
func (h *OrderHandle) Reprice(ctx context.Context, limit Money, options ...CallOption) error {
	request := RepriceRequest{Ids: []string{h.ID}, PriceLimit: limit}
	for failures := 0; ; failures++ {
		reprice := h.client.API.OrdersAPI.RepriceOrders(With(ctx, options...)).RepriceRequest(request)
		result, err := done(reprice.Execute())
		if err != nil || result.Changed > 0 || len(result.Data) == 0 {
			return err
		}
		entry := result.Data[0]
		// The market did not confirm in time, and the order still waits.
		if entry.GetCode() == "unavailable" && failures < h.client.maxRetries && sleep(ctx, firstBackoff<<min(failures, 4)) {
			continue
		}
		conflict := &SluiceError{Message: entry.GetReason(), Code: entry.GetCode(), Status: http.StatusConflict}
		conflict.OrderID, conflict.Charged = h.ID, h.charge(ctx)
		return conflict.typed()
	}
}

// Whether it was charged, as far as it can be known now.
func (h *OrderHandle) charge(ctx context.Context) Charge {
	if h.Refresh(ctx) != nil {
		return ChargeUnknown
	}
	switch h.Status {
	case "done":
		return Charged
	case "queued", "executing":
		return ChargeUnknown
	}
	return NotCharged
}

// Completion is the answer of an order.
type Completion struct {
	OrderID string
	// Body is the answer in the shape of the endpoint of the order.
	Body json.RawMessage
	// Chat is the answer of a chat completion; nil for the other kinds.
	Chat *ChatCompletion
	// Charge is what the order cost, exactly; empty in old results.
	Charge Money
}

// Text is that of the first choice; empty when there is none.
func (c *Completion) Text() string {
	if c.Chat == nil || len(c.Chat.Choices) == 0 {
		return ""
	}
	return c.Chat.Choices[0].Message.GetContent()
}

// Result waits until the order ends, as long as the context allows. The error of an order that ended without an answer
// says so, and that nothing was charged.
func (h *OrderHandle) Result(ctx context.Context, options ...CallOption) (*Completion, error) {
	type stored struct {
		Status string
		Body   json.RawMessage
		Error  *orderFault
	}
	for wait := firstPoll; ; wait = min(wait*3/2, longPoll) {
		// The generated result has the answer as a map, in which amounts are float64.
		_, response, err := h.client.API.OrdersAPI.GetOrderResult(With(ctx, options...), h.ID).Execute()
		var result stored
		if err == nil {
			err = json.NewDecoder(response.Body).Decode(&result)
		}
		if _, err := done(result, response, err); err != nil {
			return nil, err
		}
		h.Status = result.Status
		switch {
		case result.Error != nil:
			return nil, endOf(h.ID, *result.Error)
		case len(result.Body) > 0 && string(result.Body) != "null":
			return completionOf(h.ID, result.Body)
		}
		if !sleep(ctx, wait) {
			return nil, lateError(ctx, "the order has not ended: ask again", h.ID)
		}
	}
}

func completionOf(orderID string, body json.RawMessage) (*Completion, error) {
	var shape struct {
		Object string
		Usage  struct {
			Market struct {
				Charged Money `json:"charged_usd"`
			} `json:"x_market"`
		}
	}
	completion := &Completion{OrderID: orderID, Body: body}
	err := json.Unmarshal(body, &shape)
	completion.Charge = shape.Usage.Market.Charged
	if err == nil && shape.Object == "chat.completion" {
		err = json.Unmarshal(body, &completion.Chat)
	}
	if err != nil {
		failure := &SluiceError{Message: err.Error(), OrderID: orderID, Charged: Charged, cause: err}
		return nil, &UnexpectedAnswerError{failure}
	}
	return completion, nil
}

// OrderEvent is one event of an order's stream.
type OrderEvent struct {
	// Number counts from 0: StreamAfter goes on after it.
	Number int
	// Restarted: the gateway of the order ended, and it runs again. What came before this event no longer counts.
	Restarted bool
	// Name is that of the event, and Data its JSON.
	Name, Data string
	// Chunk is the event of a chat completion; nil for other kinds.
	Chunk *ChatCompletionChunk
}

// Text is what the event adds to the text of a chat completion.
func (e OrderEvent) Text() string {
	if e.Chunk == nil || len(e.Chunk.Choices) == 0 {
		return ""
	}
	text, _ := e.Chunk.Choices[0].Delta["content"].(string)
	return text
}

// Stream has the events of the order from its first one. After a cut it goes on by itself, after the last event.
func (h *OrderHandle) Stream(ctx context.Context, options ...CallOption) iter.Seq2[OrderEvent, error] {
	return h.StreamAfter(ctx, -1, options...)
}

// StreamAfter has the events after one with this number.
func (h *OrderHandle) StreamAfter(ctx context.Context, number int, options ...CallOption) iter.Seq2[OrderEvent, error] {
	return func(yield func(OrderEvent, error) bool) {
		f := &follower{handle: h, last: number, yield: yield}
		ctx := With(ctx, options...)
		for fruitless := 0; ; fruitless++ {
			before := f.last
			isOver, err := f.follow(ctx)
			if isOver {
				return
			}
			if f.last != before {
				fruitless = 0
			}
			if fruitless >= h.client.maxRetries || !sleep(ctx, firstBackoff<<min(fruitless, 4)) {
				yield(OrderEvent{}, h.cutError(ctx, err))
				return
			}
		}
	}
}

func (h *OrderHandle) cutError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return lateError(ctx, err.Error(), h.ID)
	}
	failure := &SluiceError{Message: err.Error(), OrderID: h.ID, Retryable: true, Charged: h.charge(ctx), cause: err}
	return &ConnectionError{failure}
}

type follower struct {
	handle    *OrderHandle
	last      int
	restarted bool
	yield     func(OrderEvent, error) bool
}

// Follows one connection. Returns whether the loop is over, by the last event or because its body left; else how it was cut.
func (f *follower) follow(ctx context.Context) (bool, error) {
	open := f.handle.client.API.StreamsAPI.StreamOrder(ctx, f.handle.ID)
	if f.last >= 0 {
		open = open.StartingAfter(int32(f.last))
	}
	events, err := done(open.Execute())
	var conflict *ConflictError
	if f.last >= 0 && errors.As(err, &conflict) && conflict.Code == "stream_restarted" {
		f.last, f.restarted = -1, true
		return false, err
	}
	if err != nil {
		f.yield(OrderEvent{}, err)
		return true, nil
	}
	defer events.Close()
	for events.Next() {
		if f.take(ctx, events.Event()) {
			return true, nil
		}
	}
	if err := events.Err(); err != nil {
		return false, err
	}
	return false, &StreamCutError{LastEventID: events.LastEventID(), Err: errors.New("it ended before its last event")}
}

// Hands one event on. Returns whether it was the last, or the loop was left.
func (f *follower) take(ctx context.Context, event StreamEvent) bool {
	if event.Data == "[DONE]" {
		return true
	}
	var failed struct{ Error *orderFault }
	if json.Unmarshal([]byte(event.Data), &failed) == nil && failed.Error != nil && failed.Error.Code != "" {
		end := endOf(f.handle.ID, *failed.Error)
		var failure *SluiceError
		if errors.As(end, &failure) && failed.Error.Code == "settlement_uncertain" {
			failure.Charged = f.handle.charge(ctx)
		}
		f.yield(OrderEvent{}, end)
		return true
	}
	number, err := strconv.Atoi(event.ID)
	if err != nil {
		return false
	}
	own := OrderEvent{Number: number, Restarted: f.restarted, Name: event.Event, Data: event.Data}
	var shape struct{ Object string }
	if json.Unmarshal([]byte(event.Data), &shape) == nil && shape.Object == "chat.completion.chunk" {
		own.Chunk = new(ChatCompletionChunk)
		if err := json.Unmarshal([]byte(event.Data), own.Chunk); err != nil {
			f.yield(own, fmt.Errorf("event %d: %w", number, err))
			return true
		}
	}
	f.last, f.restarted = number, false
	return !f.yield(own, nil) || isLast[event.Event]
}

// The last events of other kinds than chat, whose stream ends with [DONE].
var isLast = map[string]bool{
	"message_stop": true, "response.completed": true, "response.incomplete": true, "response.failed": true,
}
