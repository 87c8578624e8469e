package sluice

// Batches that run from lines to results, and their files. This file is handwritten: a run needs five requests in the
// right order, and the generated API would create a batch twice when an answer is lost.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"os"
	"time"
)

// Files uploads and reads the files of batches.
type Files struct{ client *Client }

// Upload stores a file with the lines of a batch.
func (f *Files) Upload(ctx context.Context, path string, options ...CallOption) (*StoredFile, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return done(f.client.API.FilesAPI.UploadFile(With(ctx, options...)).Purpose("batch").File(file).Execute())
}

// Content is that of a file.
func (f *Files) Content(ctx context.Context, id string, options ...CallOption) ([]byte, error) {
	_, response, err := f.client.API.FilesAPI.GetFileContent(With(ctx, options...), id).Execute()
	if _, err := done(id, response, err); err != nil {
		return nil, err
	}
	return io.ReadAll(response.Body)
}

// List has all files, newest first.
func (f *Files) List(ctx context.Context, options ...CallOption) iter.Seq2[StoredFile, error] {
	ask := f.client.API.FilesAPI.ListFiles(With(ctx, options...))
	return pages(func(after string) ([]StoredFile, bool, error) {
		list, err := done(ask.After(after).Execute())
		return list.GetData(), list.GetHasMore(), err
	}, func(file StoredFile) string { return file.Id })
}

// The items of a list that goes on after the id of its last one.
func pages[T any](ask func(after string) ([]T, bool, error), idOf func(T) string) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for after, hasMore := "", true; hasMore; {
			var items []T
			var err error
			items, hasMore, err = ask(after)
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
				after = idOf(item)
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

const (
	chatCompletions = "/v1/chat/completions"
	// In the metadata of a batch, so that a batch whose answer was lost is found instead of made again.
	runName = "sluice_client_run"
)

// Run sends a file of lines as a batch, waits until it ends, and returns what the lines became: first those with an
// answer. The request needs no file, and no endpoint for chat completions. onProgress, which may be nil, gets the batch
// again and again, the last time when it has ended.
func (b *Batches) Run(ctx context.Context, path string, request BatchRequest, onProgress func(Batch)) ([]BatchResult, error) {
	file, err := b.client.Files.Upload(ctx, path)
	if err != nil {
		return nil, err
	}
	request.InputFileId, request.Endpoint = file.Id, firstOf(request.Endpoint, chatCompletions)
	batch, err := b.create(ctx, request)
	for ; err == nil; batch, err = b.Get(ctx, batch.Id) {
		if onProgress != nil {
			onProgress(*batch)
		}
		switch batch.Status {
		case "completed", "expired", "cancelled":
			return b.results(ctx, *batch)
		case "failed":
			text, _ := json.Marshal(batch.Errors.Get())
			failure := &SluiceError{Message: "the batch is wrong: " + string(text), Code: "batch_error", Charged: NotCharged}
			return nil, &InvalidRequestError{failure}
		}
		if !sleep(ctx, longPoll) {
			return nil, lateError(ctx, "the batch "+batch.Id+" has not ended", "")
		}
	}
	return nil, err
}

// RunLines is Run with lines instead of a file.
func (b *Batches) RunLines(ctx context.Context, lines []BatchLine, request BatchRequest, onProgress func(Batch)) ([]BatchResult, error) {
	file, err := os.CreateTemp("", "lines-*.jsonl")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	encoder := json.NewEncoder(file)
	url := firstOf(request.Endpoint, chatCompletions)
	for _, line := range lines {
		entry := map[string]any{"custom_id": line.CustomID, "method": "POST", "url": url, "body": line.Body}
		err = errors.Join(err, encoder.Encode(entry))
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return b.Run(ctx, file.Name(), request, onProgress)
}

// Creates a batch once: when no answer came, it looks among the newest batches before it tries again.
func (b *Batches) create(ctx context.Context, request BatchRequest) (*Batch, error) {
	run := newKey()
	metadata := map[string]string{runName: run}
	maps.Copy(metadata, request.Metadata)
	request.Metadata = metadata
	begin := time.Now()
	for failures := 0; ; failures++ {
		batch, err := done(b.client.API.BatchesAPI.CreateBatch(ctx).BatchRequest(request).Execute())
		var failure *SluiceError
		isOpen := errors.As(err, &failure) && (failure.Type == "" || failure.Status >= 500)
		if !isOpen || failures >= b.client.maxRetries || !sleep(ctx, firstBackoff<<failures) {
			return batch, err
		}
		for found, err := range b.List(ctx) {
			if err != nil {
				return nil, err
			}
			if found.Metadata[runName] == run {
				return &found, nil
			}
			// Clocks may differ by an hour, not by more.
			if time.Unix(found.CreatedAt, 0).Before(begin.Add(-time.Hour)) {
				break
			}
		}
	}
}

// What the output and the error file say.
func (b *Batches) results(ctx context.Context, batch Batch) ([]BatchResult, error) {
	var results []BatchResult
	for _, id := range []*string{batch.OutputFileId.Get(), batch.ErrorFileId.Get()} {
		if id == nil {
			continue
		}
		content, err := b.client.Files.Content(ctx, *id)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(bytes.NewReader(content))
		lines.Buffer(nil, EventBytesMax)
		for lines.Scan() {
			var line resultLine
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				return nil, fmt.Errorf("a line of the file %s: %w", *id, err)
			}
			results = append(results, line.result())
		}
		if lines.Err() != nil {
			return nil, lines.Err()
		}
	}
	return results, nil
}

type resultLine struct {
	CustomID string `json:"custom_id"`
	Response *struct {
		RequestID string `json:"request_id"`
		Body      json.RawMessage
	}
	Error orderFault
}

func (l resultLine) result() BatchResult {
	if l.Response == nil {
		return BatchResult{CustomID: l.CustomID, Err: endOf("", l.Error)}
	}
	completion, err := completionOf(l.Response.RequestID, l.Response.Body)
	return BatchResult{CustomID: l.CustomID, Completion: completion, Err: err}
}

// List has all batches, newest first.
func (b *Batches) List(ctx context.Context, options ...CallOption) iter.Seq2[Batch, error] {
	ask := b.client.API.BatchesAPI.ListBatches(With(ctx, options...))
	return pages(func(after string) ([]Batch, bool, error) {
		list, err := done(ask.After(after).Execute())
		return list.GetData(), list.GetHasMore(), err
	}, func(batch Batch) string { return batch.Id })
}

// Get finds a batch by its id.
func (b *Batches) Get(ctx context.Context, id string, options ...CallOption) (*Batch, error) {
	return done(b.client.API.BatchesAPI.GetBatch(With(ctx, options...), id).Execute())
}

// Cancel ends the lines that wait; those that run finish.
func (b *Batches) Cancel(ctx context.Context, id string, options ...CallOption) (*Batch, error) {
	return done(b.client.API.BatchesAPI.CancelBatch(With(ctx, options...), id).Execute())
}
