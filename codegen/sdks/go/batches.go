package sluice

// Batches that run from lines to results, and their files. This file is handwritten: the generated API has the requests,
// of which a run needs five in the right order, and creates a batch twice when an answer is lost.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"time"
)

// Files uploads and reads the files of batches.
type Files struct{ client *Client }

// Upload stores the lines of a batch.
func (f *Files) Upload(ctx context.Context, name string, content io.Reader, options ...CallOption) (*StoredFile, error) {
	var form bytes.Buffer
	writer := multipart.NewWriter(&form)
	err := writer.WriteField("purpose", "batch")
	part, err := writer.CreateFormFile("file", name)
	if err == nil {
		_, err = io.Copy(part, content)
	}
	if err = errors.Join(err, writer.Close()); err != nil {
		return nil, err
	}
	upload := sending{method: http.MethodPost, path: "/v1/files", body: form.Bytes(), content: writer.FormDataContentType()}
	return fetch[StoredFile](With(ctx, options...), f.client, upload)
}

// Content is that of a file.
func (f *Files) Content(ctx context.Context, id string, options ...CallOption) ([]byte, error) {
	read := sending{method: http.MethodGet, path: "/v1/files/" + url.PathEscape(id) + "/content", accept: "*/*"}
	response, err := f.client.send(With(ctx, options...), read)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(response.Body)
}

// List has all files, newest first.
func (f *Files) List(ctx context.Context, options ...CallOption) iter.Seq2[StoredFile, error] {
	read := func(file StoredFile) string { return file.Id }
	return pages(With(ctx, options...), f.client, "/v1/files", read)
}

// The items of a list that goes on after the id of its last one.
func pages[T any](ctx context.Context, c *Client, path string, idOf func(T) string) iter.Seq2[T, error] {
	type page struct {
		Data    []T
		HasMore bool `json:"has_more"`
	}
	return func(yield func(T, error) bool) {
		query := url.Values{}
		for {
			list, err := fetch[page](ctx, c, sending{method: http.MethodGet, path: path, query: query})
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range list.Data {
				if !yield(item, nil) {
					return
				}
				query.Set("after", idOf(item))
			}
			if !list.HasMore || len(list.Data) == 0 {
				return
			}
		}
	}
}

// Batches runs, finds and cancels batches.
type Batches struct{ client *Client }

// BatchLine is one request of a batch: Body is a ChatCompletionRequest, or that of another endpoint.
type BatchLine struct {
	CustomID string
	Body     any
}

// BatchResult is what a line became: a Completion, or an Err that says why not.
type BatchResult struct {
	CustomID   string
	Completion *Completion
	Err        error
}

// BatchOptions of a run; the zero value has the limits of the key or the account, and a day.
type BatchOptions struct {
	// Endpoint is /v1/chat/completions by default.
	Endpoint   string
	PriceLimit Money
	// MaxWait is rounded up to seconds.
	MaxWait    time.Duration
	Metadata   map[string]string
	OnProgress func(Batch)
}

// In the metadata of a batch, so that a batch whose answer was lost is found instead of made again.
const runName = "sluice_client_run"

// Run sends lines as a batch, waits until it ends and returns what each line became, in the order of the lines.
func (b *Batches) Run(ctx context.Context, lines []BatchLine, options BatchOptions) ([]BatchResult, error) {
	options.Endpoint = firstOf(options.Endpoint, "/v1/chat/completions")
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	for _, line := range lines {
		entry := map[string]any{"custom_id": line.CustomID, "method": "POST", "url": options.Endpoint, "body": line.Body}
		if err := encoder.Encode(entry); err != nil {
			return nil, err
		}
	}
	return b.run(ctx, "lines.jsonl", text.Bytes(), options)
}

// RunFile is Run with the lines of a file, in the form that POST /v1/files describes.
func (b *Batches) RunFile(ctx context.Context, path string, options BatchOptions) ([]BatchResult, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	options.Endpoint = firstOf(options.Endpoint, "/v1/chat/completions")
	return b.run(ctx, "lines.jsonl", text, options)
}

func (b *Batches) run(ctx context.Context, name string, text []byte, options BatchOptions) ([]BatchResult, error) {
	file, err := b.client.Files.Upload(ctx, name, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	batch, err := b.create(ctx, file.Id, options)
	for err == nil && !isOver[batch.Status] {
		if options.OnProgress != nil {
			options.OnProgress(*batch)
		}
		if !sleep(ctx, longPoll) {
			return nil, &TimeoutError{&SluiceError{Message: "the batch " + batch.Id + " has not ended", cause: ctx.Err()}}
		}
		batch, err = b.Get(ctx, batch.Id)
	}
	if err != nil {
		return nil, err
	}
	if options.OnProgress != nil {
		options.OnProgress(*batch)
	}
	if batch.Status == "failed" {
		text, _ := json.Marshal(batch.Errors.Get())
		failure := &SluiceError{Message: "the batch is wrong: " + string(text), Code: "batch_error", Charged: NotCharged}
		return nil, &InvalidRequestError{failure}
	}
	return b.results(ctx, *batch, text)
}

var isOver = map[string]bool{"completed": true, "expired": true, "cancelled": true, "failed": true}

// Creates a batch once: when no answer came, it looks among the newest batches before it tries again.
func (b *Batches) create(ctx context.Context, file string, options BatchOptions) (*Batch, error) {
	metadata := map[string]string{runName: newKey()}
	for name, value := range options.Metadata {
		metadata[name] = value
	}
	body := map[string]any{"input_file_id": file, "endpoint": options.Endpoint, "metadata": metadata}
	if options.PriceLimit != "" {
		body["price_limit"] = options.PriceLimit
	}
	if options.MaxWait > 0 {
		body["max_wait"] = int((options.MaxWait + time.Second - 1) / time.Second)
	}
	for failures := 0; ; failures++ {
		batch, err := fetch[Batch](ctx, b.client, sending{method: http.MethodPost, path: "/v1/batches", body: body})
		var failure *SluiceError
		isOpen := errors.As(err, &failure) && (failure.Type == "" || failure.Status >= 500)
		if !isOpen || failures >= b.client.maxRetries || !sleep(ctx, firstBackoff<<failures) {
			return batch, err
		}
		for found, err := range b.List(ctx) {
			if err != nil {
				return nil, err
			}
			if found.Metadata[runName] == metadata[runName] {
				return &found, nil
			}
			if found.CreatedAt < time.Now().Add(-time.Hour).Unix() {
				break
			}
		}
	}
}

// The output and the error file, in the order of the lines.
func (b *Batches) results(ctx context.Context, batch Batch, lines []byte) ([]BatchResult, error) {
	ended := map[string]BatchResult{}
	for _, id := range []*string{batch.OutputFileId.Get(), batch.ErrorFileId.Get()} {
		if id == nil {
			continue
		}
		content, err := b.client.Files.Content(ctx, *id)
		if err != nil {
			return nil, err
		}
		if err := eachLine(content, func(line resultLine) { ended[line.CustomID] = line.result() }); err != nil {
			return nil, err
		}
	}
	var results []BatchResult
	err := eachLine(lines, func(line resultLine) {
		result, found := ended[line.CustomID]
		if !found {
			failure := &SluiceError{Message: "the line has no result", Code: "no_result"}
			result = BatchResult{CustomID: line.CustomID, Err: &ServerError{failure}}
		}
		results = append(results, result)
	})
	return results, err
}

type resultLine struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		StatusCode int    `json:"status_code"`
		RequestID  string `json:"request_id"`
		Body       json.RawMessage
	}
	Error *orderFault
}

func (l resultLine) result() BatchResult {
	result := BatchResult{CustomID: l.CustomID}
	if l.Response == nil {
		fault := orderFault{Code: "no_result", Message: "the line has no result"}
		if l.Error != nil {
			fault = *l.Error
		}
		result.Err = endOf("", fault)
		return result
	}
	var shape struct{ Object string }
	kind := "other"
	if json.Unmarshal(l.Response.Body, &shape) == nil && shape.Object == "chat.completion" {
		kind = "chat"
	}
	result.Completion, result.Err = completionOf(l.Response.RequestID, kind, l.Response.Body)
	return result
}

func eachLine(text []byte, take func(resultLine)) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, EventBytesMax)
	for lines.Scan() {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var line resultLine
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			return fmt.Errorf("a line of the batch: %w", err)
		}
		take(line)
	}
	return lines.Err()
}

// List has all batches, newest first.
func (b *Batches) List(ctx context.Context, options ...CallOption) iter.Seq2[Batch, error] {
	return pages(With(ctx, options...), b.client, "/v1/batches", func(batch Batch) string { return batch.Id })
}

// Get finds a batch by its id.
func (b *Batches) Get(ctx context.Context, id string, options ...CallOption) (*Batch, error) {
	ask := sending{method: http.MethodGet, path: "/v1/batches/" + url.PathEscape(id)}
	return fetch[Batch](With(ctx, options...), b.client, ask)
}

// Cancel ends the lines that wait; those that run finish.
func (b *Batches) Cancel(ctx context.Context, id string, options ...CallOption) (*Batch, error) {
	cancel := sending{method: http.MethodPost, path: "/v1/batches/" + url.PathEscape(id) + "/cancel"}
	return fetch[Batch](With(ctx, options...), b.client, cancel)
}
