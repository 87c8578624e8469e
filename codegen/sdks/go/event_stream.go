package sluice

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
)

// A stream of server-sent events, read one at a time. This file is part of the Go client and handwritten: it is copied
// into it as it is. It does not connect again by itself, because only its caller knows which events it has.

// EventBytesMax is the most bytes that the lines of one event may have together: eight times the largest request by
// default.
const EventBytesMax = 64 << 20

const pieceBytes = 64 << 10

// StreamEvent is one event of a stream.
type StreamEvent struct {
	// Event is its name; empty when it has none.
	Event string
	// ID is the number or name by which a stream goes on after it; empty when it has none.
	ID string
	// Data is its text: JSON or, at the end of some streams, [DONE].
	Data string
}

// StreamCutError says that the connection ended in the middle of a stream, which can go on after LastEventID.
type StreamCutError struct {
	// LastEventID is that of the last event that had one; empty when none had.
	LastEventID string
	// Err says how it ended.
	Err error
}

func (e *StreamCutError) Error() string {
	if e.LastEventID == "" {
		return fmt.Sprintf("the stream was cut after no event: %v", e.Err)
	}
	return fmt.Sprintf("the stream was cut after event %s: %v", e.LastEventID, e.Err)
}

// Unwrap returns how the connection ended.
func (e *StreamCutError) Unwrap() error { return e.Err }

// EventTooLargeError says that an event is larger than the bound, in bytes; the stream was closed.
type EventTooLargeError struct{ BytesMax int }

func (e *EventTooLargeError) Error() string {
	return fmt.Sprintf("an event of the stream has more than %d bytes", e.BytesMax)
}

// EventStream has the events of a response, in order:
//
//	defer stream.Close()
//	for stream.Next() {
//		event := stream.Event()
//	}
//	err := stream.Err()
//
// It keeps one event and what came in the same piece. It is for one goroutine; the end of its context ends a Next that
// waits.
type EventStream struct {
	body        io.ReadCloser
	parser      eventParser
	piece       []byte
	arrived     []arrivedEvent
	event       StreamEvent
	lastEventID string
	ended       bool
	err         error
}

// NewEventStream reads the events of a body; no event may have more than eventBytesMax bytes.
func NewEventStream(body io.ReadCloser, eventBytesMax int) *EventStream {
	return &EventStream{body: body, parser: eventParser{bytesMax: eventBytesMax, firstLine: true}}
}

// Next goes to the next event, and waits for it. It returns false at the end, and then Err says which end that is.
func (s *EventStream) Next() bool {
	for len(s.arrived) == 0 && !s.ended {
		s.read()
	}
	if len(s.arrived) == 0 {
		return false
	}
	s.event, s.lastEventID = s.arrived[0].event, s.arrived[0].lastEventID
	s.arrived = s.arrived[1:]
	return true
}

// Event returns the event to which Next went.
func (s *EventStream) Event() StreamEvent { return s.event }

// LastEventID returns that of the last event that had one, of those to which Next went; empty when none had.
func (s *EventStream) LastEventID() string { return s.lastEventID }

// Err returns nil when the stream has ended or goes on, a *StreamCutError, or an *EventTooLargeError.
func (s *EventStream) Err() error {
	if len(s.arrived) > 0 {
		return nil
	}
	return s.err
}

// Close ends the connection. The stream has no more events then.
func (s *EventStream) Close() error {
	s.ended = true
	s.arrived = nil
	return s.body.Close()
}

func (s *EventStream) read() {
	if s.piece == nil {
		s.piece = make([]byte, pieceBytes)
	}
	count, err := s.body.Read(s.piece)
	if tooLarge := s.parser.feed(s.piece[:count], &s.arrived); tooLarge != nil {
		s.end(tooLarge)
		return
	}
	switch {
	case err == nil:
	case err == io.EOF && !s.parser.inEvent():
		s.end(nil)
	case err == io.EOF:
		s.end(s.cut(errors.New("it ended within an event")))
	default:
		s.end(s.cut(err))
	}
}

func (s *EventStream) cut(err error) error {
	last := s.lastEventID
	if len(s.arrived) > 0 {
		last = s.arrived[len(s.arrived)-1].lastEventID
	}
	return &StreamCutError{LastEventID: last, Err: err}
}

func (s *EventStream) end(err error) {
	s.ended = true
	s.err = err
	s.body.Close()
}

// An event, and the last id when it came, which may be that of an earlier one.
type arrivedEvent struct {
	event       StreamEvent
	lastEventID string
}

// Server-sent events as the HTML standard reads them. Lines are decoded whole, so a piece may end within a character.
type eventParser struct {
	bytesMax    int
	line        []byte
	firstLine   bool
	afterReturn bool
	event       StreamEvent
	data        []string
	eventBytes  int
	lastEventID string
}

// Whether an event has begun and not ended.
func (p *eventParser) inEvent() bool { return len(p.line) > 0 || p.eventBytes > 0 }

// Adds the events that end in this piece to arrived.
func (p *eventParser) feed(piece []byte, arrived *[]arrivedEvent) error {
	for len(piece) > 0 {
		if p.afterReturn && piece[0] == '\n' {
			piece = piece[1:]
			p.afterReturn = false
			continue
		}
		p.afterReturn = false
		end := bytes.IndexAny(piece, "\r\n")
		if end < 0 {
			return p.hold(piece)
		}
		if err := p.hold(piece[:end]); err != nil {
			return err
		}
		p.afterReturn = piece[end] == '\r'
		p.endLine(arrived)
		piece = piece[end+1:]
	}
	return nil
}

func (p *eventParser) hold(piece []byte) error {
	if p.eventBytes+len(p.line)+len(piece) > p.bytesMax {
		return &EventTooLargeError{BytesMax: p.bytesMax}
	}
	p.line = append(p.line, piece...)
	return nil
}

func (p *eventParser) endLine(arrived *[]arrivedEvent) {
	size := len(p.line)
	line := strings.ToValidUTF8(string(p.line), "\uFFFD")
	p.line = nil
	if p.firstLine {
		line = strings.TrimPrefix(line, "\uFEFF")
	}
	p.firstLine = false
	switch {
	case line == "":
		p.dispatch(arrived)
	case !strings.HasPrefix(line, ":"):
		p.eventBytes += size
		p.field(line)
	}
}

// Other fields mean nothing here, retry included.
func (p *eventParser) field(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "data":
		p.data = append(p.data, value)
	case "event":
		p.event.Event = value
	case "id":
		if !strings.Contains(value, "\x00") {
			p.event.ID = value
			p.lastEventID = value
		}
	}
}

func (p *eventParser) dispatch(arrived *[]arrivedEvent) {
	if len(p.data) > 0 {
		p.event.Data = strings.Join(p.data, "\n")
		*arrived = append(*arrived, arrivedEvent{p.event, p.lastEventID})
	}
	p.event = StreamEvent{}
	p.data = nil
	p.eventBytes = 0
}
