package sluice

// Orders as handles that are placed once, and followed, repriced and collected for as long as they live. This file is
// handwritten: the generated API knows single requests.

import (
	"context"
	"encoding/json"
	"errors"
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
	// Order has all fields, with usage and pricing; nil between Place and Refresh.
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

// List has the orders that a request chooses, newest first, and asks for the next page when the loop gets there:
//
//	client.Orders.List(client.API.OrdersAPI.ListOrders(ctx).Status([]string{"done"}))
func (o *Orders) List(request ApiListOrdersRequest) iter.Seq2[*OrderHandle, error] {
	return pages(func(cursor string) ([]*OrderHandle, string, error) {
		list, err := done(request.Include(allOfOrder).Cursor(cursor).Execute())
		var handles []*OrderHandle
		for _, order := range list.GetData() {
			handles = append(handles, &OrderHandle{ID: order.Id, Status: order.Status, Order: &order, client: o.client})
		}
		return handles, list.GetNextCursor(), err
	})
}

// The items of a list. `ask` gets "" and then where the next page begins, which it returns until there is none.
func pages[T any](ask func(after string) ([]T, string, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for after, isFirst := "", true; isFirst || after != ""; isFirst = false {
			items, next, err := ask(after)
			if err != nil {
				items, next = make([]T, 1), ""
			}
			for _, item := range items {
				if !yield(item, err) {
					return
				}
			}
			after = next
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
	ask := h.client.API.OrdersAPI.RepriceOrders(With(ctx, options...))
	for {
		result, err := done(ask.RepriceRequest(RepriceRequest{Ids: []string{h.ID}, PriceLimit: limit}).Execute())
		if err != nil || result.Changed > 0 || len(result.Data) == 0 {
			return err
		}
		reason := fault{Message: result.Data[0].GetReason(), Code: result.Data[0].GetCode()}
		// The market did not confirm in time, and the order still waits.
		if reason.Code != "unavailable" {
			return errorOf(http.StatusConflict, reason, h.ID, h.charge(ctx))
		}
		if !sleep(ctx, firstPoll) {
			return lateError(ctx, "the market has not confirmed the price", h.ID)
		}
	}
}

func (h *OrderHandle) charge(ctx context.Context) Charge { return h.client.chargeOf(ctx, h.ID) }

// How the order ended. An order whose settlement is uncertain may be charged yet.
func (h *OrderHandle) endOf(ctx context.Context, reason fault) error {
	if reason.Code == "settlement_uncertain" {
		return errorOf(http.StatusInternalServerError, reason, h.ID, h.charge(ctx))
	}
	return endOf(h.ID, reason)
}

// Result waits for the answer of a chat as long as the context allows. The error of an order that ended without an answer
// says so, and that nothing was charged. ResultBody has the answer of an order of another endpoint.
func (h *OrderHandle) Result(ctx context.Context, options ...CallOption) (*ChatCompletion, error) {
	body, err := h.ResultBody(ctx, options...)
	if err != nil {
		return nil, err
	}
	return completionOf(h.ID, body)
}

// ResultBody is Result in the shape of the endpoint of the order; its numbers are json.Number.
func (h *OrderHandle) ResultBody(ctx context.Context, options ...CallOption) (map[string]any, error) {
	ask := h.client.API.OrdersAPI.GetOrderResult(With(ctx, options...), h.ID)
	for wait := firstPoll; ; wait = min(wait*3/2, longPoll) {
		result, err := done(ask.Execute())
		if err != nil {
			return nil, err
		}
		h.Status = result.Status
		if end := result.Error.Get(); end != nil {
			return nil, h.endOf(ctx, fault{Message: end.Message, Code: end.Code})
		}
		if result.Body != nil {
			return result.Body, nil
		}
		if !sleep(ctx, wait) {
			return nil, lateError(ctx, "the order has not ended: ask again", h.ID)
		}
	}
}

func completionOf(orderID string, body map[string]any) (*ChatCompletion, error) {
	text, err := json.Marshal(body)
	completion := new(ChatCompletion)
	if err = errors.Join(err, json.Unmarshal(text, completion)); err != nil {
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
	// Name is that of the event, empty in chats, and Data its JSON.
	Name, Data string
	// Text is what the event adds to the text of the answer.
	Text string
	// Chunk is the event of a chat completion; nil for other kinds.
	Chunk *ChatCompletionChunk
}

// Stream has the events of the order from its first one. After a cut it goes on by itself, after the last event.
func (h *OrderHandle) Stream(ctx context.Context, options ...CallOption) iter.Seq2[OrderEvent, error] {
	return h.StreamAfter(ctx, -1, options...)
}

// StreamAfter has the events after one with this number.
func (h *OrderHandle) StreamAfter(ctx context.Context, number int, options ...CallOption) iter.Seq2[OrderEvent, error] {
	ctx = With(ctx, options...)
	return func(yield func(OrderEvent, error) bool) {
		last, restarted := number, false
		open := func() (*EventStream, error) {
			ask := h.client.API.StreamsAPI.StreamOrder(ctx, h.ID)
			if last < 0 {
				return done(ask.Execute())
			}
			events, err := done(ask.StartingAfter(int32(last)).Execute())
			var conflict *ConflictError
			if errors.As(err, &conflict) && conflict.Code == "stream_restarted" {
				last, restarted = -1, true
				return done(ask.Execute())
			}
			return events, err
		}
		take := func(event StreamEvent) (isOver bool, err error) {
			if event.Data == "[DONE]" {
				return true, nil
			}
			own, err := h.read(ctx, event)
			if err != nil || own == nil {
				return false, err
			}
			own.Restarted, restarted, last = restarted, false, own.Number
			return !yield(*own, nil) || isLast[event.Event], nil
		}
		err := follow(ctx, h.client.maxRetries+1, open, take)
		var known *SluiceError
		if err != nil && ctx.Err() != nil {
			err = lateError(ctx, err.Error(), h.ID)
		} else if err != nil && !errors.As(err, &known) {
			failure := &SluiceError{Message: err.Error(), OrderID: h.ID, Retryable: true, Charged: h.charge(ctx), cause: err}
			err = &ConnectionError{failure}
		}
		if err != nil {
			yield(OrderEvent{}, err)
		}
	}
}

// What an event of the stream says: the error of the order, an event, or nil when it has no number.
func (h *OrderHandle) read(ctx context.Context, event StreamEvent) (*OrderEvent, error) {
	var shape struct {
		Object, Type string
		Error        fault
		Delta        any
		Choices      []struct {
			Text  string
			Delta struct{ Content string }
		}
	}
	// What has another shape adds no text.
	_ = json.Unmarshal([]byte(event.Data), &shape)
	if shape.Error.Code != "" {
		return nil, h.endOf(ctx, shape.Error)
	}
	number, err := strconv.Atoi(event.ID)
	if err != nil {
		return nil, nil
	}
	own := &OrderEvent{Number: number, Name: event.Event, Data: event.Data}
	for _, choice := range shape.Choices[:min(len(shape.Choices), 1)] {
		own.Text = choice.Delta.Content + choice.Text
	}
	switch delta := shape.Delta.(type) {
	case string:
		if shape.Type == "response.output_text.delta" {
			own.Text = delta
		}
	case map[string]any:
		own.Text, _ = delta["text"].(string)
	}
	if shape.Object == "chat.completion.chunk" {
		err = json.Unmarshal([]byte(event.Data), &own.Chunk)
	}
	return own, err
}

// The last events of other kinds than chat, whose stream ends with [DONE].
var isLast = map[string]bool{
	"message_stop": true, "response.completed": true, "response.incomplete": true, "response.failed": true,
}
