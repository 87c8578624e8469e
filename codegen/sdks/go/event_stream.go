package sluice

import (
	"bufio"
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
	body     io.ReadCloser
	lines    *bufio.Scanner
	bytesMax int
	// What nextLine knows: how far it has searched, and whether the last line ended with half of \r\n.
	searched    int
	afterReturn bool
	// Whether no line has come yet, and how many bytes the lines of the event have so far.
	isFresh    bool
	eventBytes int
	// The last id that came, which is that of the next event unless it has its own.
	comingID    string
	event       StreamEvent
	lastEventID string
	ended       bool
	err         error
}

// NewEventStream reads the events of a body; no event may have more than eventBytesMax bytes.
func NewEventStream(body io.ReadCloser, eventBytesMax int) *EventStream {
	stream := &EventStream{body: body, lines: bufio.NewScanner(body), bytesMax: eventBytesMax, isFresh: true}
	stream.lines.Buffer(nil, eventBytesMax+len("\r\n\n"))
	stream.lines.Split(stream.nextLine)
	return stream
}

// Next goes to the next event, and waits for it. It returns false at the end, and then Err says which end that is.
func (s *EventStream) Next() bool {
	var event StreamEvent
	var data []string
	for !s.ended && s.lines.Scan() {
		line := strings.ToValidUTF8(s.lines.Text(), "\uFFFD")
		if s.isFresh {
			line = strings.TrimPrefix(line, "\uFEFF")
		}
		s.isFresh = false
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "":
			s.eventBytes = 0
			if data != nil {
				event.Data = strings.Join(data, "\n")
				s.event, s.lastEventID = event, s.comingID
				return true
			}
			event = StreamEvent{}
		case name == "data":
			data = append(data, value)
		case name == "event":
			event.Event = value
		case name == "id" && !strings.Contains(value, "\x00"):
			event.ID, s.comingID = value, value
		}
		// A comment belongs to no event. Other fields mean nothing here, retry included.
		if name != "" {
			s.eventBytes += len(s.lines.Bytes())
		}
	}
	if !s.ended {
		s.end(s.lines.Err())
	}
	return false
}

// Splits off a line, which ends with \n, \r or \r\n: the next line begins after a \r without waiting for its \n.
func (s *EventStream) nextLine(data []byte, _ bool) (advance int, line []byte, err error) {
	begin := 0
	if s.afterReturn && len(data) > 0 {
		s.afterReturn = false
		if data[0] == '\n' {
			begin = 1
		}
	}
	from := max(begin, s.searched)
	end := bytes.IndexAny(data[from:], "\r\n")
	size := from + end - begin
	if end < 0 {
		size = len(data) - begin
	}
	s.searched = 0
	switch {
	case s.eventBytes+size > s.bytesMax:
		return 0, nil, &EventTooLargeError{BytesMax: s.bytesMax}
	case end < 0:
		s.searched = size
		return begin, nil, nil
	}
	s.afterReturn = data[from+end] == '\r'
	return from + end + 1, data[begin : from+end], nil
}

// The body has ended, with an error or without; what was searched in vain is a line that did not end.
func (s *EventStream) end(err error) {
	s.ended = true
	s.body.Close()
	if err == nil && (s.eventBytes > 0 || s.searched > 0) {
		err = errors.New("it ended within an event")
	}
	s.err = err
	var tooLarge *EventTooLargeError
	if err != nil && !errors.As(err, &tooLarge) {
		s.err = &StreamCutError{LastEventID: s.lastEventID, Err: err}
	}
}

// Event returns the event to which Next went.
func (s *EventStream) Event() StreamEvent { return s.event }

// LastEventID returns that of the last event that had one, of those to which Next went; empty when none had.
func (s *EventStream) LastEventID() string { return s.lastEventID }

// Err returns nil when the stream has ended or goes on, a *StreamCutError, or an *EventTooLargeError.
func (s *EventStream) Err() error { return s.err }

// Close ends the connection. The stream has no more events then.
func (s *EventStream) Close() error {
	s.ended = true
	return s.body.Close()
}
