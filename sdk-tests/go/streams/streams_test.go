// The Go client's streams: its reader of events, and its methods against servers that behave oddly.
package streams

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"reflect"
	"strings"
	"testing"

	sluice "github.com/sluice-gateway/sluice-go"
)

type part struct {
	Text  string
	Event *struct{ Event, ID, Data string }
}

func sample(t *testing.T) []part {
	text, err := os.ReadFile("../events.json")
	if err != nil {
		t.Fatal(err)
	}
	var parts []part
	if err := json.Unmarshal(text, &parts); err != nil {
		t.Fatal(err)
	}
	return parts
}

func (p part) event() sluice.StreamEvent {
	return sluice.StreamEvent{Event: p.Event.Event, ID: p.Event.ID, Data: p.Event.Data}
}

func joined(parts []part) (whole string, events []sluice.StreamEvent) {
	for _, part := range parts {
		whole += part.Text
		if part.Event != nil {
			events = append(events, part.event())
		}
	}
	return whole, events
}

// A body that arrives in these pieces, and then ends.
type pieces struct {
	left   []string
	end    error
	closed bool
}

func (p *pieces) Read(into []byte) (int, error) {
	for len(p.left) > 0 {
		count := copy(into, p.left[0])
		if p.left[0] = p.left[0][count:]; p.left[0] == "" {
			p.left = p.left[1:]
		}
		if count > 0 {
			return count, nil
		}
	}
	return 0, p.end
}

func (p *pieces) Close() error {
	p.closed = true
	return nil
}

func eventsOf(stream *sluice.EventStream) (events []sluice.StreamEvent, err error) {
	for stream.Next() {
		events = append(events, stream.Event())
	}
	return events, stream.Err()
}

func read(texts ...string) ([]sluice.StreamEvent, error) {
	return eventsOf(sluice.NewEventStream(&pieces{left: texts, end: io.EOF}, sluice.EventBytesMax))
}

func isCut(err error) bool {
	var cut *sluice.StreamCutError
	return errors.As(err, &cut)
}

func isTooLarge(err error) bool {
	var tooLarge *sluice.EventTooLargeError
	return errors.As(err, &tooLarge)
}

func TestTheSameEventsWhereverTheStreamIsCutInTwo(t *testing.T) {
	whole, expected := joined(sample(t))
	for at := 0; at <= len(whole); at++ {
		events, err := read(whole[:at], whole[at:])
		if err != nil || !reflect.DeepEqual(events, expected) {
			t.Fatalf("cut at byte %d: %v %q", at, err, events)
		}
	}
}

func TestTheSameEventsByteByByte(t *testing.T) {
	whole, expected := joined(sample(t))
	var bytes []string
	for at := 0; at < len(whole); at++ {
		bytes = append(bytes, whole[at:at+1])
	}
	events, err := read(bytes...)
	if err != nil || !reflect.DeepEqual(events, expected) {
		t.Fatalf("%v %q", err, events)
	}
}

func TestWholeEventsAndThenAnErrorUnlessItEndsBetweenTwo(t *testing.T) {
	parts := sample(t)
	whole, _ := joined(parts)
	begin := 0
	var before []sluice.StreamEvent
	for _, part := range parts {
		end := begin + len(part.Text)
		for at := begin + 1; at <= end; at++ {
			isWhole := at == end || strings.HasSuffix(part.Text, "\r\n") && at == end-1
			expected := append([]sluice.StreamEvent{}, before...)
			if isWhole && part.Event != nil {
				expected = append(expected, part.event())
			}
			events, err := read(whole[:at])
			if len(events) != len(expected) || len(events) > 0 && !reflect.DeepEqual(events, expected) {
				t.Fatalf("ended at byte %d: %q", at, events)
			}
			isBetween := isWhole || strings.TrimSpace(part.Text) == ""
			if isCut(err) == isBetween {
				t.Fatalf("ended at byte %d: %v", at, err)
			}
		}
		begin = end
		if part.Event != nil {
			before = append(before, part.event())
		}
	}
}

func TestWhatIsNotUtf8IsReplaced(t *testing.T) {
	events, err := read("data: a\xffb\n\n")
	if err != nil || events[0].Data != "a\uFFFDb" {
		t.Fatalf("%v %q", err, events)
	}
}

func TestEventsComeBeforeAFailureThatSaysWhereToGoOn(t *testing.T) {
	cause := errors.New("reset")
	body := &pieces{left: []string{"id: 7\ndata: a\n\ndata: b\n\n", "id: 8\nda"}, end: cause}
	stream := sluice.NewEventStream(body, sluice.EventBytesMax)
	events, err := eventsOf(stream)
	if len(events) != 2 || events[1].Data != "b" || stream.LastEventID() != "7" {
		t.Fatalf("%q after %q", events, stream.LastEventID())
	}
	var cut *sluice.StreamCutError
	if !errors.As(err, &cut) || cut.LastEventID != "7" || !errors.Is(err, cause) || !body.closed {
		t.Fatal(err)
	}
}

func TestAnEventHasABoundBeyondWhichTheConnectionIsClosed(t *testing.T) {
	comment := ":" + strings.Repeat(" ", 29) + "\n"
	begin := comment + comment + "data: 23456789\ndata: 2345\n\ndata: 234567890"
	body := &pieces{left: []string{begin, "1234567", "data: 234567890"}, end: io.EOF}
	events, err := eventsOf(sluice.NewEventStream(body, 30))
	if len(events) != 1 || !isTooLarge(err) || !body.closed {
		t.Fatalf("%v %q", err, events)
	}
	unended := &pieces{left: []string{strings.Repeat("x", 31)}, end: io.EOF}
	if _, err := eventsOf(sluice.NewEventStream(unended, 30)); !isTooLarge(err) {
		t.Fatal(err)
	}
	fits := &pieces{left: []string{"data: 23456789\ndata: 234567890\n\n"}, end: io.EOF}
	if events, err := eventsOf(sluice.NewEventStream(fits, 30)); err != nil || len(events) != 1 {
		t.Fatalf("%v %q", err, events)
	}
}

// The request for a stream from a server that answers with one event of this type, and then does this.
func served(t *testing.T, contentType string, then func(*http.Request)) sluice.ApiStreamOrderRequest {
	return requestTo(t, func(answer http.ResponseWriter, request *http.Request) {
		answer.Header().Set("Content-Type", contentType)
		io.WriteString(answer, "id: 3\ndata: a\n\n")
		answer.(http.Flusher).Flush()
		then(request)
	})
}

func requestTo(t *testing.T, handler http.HandlerFunc) sluice.ApiStreamOrderRequest {
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	configuration := sluice.NewConfiguration()
	configuration.Servers[0].URL = server.URL
	return sluice.NewAPIClient(configuration).StreamsAPI.StreamOrder(context.Background(), "1")
}

func TestARequestSendsItsParametersAndTheKey(t *testing.T) {
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(answer http.ResponseWriter, request *http.Request) {
		for _, name := range []string{"Accept", "Authorization", "Last-Event-ID"} {
			asked = append(asked, request.Header.Get(name))
		}
		asked = append(asked, request.RequestURI)
		answer.Header().Set("Content-Type", "text/event-stream")
	}))
	defer server.Close()
	configuration := sluice.NewConfiguration()
	configuration.Servers[0].URL = server.URL
	ctx := context.WithValue(context.Background(), sluice.ContextAccessToken, "sk")
	request := sluice.NewAPIClient(configuration).StreamsAPI.StreamOrder(ctx, "a/b").StartingAfter(0).LastEventID(7)
	stream, _, err := request.Execute()
	if err != nil || stream.Next() || stream.Err() != nil {
		t.Fatal(err)
	}
	expected := []string{"text/event-stream", "Bearer sk", "7", "/v1/orders/a%2Fb/stream?starting_after=0"}
	if !reflect.DeepEqual(asked, expected) {
		t.Fatalf("%q", asked)
	}
}

func TestAStreamThatIsClosedClosesItsConnection(t *testing.T) {
	left := make(chan struct{})
	stream, _, err := served(t, "text/event-stream", func(request *http.Request) {
		<-request.Context().Done()
		close(left)
	}).Execute()
	if err != nil || !stream.Next() || stream.Event().Data != "a" {
		t.Fatal(err)
	}
	stream.Close()
	<-left
	if stream.Next() || stream.Err() != nil {
		t.Fatal(stream.Err())
	}
}

func TestAStreamIsCutWhenItsConnectionIsAlsoBetweenTwoEvents(t *testing.T) {
	stream, _, err := served(t, "text/event-stream", func(*http.Request) { panic(http.ErrAbortHandler) }).Execute()
	if err != nil {
		t.Fatal(err)
	}
	events, err := eventsOf(stream)
	var cut *sluice.StreamCutError
	if len(events) != 1 || !errors.As(err, &cut) || cut.LastEventID != "3" {
		t.Fatalf("%v %q", err, events)
	}
}

func TestAStreamEndsWhenTheAnswerDoes(t *testing.T) {
	stream, _, err := served(t, "text/event-stream", func(*http.Request) {}).Execute()
	if err != nil {
		t.Fatal(err)
	}
	if events, err := eventsOf(stream); len(events) != 1 || err != nil {
		t.Fatalf("%v %q", err, events)
	}
}

func TestAStreamIsRefusedLikeAnyOtherOperation(t *testing.T) {
	_, response, err := requestTo(t, func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Content-Type", "application/json")
		answer.WriteHeader(http.StatusNotFound)
		io.WriteString(answer, `{"error": {"message": "No.", "type": "t", "code": "order_not_found", "param": null}}`)
	}).Execute()
	var failure *sluice.GenericOpenAPIError
	if !errors.As(err, &failure) || response.StatusCode != http.StatusNotFound {
		t.Fatal(err)
	}
	if refusal, ok := failure.Model().(sluice.ErrorEnvelope); !ok || refusal.Error.GetCode() != "order_not_found" {
		t.Fatal(failure.Model())
	}
}

func TestAnAnswerOfAnotherTypeIsNoStream(t *testing.T) {
	_, _, err := served(t, "text/html", func(*http.Request) {}).Execute()
	if err == nil || !strings.Contains(err.Error(), "not a stream") {
		t.Fatal(err)
	}
}
