package sluice

// Orders as handles for as long as they live. This file is handwritten: the generated API knows single requests.

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
func (o *Orders) Place(ctx context.Context, request ChatCompletionRequest) (*OrderHandle, error) {
	create := o.client.API.InferenceAPI.CreateDetachedChatCompletion(ctx)
	accepted, err := done(create.ChatCompletionRequest(request).Execute())
	if err != nil {
		return nil, err
	}
	return &OrderHandle{ID: accepted.Id, Status: accepted.Status, client: o.client}, nil
}

// Preview is what a request would be held for, cost and wait. Nothing is placed.
func (o *Orders) Preview(ctx context.Context, request ChatCompletionRequest) (*DryRun, error) {
	return done(o.client.API.InferenceAPI.DryRunChatCompletion(ctx).ChatCompletionRequest(request).Execute())
}

// Get finds an order by its id.
func (o *Orders) Get(ctx context.Context, id string) (*OrderHandle, error) {
	handle := &OrderHandle{ID: id, client: o.client}
	if err := handle.Refresh(ctx); err != nil {
		return nil, err
	}
	return handle, nil
}

// List has the orders that a request chooses, newest first, and asks for the next page when the loop gets there:
//
//	client.Orders.List(client.API.OrdersAPI.ListOrders(ctx).Status([]string{"done"}))
func (o *Orders) List(request ApiListOrdersRequest) iter.Seq2[*OrderHandle, error] {
	return pages(func(cursor string) ([]*OrderHandle, string, bool, error) {
		list, err := done(request.Include(allOfOrder).Cursor(cursor).Execute())
		var handles []*OrderHandle
		for _, order := range list.GetData() {
			handles = append(handles, &OrderHandle{ID: order.Id, Status: order.Status, Order: &order, client: o.client})
		}
		return handles, list.GetNextCursor(), list.GetHasMore(), err
	})
}

// The items of a list. `ask` gets "", and then where the next page begins, and says whether there is one.
func pages[T any](ask func(after string) ([]T, string, bool, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for after, hasMore := "", true; hasMore; {
			items, next, isPart, err := ask(after)
			if err != nil {
				items, isPart = make([]T, 1), false
			}
			for _, item := range items {
				if !yield(item, err) {
					return
				}
			}
			after, hasMore = next, isPart
		}
	}
}

var allOfOrder = []string{"usage", "pricing"}

// Refresh asks for the order.
func (h *OrderHandle) Refresh(ctx context.Context) error {
	ask := h.client.API.OrdersAPI.GetOrder(ctx, h.ID).Include(allOfOrder)
	order, err := done(ask.Execute())
	if err == nil {
		h.Order, h.Status = order, order.Status
	}
	return err
}

// Cancel ends a queued order, uncharged. It is no error when the order is canceled already.
func (h *OrderHandle) Cancel(ctx context.Context) error {
	canceled, err := done(h.client.API.OrdersAPI.CancelOrder(ctx, h.ID).Execute())
	if err == nil {
		h.Status = canceled.Status
		return nil
	}
	// An earlier attempt may have canceled it without an answer.
	var conflict *ConflictError
	if errors.As(err, &conflict) && h.Refresh(ctx) == nil && h.Status == "canceled" {
		return nil
	}
	return err
}

// Reprice changes the limit of a queued order, which joins the others at that price behind them. A ConflictError says why
// it cannot be: Code is not_queued, price_locked, fixed_price_model, too_large or max_charge_too_low.
func (h *OrderHandle) Reprice(ctx context.Context, limit Money) error {
	ask := h.client.API.OrdersAPI.RepriceOrders(ctx)
	for {
		result, err := done(ask.RepriceRequest(RepriceRequest{Ids: []string{h.ID}, PriceLimit: limit}).Execute())
		if err != nil || result.Changed > 0 || len(result.Data) == 0 {
			return err
		}
		conflict := &SluiceError{Status: http.StatusConflict, Code: result.Data[0].GetCode(), Message: result.Data[0].GetReason()}
		// The market did not confirm in time, and the order still waits.
		if conflict.Code != "unavailable" {
			conflict.OrderID, conflict.Charged = h.ID, h.client.chargeOf(ctx, h.ID)
			return &ConflictError{conflict}
		}
		if !sleep(ctx, firstPoll) {
			return lateError(ctx, "the market has not confirmed the price", h.ID)
		}
	}
}

// How the order ended; not every code means that nothing was charged.
func (h *OrderHandle) endOf(ctx context.Context, reason fault) error {
	if kinds[reason.Code].isUncharged {
		return errorOf(reason, h.ID, NotCharged)
	}
	return errorOf(reason, h.ID, h.client.chargeOf(ctx, h.ID))
}

// Result waits for the answer of a chat as long as the context allows. The error of an order that ended without an answer
// says so, and that nothing was charged. ResultBody has the answer of an order of another endpoint.
func (h *OrderHandle) Result(ctx context.Context) (*ChatCompletion, error) {
	body, err := h.ResultBody(ctx)
	if err != nil {
		return nil, err
	}
	return completionOf(h.ID, body)
}

// ResultBody is Result in the shape of the endpoint of the order; its numbers are json.Number.
func (h *OrderHandle) ResultBody(ctx context.Context) (map[string]any, error) {
	ask := h.client.API.OrdersAPI.GetOrderResult(ctx, h.ID)
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
		return nil, &UnexpectedAnswerError{&SluiceError{Message: err.Error(), OrderID: orderID, Charged: Charged, cause: err}}
	}
	return completion, nil
}

// OrderEvent is one event of an order's stream.
type OrderEvent struct {
	// Number counts from 0: StreamAfter goes on after it.
	Number int
	// Restarted: the gateway of the order ended, and it runs again. What came before this event no longer counts.
	Restarted bool
	// Name is that of the event, empty in chats, and Data its JSON, such as a ChatCompletionChunk.
	Name, Data string
	// Text is what the event adds to the text of the answer.
	Text string
}

// Stream has the events of the order from its first one. After a cut it goes on by itself, after the last event.
func (h *OrderHandle) Stream(ctx context.Context) iter.Seq2[OrderEvent, error] {
	return h.StreamAfter(ctx, -1)
}

// StreamAfter has the events after one with this number.
func (h *OrderHandle) StreamAfter(ctx context.Context, number int) iter.Seq2[OrderEvent, error] {
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
		err := h.client.follow(ctx, h.ID, open, take)
		if err != nil {
			yield(OrderEvent{}, err)
		}
	}
}

// What an event of the stream says: the error of the order, an event, or nil when it has no number.
func (h *OrderHandle) read(ctx context.Context, event StreamEvent) (*OrderEvent, error) {
	var shape struct {
		Type    string
		Error   fault
		Delta   any
		Choices []struct {
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
	if len(shape.Choices) > 0 {
		own.Text = shape.Choices[0].Delta.Content + shape.Choices[0].Text
	} else if block, isBlock := shape.Delta.(map[string]any); isBlock {
		own.Text, _ = block["text"].(string)
	} else if shape.Type == "response.output_text.delta" {
		own.Text, _ = shape.Delta.(string)
	}
	return own, nil
}

// The last events of other kinds than chat, whose stream ends with [DONE].
var isLast = map[string]bool{
	"message_stop": true, "response.completed": true, "response.incomplete": true, "response.failed": true,
}
