package sluice

// Batches that run from lines to results, and their files. This file is handwritten: a run needs five requests in the
// right order, and the generated API would create a batch twice when an answer is lost.

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"maps"
	"strings"
)

// Files uploads and reads the files of batches.
type Files struct{ client *Client }

// Upload stores the lines of a batch.
func (f *Files) Upload(ctx context.Context, lines io.Reader) (*StoredFile, error) {
	return done(f.client.API.FilesAPI.UploadFile(ctx).Purpose("batch").File(namedFile{io.NopCloser(lines)}).Execute())
}

// UploadedFile is what the generated API uploads; an *os.File is one.
type UploadedFile interface {
	io.ReadCloser
	Name() string
}

type namedFile struct{ io.ReadCloser }

func (namedFile) Name() string { return "lines.jsonl" }

// Content is that of a file.
func (f *Files) Content(ctx context.Context, id string) (string, error) {
	return done(f.client.API.FilesAPI.GetFileContent(ctx, id).Execute())
}

// List has all files, newest first.
func (f *Files) List(ctx context.Context) iter.Seq2[StoredFile, error] {
	ask := f.client.API.FilesAPI.ListFiles(ctx)
	return pages(func(after string) ([]StoredFile, string, bool, error) {
		list, err := done(ask.After(after).Execute())
		return list.GetData(), list.GetLastId(), list.GetHasMore(), err
	})
}

// Batches runs, finds and cancels batches.
type Batches struct{ client *Client }

// BatchLine is one request of a batch: Body is a ChatCompletionRequest, or that of another endpoint.
type BatchLine struct {
	CustomID string
	Body     any
}

// BatchResult is what a line became: the Body of its answer, or an Err that says why there is none.
type BatchResult struct {
	CustomID, OrderID string
	// Body is the answer in the shape of its endpoint; its numbers are json.Number.
	Body map[string]any
	Err  error
}

// Completion is the answer of a chat, or Err.
func (r BatchResult) Completion() (*ChatCompletion, error) {
	if r.Err != nil {
		return nil, r.Err
	}
	return completionOf(r.OrderID, r.Body)
}

const (
	chatCompletions = "/v1/chat/completions"
	// In the metadata of a batch, so that a batch whose answer was lost is found instead of made again.
	runName = "sluice_client_run"
)

// Run sends lines as a batch, waits until it ends, and returns what each line became, in their order. The request needs
// no file, and no endpoint for chat completions. onProgress, which may be nil, gets the batch again and again, the last
// time when it has ended.
func (b *Batches) Run(ctx context.Context, lines []BatchLine, request BatchRequest, onProgress func(Batch)) ([]BatchResult, error) {
	var file bytes.Buffer
	url := cmp.Or(request.Endpoint, chatCompletions)
	for _, line := range lines {
		entry := map[string]any{"custom_id": line.CustomID, "method": "POST", "url": url, "body": line.Body}
		if err := json.NewEncoder(&file).Encode(entry); err != nil {
			return nil, err
		}
	}
	return b.RunFile(ctx, &file, request, onProgress)
}

// RunFile is Run with a file of lines.
func (b *Batches) RunFile(ctx context.Context, lines io.Reader, request BatchRequest, onProgress func(Batch)) ([]BatchResult, error) {
	file, err := b.client.Files.Upload(ctx, lines)
	if err != nil {
		return nil, err
	}
	request.InputFileId, request.Endpoint = file.Id, cmp.Or(request.Endpoint, chatCompletions)
	batch, err := b.create(ctx, request, file.CreatedAt)
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

// Creates a batch once: when no answer came, it looks among those since its file was stored before it tries again.
func (b *Batches) create(ctx context.Context, request BatchRequest, since int64) (*Batch, error) {
	run := newKey()
	metadata := map[string]string{runName: run}
	maps.Copy(metadata, request.Metadata)
	request.Metadata = metadata
	for failures := 0; ; failures++ {
		batch, err := done(b.client.API.BatchesAPI.CreateBatch(ctx).BatchRequest(request).Execute())
		var failure *SluiceError
		isOpen := errors.As(err, &failure) && (failure.Type == "" || failure.Status >= 500)
		if !isOpen || failures >= b.client.maxRetries || !sleep(ctx, backoff(failures)) {
			return batch, err
		}
		for found, err := range b.List(ctx) {
			if err != nil {
				return nil, err
			}
			if found.Metadata[runName] == run {
				return &found, nil
			}
			if found.CreatedAt < since {
				break
			}
		}
	}
}

// What the output and the error file say, in the order of the lines.
func (b *Batches) results(ctx context.Context, batch Batch) ([]BatchResult, error) {
	var results []BatchResult
	places := map[string]int{}
	for _, id := range []*string{&batch.InputFileId, batch.OutputFileId.Get(), batch.ErrorFileId.Get()} {
		if id == nil {
			continue
		}
		content, err := b.client.Files.Content(ctx, *id)
		if err != nil {
			return nil, err
		}
		for lines := json.NewDecoder(strings.NewReader(content)); lines.More(); {
			var line resultLine
			if err := lines.Decode(&line); err != nil {
				return nil, &UnexpectedAnswerError{&SluiceError{Message: err.Error(), cause: err}}
			}
			result := line.result()
			if place, isKnown := places[line.CustomID]; isKnown {
				results[place] = result
			} else {
				places[line.CustomID] = len(results)
				results = append(results, result)
			}
		}
	}
	return results, nil
}

// A line of the file that was sent, which has no result yet, or of the output or error file.
type resultLine struct {
	CustomID string `json:"custom_id"`
	Response NullableBatchLineResponse
	Error    fault
}

func (l resultLine) result() BatchResult {
	if response := l.Response.Get(); response != nil {
		return BatchResult{CustomID: l.CustomID, OrderID: response.RequestId, Body: response.Body}
	}
	if l.Error.Code == "" {
		l.Error = fault{Message: "the line has no result", Code: "no_result"}
	}
	charge := NotCharged
	// Only an order whose answer is no longer stored was charged without one.
	if l.Error.Code == "result_unavailable" {
		charge = Charged
	}
	return BatchResult{CustomID: l.CustomID, Err: errorOf(l.Error, "", charge)}
}

// List has all batches, newest first.
func (b *Batches) List(ctx context.Context) iter.Seq2[Batch, error] {
	ask := b.client.API.BatchesAPI.ListBatches(ctx)
	return pages(func(after string) ([]Batch, string, bool, error) {
		list, err := done(ask.After(after).Execute())
		return list.GetData(), list.GetLastId(), list.GetHasMore(), err
	})
}

// Get finds a batch by its id.
func (b *Batches) Get(ctx context.Context, id string) (*Batch, error) {
	return done(b.client.API.BatchesAPI.GetBatch(ctx, id).Execute())
}

// Cancel ends the lines that wait; those that run finish.
func (b *Batches) Cancel(ctx context.Context, id string) (*Batch, error) {
	return done(b.client.API.BatchesAPI.CancelBatch(ctx, id).Execute())
}
