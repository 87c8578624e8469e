// Written by codegen/generate.ts from openapi.yaml (sha256 ec47eca0e305238f53faa87c677f24c6055436a4fbc382c848a3d32dfdad8e4f). Do not edit.
export interface paths {
    readonly "/v1/chat/completions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Chat completion
         * @description Continues a conversation. `null` for an optional scalar counts as absent. Fields not listed here are forwarded to
         *     the model unchanged.
         *
         *     With `stream: true` the response is 200 as soon as the order is queued. Comment lines keep the connection alive
         *     while it waits; then come chunks, a usage chunk when `stream_options.include_usage` asks for it, and
         *     `data: [DONE]`. An error after the 200 is one `data: {"error": …}` frame, which ends the
         *     stream.
         *
         *     With `detached: true` the response is 202 with an order id: collect the result from
         *     `GET /v1/orders/{id}/result`.
         */
        readonly post: operations["createChatCompletion"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/completions": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Text completion (legacy)
         * @description The older shape with a prompt and a text, for tools that still use it. The prompt becomes one user message; price,
         *     waiting, streaming and storage are as on chat completions. Tools are refused, and `logprobs`, `top_logprobs`,
         *     `echo` and `suffix` are removed before the model gets the request.
         */
        readonly post: operations["createCompletion"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/responses": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Response
         * @description The Responses shape, without state: every turn sends the whole input. Function tools are forwarded, and
         *     custom tools by models that take them; other types are dropped. `stream_options`, `include`, `prompt_cache_key`, `safety_identifier`, `client_metadata`,
         *     `service_tier`, `max_tool_calls`, `context_management`, `access_programs`, `top_logprobs` and
         *     `prompt_cache_options` are accepted and dropped.
         *
         *     Refused with 400: `previous_response_id`, `conversation`, `prompt`, `truncation: auto`,
         *     `detached: true`, `input_file` and `input_audio` parts, `input_image` by `file_id`, `item_reference` items and
         *     the call items of hosted tools.
         *
         *     A stream has no `[DONE]`: it ends after `response.completed`, `response.incomplete` or `response.failed`, which
         *     have the usage and, if there is one, the receipt. While the order waits, `response.in_progress` is repeated about
         *     every ten seconds, but not in a stream that can be resumed, whose events keep their numbers: there it is a comment.
         *
         *     `background: true` is refused with 400, too: send the request to `/v1/chat/completions` with `detached: true`. An operator
         *     may allow it as an extension (`responses.background` of the configuration). The answer then comes at once, with the
         *     status `queued`, and the order goes on without its caller.
         */
        readonly post: operations["createResponse"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/responses/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a response, or follow it
         * @description The response of a Responses request by its id, as OpenAI's clients retrieve it: `queued` and `in_progress` while its
         *     order waits and runs, then its answer, or `failed` or `cancelled`. While it has no answer, what it echoes of the
         *     request has its defaults.
         *
         *     With `stream=true` its events, from the one after `starting_after` on, as `GET /v1/orders/{id}/stream` has them, which
         *     says when they can be followed.
         */
        readonly get: operations["getResponse"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/responses/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a response that waits
         * @description Cancels the order of a response while it is queued; it is not charged. One that runs or has ended does not change,
         *     and the answer is 409 `order_not_cancelable`. Canceling twice is the same as once. The request has no body.
         */
        readonly post: operations["cancelResponse"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/messages": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Message
         * @description The Messages shape. `anthropic-version` and `anthropic-beta` may have any value and have no effect. Text, tool
         *     use, tool results and thinking are supported. Images, as base64 or url in a user's turn or in a tool result, are
         *     passed on to models with `accepts_images`; for all others they are refused with 400 and nothing is charged, and so
         *     are documents and other blocks, built-in tools, `mcp_servers`, `thread` and `detached: true`. `thinking`,
         *     `context_management`, `cache_control`, `service_tier` and `top_k` are accepted and ignored.
         *
         *     A stream opens at once with `message_start` and sends `ping` after every ten silent seconds while the order waits
         *     and runs. An error after that is one `error` event with the envelope, which ends the stream.
         */
        readonly post: operations["createMessage"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/messages/count_tokens": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Estimate the tokens of a message request
         * @description The gateway's own estimate of the prompt. It is approximate: the charge follows the counts of the model. It takes
         *     the body of `POST /v1/messages` without `max_tokens`. It creates no order and is never charged, but it counts as
         *     inference for rate limits.
         */
        readonly post: operations["countMessageTokens"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/orders": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List orders
         * @description Your orders, newest first. Filters combine. Ask for totals only when you need them: they read all filtered
         *     orders and are on the first page only. A key that reads only what it made gets its own orders, in totals and counts too.
         */
        readonly get: operations["listOrders"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/orders/price": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Reprice queued orders
         * @description Gives queued orders another price limit. A repriced order goes behind the orders that already wait at its new
         *     price; its expiry does not change. Orders that cannot be repriced are listed with the reason, the others are
         *     changed.
         *
         *     503 means that the market did not confirm in time. The change stays pending and is applied later, so read the
         *     orders back. Sending it again is safe too: the orders then go behind those that came to this price meanwhile.
         */
        readonly post: operations["repriceOrders"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/orders/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get an order
         * @description One order. A malformed or unknown id, or one of another account, is 404.
         */
        readonly get: operations["getOrder"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/orders/{id}/result": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the result of an order
         * @description The stored answer of an order, in the shape of its endpoint, or the state of the order. While it waits or runs
         *     `body` is null; when it failed, `error` says why. 410 is for a finished order whose answer was not stored, has
         *     expired or was deleted. A body counts against the hourly download allowance;
         *     HEAD does not.
         */
        readonly get: operations["getOrderResult"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete the result of an order
         * @description Deletes the stored answer; the order and its usage record stay. Deleting twice is the same as once. 409
         *     `result_write_pending` until the order has ended and its answer is stored (cancel a queued one first), 409 `batch_in_progress` for a line of a running batch.
         */
        readonly delete: operations["deleteOrderResult"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/orders/{id}/stream": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Follow the stream of an order
         * @description The stream of an order that goes on without its caller: one with an Idempotency-Key whose result will be stored, or
         *     a detached one, whether or not its request asked for a stream. It is in the shape of the order's endpoint: what was
         *     produced so far, from the event after `starting_after` on, and then what comes, to the end. After the end it comes
         *     from the stored result. Reading does not change the order, and leaving does not cancel it.
         *
         *     The n-th event is the same however often it is read, and the same that the first caller got; here each has an `id:`
         *     line with its number. It counts against the hourly download allowance. Comments, and `ping` events of the Messages
         *     shape, have no number; the `response.in_progress` events that the first caller got in silence have. Of an order that
         *     failed nothing but its error is kept: that is the next event then, whatever the number before it.
         *
         *     400 for a number that no event has so far. 409 `order_not_followable` for an order that ends with its caller, and
         *     for a line of a batch; 409 `stream_restarted` for a number, when the gateway that ran the order ended and it ran
         *     again. 410 when the result is not stored any more. 429 also when eight streams follow the order already, or its end
         *     is still being written. A stream that ends without its last event was cut: go on from the last number.
         */
        readonly get: operations["streamOrder"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/orders/{id}/receipt": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the signed receipt of an order
         * @description The receipt of an order that is done, signed by the gateway: a JWS (RFC 7515) in its compact form, with EdDSA over
         *     Ed25519 (RFC 8037). Its payload has everything that the charge follows from, and nothing of what was asked or
         *     answered. Keep it: with a saved `GET /.well-known/jwks.json` anyone can verify it without this gateway
         *     (`npx sluice verify`). The receipt stays as issued; refunds are not in it. 409 `order_not_settled` for an order that
         *     is not done.
         */
        readonly get: operations["getOrderReceipt"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/receipts/{token}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a receipt by its public link
         * @description The signed receipt of an order whose account made a public link to it: the same as `GET /v1/orders/{id}/receipt` gives. It
         *     names no account, no key and nothing of what was asked or answered. 404 after the link was revoked.
         */
        readonly get: operations["getSharedReceipt"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/orders/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a queued order
         * @description Cancels an order that is queued; it is not charged. An order in any other status does not change and the response
         *     is 409 `order_not_cancelable`. The request has no body.
         */
        readonly post: operations["cancelOrder"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/account": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get the account
         * @description The balance, the defaults and the number of queued and executing orders of the account of the key. For a key that
         *     reads only what it made, `orders` counts its own, and `balance_usd` is what it may still spend: the balance, or what is left
         *     of its budget, whichever is lower.
         */
        readonly get: operations["getAccount"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        /**
         * Change the defaults of the account
         * @description Changes the fields that are sent, and no others. Unlike the inference routes this one refuses unknown fields,
         *     because a misspelt setting that is silently ignored would cost money later. Storage, billing and keys cannot be
         *     changed here.
         */
        readonly patch: operations["updateAccount"];
        readonly trace?: never;
    };
    readonly "/v1/usage": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List settlements
         * @description One record for each settled order, newest first. The records sum to the charges on the balance. The three totals
         *     cover all filtered records and are on the first page only. A key that reads only what it made gets its own records, and as
         *     `balance_usd` what it may still spend.
         */
        readonly get: operations["listUsage"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/files": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List files
         * @description Your files, newest first. A full page always has `has_more: true`, so the last page may be empty. An unknown
         *     `after` starts from the beginning.
         */
        readonly get: operations["listFiles"];
        readonly put?: never;
        /**
         * Upload a batch input
         * @description Stores a JSON Lines file of up to 50 MiB as the input of a batch. Its lines are read when the batch starts. The
         *     parts may have any order. Parts not listed here are ignored, also `expires_after`: `expires_at` follows from the
         *     storage setting of the account. The form may be compressed, like any other body.
         */
        readonly post: operations["uploadFile"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/files/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a file
         * @description The record of a file; its content has an address of its own.
         */
        readonly get: operations["getFile"];
        readonly put?: never;
        readonly post?: never;
        /**
         * Delete a file
         * @description Deletes a file and its content. A second time is 404; a file of an active batch is 409 `file_in_use`.
         */
        readonly delete: operations["deleteFile"];
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/files/{id}/content": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Download a file
         * @description The content of the file. It counts against the hourly download allowance; HEAD does not. 410 `result_unavailable`
         *     once the content has expired, or was deleted as the oldest of an account that stores too much, and only the record
         *     is left.
         */
        readonly get: operations["getFileContent"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/batches": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List batches
         * @description Your batches, newest first. A full page always has `has_more: true`, so the last page may be empty. An unknown
         *     `after` starts from the beginning.
         */
        readonly get: operations["listBatches"];
        readonly put?: never;
        /**
         * Create a batch
         * @description Runs every line of an uploaded file as an order. Each line is
         *     `{"custom_id", "method": "POST", "url", "body"}`, where `url` is the endpoint of the batch and `body` is a
         *     request for that endpoint; `body.price_limit` takes precedence over that of the batch. Up to 10 000 lines per file
         *     and 5 running batches per account. The pricing of every model is recorded at creation: if it has changed when a line
         *     would run, the line does not run and is `prices_changed` in the error file.
         *
         *     The whole file is checked before anything runs; an invalid file fails the batch, with a message for each error. A
         *     request that is refused fails only its line. Lines wait until the batch expires and never lock a price:
         *     `max_wait`, `price_lock`, `store` and `retention_days` of a line are ignored, `stream`, `detached` and `deadline` are
         *     refused: a `deadline` is given to the whole batch, which then buys the cheapest hours until then.
         *     So are `X-Deadline`, whose place is the body, and `X-Dry-Run: true`: a batch has no dry run.
         *
         *     With `X-Strict: true`, or a key with `strict: true`, a line with a misspelt name of the gateway's own fields fails.
         *     Otherwise it runs, and its entry in the output file has the warning.
         */
        readonly post: operations["createBatch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/batches/{id}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a batch
         * @description The progress of a batch, and its files once it has finished.
         */
        readonly get: operations["getBatch"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/batches/{id}/cancel": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly get?: never;
        readonly put?: never;
        /**
         * Cancel a batch
         * @description Cancels the lines that wait; those that run finish and are charged. Only a batch that is validating or in
         *     progress can be canceled; any other is 409 `batch_not_cancelable`. The request has no body.
         */
        readonly post: operations["cancelBatch"];
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/models": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * List models
         * @description Every model on sale, with previews, without deprecated models.
         */
        readonly get: operations["listModels"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/models/{model}": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Get a model
         * @description One model by id or alias, also a deprecated one. For an alias the response has `x_alias_of`.
         */
        readonly get: operations["getModel"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/rate-limits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Every enforced limit
         * @description The limits of this gateway. Their names say whether they hold per account, key or address.
         */
        readonly get: operations["getRateLimits"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/limits": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Former address of the limits
         * @description Moved permanently to `/v1/rate-limits`.
         */
        readonly get: operations["redirectLimits"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The level of a market
         * @description The published level of one market. While no pod of the model is healthy, the level is frozen, `degraded` is true
         *     and orders wait. A preview has simulated prices.
         */
        readonly get: operations["getMarket"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/levels": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The levels of all markets
         * @description Every market with its level. Fixed-price models have none and are omitted.
         */
        readonly get: operations["listLevels"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/stream": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Follow the level of a market
         * @description One `data:` frame for each change, and the current values again as keepalive while nothing moves. The three
         *     market streams share 5 open connections per address; a sixth gets 429 without `Retry-After`.
         *     An `EventSource` never retries after that: poll `GET /v1/market` instead.
         */
        readonly get: operations["streamMarket"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/levels/stream": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Follow the levels of all markets
         * @description The first frame has every market, later ones only those that moved; every 15 seconds a frame repeats all of
         *     them. Merge by `model`. The three market streams share 5 open connections per address. An `EventSource` that gets 429 never
         *     retries: poll `GET /v1/market/levels` instead.
         *
         *     With `view=board`, an extension, levels that move within two seconds are one frame (ten at most, beside many readers), and
         *     each market in it has its quote and whether it is degraded, too; a new quote is sent at once: for pages that many people look at.
         */
        readonly get: operations["streamLevels"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/price-lock": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The quote for locked requests
         * @description The price that a request with `price_lock: true` bids if its own limit is not lower. A quote is valid for one
         *     window. A locked request that does not start within `execute_window_seconds` expires without a charge.
         */
        readonly get: operations["getPriceLock"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/price-lock/stream": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Follow the quote
         * @description One frame at the start of each window, and the current quote again as keepalive. The three market streams share 5
         *     open connections per address. An `EventSource` that gets 429 never retries: poll `GET /v1/market/price-lock` instead.
         */
        readonly get: operations["streamPriceLock"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/history": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Past levels
         * @description The time-weighted mean level of each bucket, oldest first. The width of the buckets is such that a range has
         *     about two thousand points; empty buckets are absent.
         */
        readonly get: operations["getMarketHistory"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/ohlc": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Candles
         * @description Open, high, low, close and time-weighted mean of the level in each bucket, oldest first.
         */
        readonly get: operations["getMarketCandles"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/summary": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Every model at a glance
         * @description One row per model, in the configured order: its prices now, its quote, its level over 24 hours, uptime and tokens of
         *     the same time. Made for a page that many people look at: the answer is built at most once in five seconds and shared
         *     by all who ask. Levels that move in between come on `GET /v1/market/levels/stream`.
         */
        readonly get: operations["getMarketSummary"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/depth": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * What waits at which bid
         * @description The waiting orders of one market by steps of price, and its slots, as they were when the window of the quote before
         *     the current one began. Only orders that have bid their price for 2.5 seconds are in it, and of one account in each step
         *     as many as it runs and one more. A step has orders of at least `accounts_min` accounts; those of fewer are
         *     part of a step beside them, or of none. The bounds of the steps never move.
         */
        readonly get: operations["getMarketDepth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/estimate": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * When a request would start, and what it would cost
         * @description For a bid, the chance that a request starts in time, the expected wait, and the expected and the greatest charge. With
         *     `chance` the reverse: the lowest bid that has this chance. With `requests` a forward quote: for so many at once, if all
         *     are to start in time. It is computed from the waiting requests, from those that usually come and give up, and
         *     from how long they run; a share of slots that an account may hold at most is not considered. Chances are
         *     corrected by the outcomes of earlier ones, and `reliability` says how well they did. An estimate is no promise.
         */
        readonly get: operations["getMarketEstimate"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/locks": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Past quotes, and how many locks started
         * @description What was quoted in the past windows, and how many locked requests started in time, oldest first. Locks are counted as
         *     in `clear_rate` of the quote: those with a limit above the quote, weighted by what their accounts started lately. They
         *     are counted when they start or miss their window. So that nobody can read from it what one buyer did, the numbers of locks
         *     are shown by the quarter of an hour alone, once the next quarter has ended, too, and only of at least `locks_min` locks: otherwise they
         *     are null. Buckets in which no gateway was up are absent.
         */
        readonly get: operations["getMarketLocks"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/ledger": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Every published price, in a hash chain
         * @description The levels of a market, or its quotes, in the order in which they were published, each with a hash that follows from
         *     the one before: no row can be changed without every hash after it, and a reader who kept one, such as a signed receipt
         *     or a signed head, can tell. `hash` is the SHA-256, in base64url, of the text `PREVIOUS\nlevel NUMBER PRICE AT MODEL`, for a quote
         *     `PREVIOUS\nquote NUMBER PRICE AT UNTIL MODEL`, in UTF-8, with the figures of the row as they are here. Rows are kept for two
         *     days; `previous` of the first one is then null. Where `begins` is true the chain begins: rows before are in none,
         *     and `previous` is the hash of `\ngenesis CHAIN NUMBER MODEL`. `npx sluice verify --chain` checks a day of it.
         */
        readonly get: operations["getMarketLedger"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/market/ledger/head": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The newest hash of a chain, signed
         * @description The newest row of `GET /v1/market/ledger`, and a JWS of the gateway that names its hash. Keep one from time to time: if
         *     any row up to it is ever rewritten, the chain no longer leads to this hash, and the signature shows who said so.
         *     `jws` is null, and so is `head`, while the market has no row.
         */
        readonly get: operations["getMarketLedgerHead"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/uptime": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Measured uptime
         * @description At every interval the gateway sends a real completion through the whole pipeline for each ready model, and records
         *     success and timing. Queue time measures demand; pipeline time (admission, generation, metering, billing) measures
         *     health. `checks_running` false with an empty series means not measured, not down. A model is ready, and measured,
         *     from its first answer on; until then its uptime is null. Without `model` the figures cover all models.
         */
        readonly get: operations["getUptime"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/stats/tokens": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Billed tokens over time
         * @description Charged tokens of each model in each bucket, without the gateway's own probes. Only models and buckets with
         *     traffic are listed. Without `model` the response covers every model.
         */
        readonly get: operations["getTokenStatistics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/stats/models": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Models ranked by what they earned
         * @description One row per model, also for deprecated and idle ones, ranked by the revenue of each market in the range.
         *     Fixed-price models follow the markets. A preview has zero tokens until its market opens.
         */
        readonly get: operations["getModelStatistics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/v1/stats/latency": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * How long requests take
         * @description The time to the first token, tokens a second, and the wait by bid, of the settled orders of one model. `p95` is what
         *     95 of 100 orders had or better: a time at most as long, or at least as many tokens a second. Figures are right to six
         *     per cent, and null for fewer than `samples_min` orders. Orders that ended without running are not in them. Counted by
         *     whole hours, a minute late; the gateway's own probes are left out.
         */
        readonly get: operations["getLatencyStatistics"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/partner/v1/models": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Catalog for aggregators
         * @description The models in the provider schema that aggregators read (version 2.4), or with `format=flat` in the earlier flat
         *     form. Prices are decimal strings in USD per token: for a market model they follow the current quote, for a
         *     fixed-price model they are its own. Previews are omitted. `is_ready` is false for a deprecated model, and
         *     for one whose pods have never answered. Reading the catalog locks no price. The prefix `/partner` is configurable.
         */
        readonly get: operations["getPartnerCatalog"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/healthz": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Liveness
         * @description 200 while the database answers and the market loop runs (standby and draining count as running), 503 otherwise.
         *     Pods and blob storage are reported but do not change `ok`. No rate limit.
         */
        readonly get: operations["getHealth"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/api/hello": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * Discovery
         * @description Shows that this is a Sluice gateway. Some clients ask before their first request. No rate limit.
         */
        readonly get: operations["getHello"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        /**
         * Discovery, without a body
         * @description As GET, without the body.
         */
        readonly head: operations["headHello"];
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/.well-known/jwks.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * The keys that receipts are verified with
         * @description A JSON Web Key Set (RFC 7517) with the public keys of this gateway, the newest first. Keys that are no longer used stay
         *     here, so that earlier receipts can be verified. `issuer` is what receipts name as `iss`; it never changes. Save the set
         *     beside your receipts: then they can be verified without this gateway.
         */
        readonly get: operations["getSigningKeys"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
    readonly "/openapi.json": {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        /**
         * This document
         * @description This document as JSON.
         */
        readonly get: operations["getOpenapi"];
        readonly put?: never;
        readonly post?: never;
        readonly delete?: never;
        readonly options?: never;
        readonly head?: never;
        readonly patch?: never;
        readonly trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Every refusal outside the Messages routes. */
        readonly ErrorEnvelope: {
            readonly error: components["schemas"]["ErrorDetail"];
        };
        readonly ErrorDetail: {
            /** @description A message for people. Its wording may change. */
            readonly message: string;
            /**
             * @description The family: invalid_request_error, authentication_error, permission_error, insufficient_quota,
             *     not_found_error, timeout_error, conflict_error, gone_error, rate_limit_error or server_error.
             */
            readonly type: string;
            /** @description The field, parameter or header that is wrong; null when there is none. */
            readonly param: string | null;
            /** @description The stable code for programs, such as `missing_price_limit`. */
            readonly code: string | null;
        };
        /** @description Every refusal on the Messages routes, and the `error` event of their streams. */
        readonly MessagesErrorEnvelope: {
            /** @description Always `error`. */
            readonly type: string;
            readonly error: components["schemas"]["MessagesErrorDetail"];
            /** @description The same as the header `request-id`. */
            readonly request_id?: string | null;
        };
        readonly MessagesErrorDetail: {
            /**
             * @description invalid_request_error, authentication_error, billing_error, permission_error, not_found_error,
             *     timeout_error, conflict_error, request_too_large, rate_limit_error, api_error or overloaded_error.
             */
            readonly type: string;
            /** @description A message for people. */
            readonly message: string;
            /** @description The gateway's own code, such as `missing_bid` or `capacity_unavailable`. */
            readonly code: string;
            /**
             * @description What the official clients read to recover by themselves; absent in most errors. `error_code` is
             *     `thread_unsupported_request` where `thread` was sent.
             */
            readonly details?: {
                readonly [key: string]: unknown;
            };
        };
        /**
         * Format: double
         * @description The most that this request pays, in USD per 1M input tokens at the reference mix. When absent, the default of the
         *     key applies, then that of the account; a market model needs one of the three. An order at 0 may run when there is
         *     capacity, and is charged nothing. Ignored on a fixed-price model.
         * @example 0.5
         */
        readonly PriceLimit: number | null;
        /**
         * Format: double
         * @description The most that this request is charged, in USD, rounded down to whole nano-dollars; without a bound when absent. The
         *     output ends where it is reached, as at `max_tokens`, and the hold is no more. 400 `max_charge_too_low` when it does not
         *     cover the input and one output token at the bid; the input counts as in the hold.
         * @example 0.01
         */
        readonly MaxChargeUsd: number | null;
        /**
         * @description Bid the lower of the quote and the price limit, and start within 10 seconds or expire with 429
         *     `capacity_unavailable` without a charge. The account's setting when absent, and false for a
         *     detached request. Ignored on a fixed-price model.
         */
        readonly PriceLock: boolean | null;
        /**
         * @description Seconds that an order without a lock may wait for its start, clamped to the configured range (10 seconds to 30
         *     days). The account's setting when absent. Takes precedence over `expires_after`.
         * @example 120
         */
        readonly MaxWait: number | null;
        /** @description Another name of `max_wait`, which takes precedence. */
        readonly ExpiresAfter: number | null;
        /**
         * @description Days that the result is stored, at most the account's setting, which is also the default. 0 stores neither result
         *     nor request log.
         * @example 7
         */
        readonly RetentionDays: number | null;
        /**
         * @description What a request would be held for, cost and wait if it were sent now. The model was not asked: it may still refuse the
         *     request, for example one that exceeds its context.
         */
        readonly DryRun: {
            /** @description Always `dry_run`. */
            readonly object: string;
            /** @description The id of the model, also where the request has an alias or none. */
            readonly model: string;
            /**
             * Format: int64
             * @description The input in tokens, as estimated; the model counts exactly.
             */
            readonly input_tokens: number;
            /**
             * Format: int64
             * @description The input in tokens as hold and `max_charge_usd` count it, which is generous.
             */
            readonly input_tokens_max: number;
            /**
             * Format: int64
             * @description The `max_tokens` that the model would get if the request started now: the lowest of the request's, of the model's,
             *     and of what `max_charge_usd` or, without `max_tokens`, the balance covers.
             */
            readonly output_tokens_max: number;
            /**
             * Format: double
             * @description The limit that applies, of the request, the key or the account. Null on a fixed-price model.
             */
            readonly price_limit: number | null;
            readonly price_lock: boolean;
            /**
             * Format: double
             * @description The price at which the order would wait, as `bid` of an order.
             */
            readonly bid: number;
            /**
             * Format: double
             * @description The level now; null on a fixed-price model.
             */
            readonly level: number | null;
            /**
             * Format: double
             * @description The most that it would be charged, in whole nano-dollars; null without such a bound.
             */
            readonly max_charge_usd: number | null;
            /**
             * Format: double
             * @description What would be held of the balance if it started now.
             */
            readonly hold_usd: number;
            /**
             * Format: double
             * @description What `input_tokens` cost at the lower of level and bid, none of them cached.
             */
            readonly input_charge_usd: number;
            /**
             * Format: double
             * @description What `input_tokens` and `output_tokens_max` cost at that price. An answer that ends earlier costs less.
             */
            readonly expected_charge_usd: number;
            /**
             * Format: double
             * @description The worst case at the bid, which `max_charge_usd` bounds. Without that bound a model that counts more input tokens
             *     than `input_tokens_max` may cost more.
             */
            readonly greatest_charge_usd: number;
            /**
             * Format: int64
             * @description How long it may wait for its start, which `chance` is about; at most a day is considered.
             */
            readonly within_seconds: number;
            /**
             * Format: double
             * @description The chance that it starts in time, as `GET /v1/market/estimate` has it. Null on a fixed-price model, where it is not
             *     known, and while too many ask.
             */
            readonly chance: number | null;
            /**
             * Format: double
             * @description The wait that half of such requests do not exceed, in coarse steps. Null as `chance`, and beyond an hour.
             */
            readonly wait_p50_seconds: number | null;
            /**
             * Format: double
             * @description The wait that nine of ten do not exceed.
             */
            readonly wait_p90_seconds: number | null;
            /**
             * @description The order whose answer the request would get again, because its Idempotency-Key was used: then it would be charged
             *     and held nothing, and have nothing to wait for. Null when there would be an order.
             */
            readonly repeats_order: string | null;
        };
        /** @description Unknown fields are forwarded to the model. `null` for an optional scalar counts as absent. */
        readonly ChatCompletionRequest: {
            /**
             * @description Id or alias of a model; the default model when absent.
             * @example tide-70b
             */
            readonly model?: string | null;
            /** @description The conversation, oldest first. */
            readonly messages: readonly components["schemas"]["ChatMessage"][];
            /** @description Respond with server-sent events. False when absent. */
            readonly stream?: boolean | null;
            readonly stream_options?: components["schemas"]["StreamOptions"];
            /**
             * Format: int64
             * @description The output cap: a positive integer up to 10000000, reduced to the model's `max_output_length`, which is also the
             *     default. Anything else is 400 `invalid_output_cap`.
             * @example 512
             */
            readonly max_tokens?: number | null;
            /**
             * Format: int64
             * @description Another name of `max_tokens`, which takes precedence.
             * @example 512
             */
            readonly max_completion_tokens?: number | null;
            /**
             * Format: double
             * @description 0 to 2. The model's own default when absent.
             */
            readonly temperature?: number | null;
            /**
             * Format: double
             * @description 0 to 1. The model's own default when absent.
             */
            readonly top_p?: number | null;
            /**
             * @description A string, or an array of up to 4, each up to 256 characters, at which the model stops.
             * @example [
             *       "\n\n"
             *     ]
             */
            readonly stop?: components["schemas"]["ValueStopStrings"];
            /** @description Only 1. Send more requests for more answers. */
            readonly n?: number | null;
            /** @description Only 1. Not forwarded. */
            readonly best_of?: number | null;
            /**
             * @description Tools the model may call: `{type: function, function: {name, description, parameters}}`.
             *     Forwarded.
             */
            readonly tools?: readonly components["schemas"]["Tool"][] | null;
            /**
             * @description `none`, `auto`, `required`, or an object naming a function. Forwarded.
             * @example auto
             */
            readonly tool_choice?: unknown;
            /** @description `{type: json_object}` or `{type: json_schema, json_schema: {…}}`. Forwarded. */
            readonly response_format?: {
                readonly [key: string]: unknown;
            } | null;
            /**
             * Format: int64
             * @description Any integer. Forwarded digit by digit.
             */
            readonly seed?: number | null;
            /** @description Asks for `choices[0].logprobs`. */
            readonly logprobs?: boolean | null;
            /** @description Alternatives per token. Forwarded. */
            readonly top_logprobs?: number | null;
            /** @description Stored in the request log of an account that has one; not sent to the model. */
            readonly user?: string | null;
            /** @description Stored in the request log of an account that has one; not sent to the model. */
            readonly safety_identifier?: string | null;
            /** @description Stored in the request log of an account that has one; not sent to the model. */
            readonly prompt_cache_key?: string | null;
            /** @description Stored in the request log of an account that has one; not sent to the model. */
            readonly metadata?: {
                readonly [key: string]: unknown;
            } | null;
            readonly price_limit?: components["schemas"]["PriceLimit"];
            readonly max_charge_usd?: components["schemas"]["MaxChargeUsd"];
            readonly price_lock?: components["schemas"]["PriceLock"];
            readonly max_wait?: components["schemas"]["MaxWait"];
            readonly expires_after?: components["schemas"]["ExpiresAfter"];
            /**
             * @description When the request must have started: a whole number of seconds from now, 1 to 2592000, or a time in RFC 3339 that is
             *     as far away. Until then the market chooses what it bids, never more than the price limit: the lowest bid at which it
             *     probably starts in time (0.95). By day it waits for the night, and where nothing cheaper is expected in time, it bids
             *     what the market takes. `bid` and `strategy` of the order show it. One that has not started by then expires with 408
             *     `order_expired`. Clamped like `max_wait`, with which it cannot be sent; 400 with `price_lock: true`. On a fixed-price
             *     model it only says when the order expires.
             * @example 28800
             */
            readonly deadline?: components["schemas"]["ValueDeadline"];
            readonly tags?: components["schemas"]["Tags"];
            /** @description Respond at once with 202 and an order id, and run in the background. 400 together with `stream`. */
            readonly detached?: boolean | null;
            /** @description False stores nothing of this request, whatever `retention_days` says. */
            readonly store?: boolean | null;
            readonly retention_days?: components["schemas"]["RetentionDays"];
        };
        /**
         * @description One message of a conversation. Its fields are forwarded, and the conversation is put in order: each output follows the
         *     message with its call, a call without an output gets one that says so, and an output without a call becomes a user
         *     message.
         */
        readonly ChatMessage: {
            /**
             * @description system, developer, user, assistant or tool; forwarded. A model that knows no developer gets a system message.
             * @example user
             */
            readonly role: string;
            /**
             * @description A string, an array of parts, or null (on an assistant turn that only calls tools).
             * @example What is the capital of Iceland?
             */
            readonly content?: components["schemas"]["ValueChatContent"];
            /** @description The name of the speaker, for models that distinguish speakers. */
            readonly name?: string | null;
            /** @description The calls of an assistant turn. A function needs its name. */
            readonly tool_calls?: readonly components["schemas"]["FreeObject"][] | null;
            /** @description On a tool message, the id of the call that it answers. */
            readonly tool_call_id?: string | null;
        };
        readonly StreamOptions: {
            /** @description Ends the stream with a chunk that has no choices and carries `usage` with the receipt. */
            readonly include_usage?: boolean | null;
        } | null;
        /** @description A tool in the shape of the endpoint. */
        readonly Tool: {
            readonly [key: string]: unknown;
        };
        /** @description An object whose keys depend on the shape of the endpoint. */
        readonly FreeObject: {
            readonly [key: string]: unknown;
        };
        /** @description A complete answer. */
        readonly ChatCompletion: {
            /** @description The order id after `chatcmpl-`. */
            readonly id: string;
            /** @description Always `chat.completion`. */
            readonly object: string;
            /**
             * Format: int64
             * @description Epoch seconds.
             */
            readonly created: number;
            /** @description The id of the model, also when the request named an alias. */
            readonly model: string;
            /** @description Exactly one. */
            readonly choices: readonly components["schemas"]["ChatChoice"][];
            readonly usage: components["schemas"]["ChatUsage"];
        };
        readonly ChatChoice: {
            /** @description Always 0. */
            readonly index: number;
            readonly message: components["schemas"]["ChatAnswer"];
            /** @description stop, length, tool_calls or content_filter. `length` also stands for reasons of an engine that the gateway does not know. */
            readonly finish_reason: string;
            /** @description `{content: […]}` when asked for, otherwise null. */
            readonly logprobs: {
                readonly [key: string]: unknown;
            } | null;
        };
        /** @description The answer of the model. */
        readonly ChatAnswer: {
            /** @description Always `assistant`. */
            readonly role: string;
            /** @description The text; null on a turn that only calls tools. */
            readonly content: string | null;
            /** @description Always null; the reference clients expect the key. */
            readonly refusal: string | null;
            /** @description The reasoning; absent when the model sent none. */
            readonly reasoning_content?: string;
            /** @description `{id, type: function, function: {name, arguments}}` for each call; absent without calls. */
            readonly tool_calls?: readonly components["schemas"]["FreeObject"][];
        };
        /** @description Token counts and the receipt. */
        readonly ChatUsage: {
            /**
             * Format: int64
             * @description All tokens of the prompt, also cached ones.
             */
            readonly prompt_tokens: number;
            /** Format: int64 */
            readonly completion_tokens: number;
            /** Format: int64 */
            readonly total_tokens: number;
            readonly prompt_tokens_details: components["schemas"]["PromptTokensDetails"];
            readonly completion_tokens_details?: components["schemas"]["CompletionTokensDetails"];
            readonly x_market: components["schemas"]["Receipt"];
        };
        readonly PromptTokensDetails: {
            /**
             * Format: int64
             * @description The part of the prompt that was read from the model's cache.
             */
            readonly cached_tokens: number;
        };
        /** @description Present when the model reports the details of its output. */
        readonly CompletionTokensDetails: {
            /** Format: int64 */
            readonly reasoning_tokens?: number;
        };
        /**
         * @description What was charged, and at which price. With the token counts next to it and the ratio of the model, anyone can
         *     recompute the charge. An old stored result may lack `order_id` and `pricing`, which is market then.
         */
        readonly Receipt: {
            readonly order_id: string;
            /** @description market or fixed. */
            readonly pricing: string;
            /**
             * Format: double
             * @description The price charged, USD per 1M input tokens at the reference mix; the lower of level and bid.
             */
            readonly level_at_execution: number;
            /**
             * Format: double
             * @description The price at which the order waited, in the same unit.
             */
            readonly bid: number;
            /**
             * Format: double
             * @description The charge in USD, exact to nine decimals, in plain digits without an exponent.
             */
            readonly charged_usd: number;
            /**
             * Format: double
             * @description The most that the request was to be charged; absent where it named none.
             */
            readonly max_charge_usd?: number;
            /**
             * @description Whether `max_charge_usd` cut the answer short, which then ends as at `max_tokens`, or lowered the
             *     charge.
             */
            readonly max_charge_reached?: boolean;
            /** @description True where the model reported no token counts and the gateway estimated them, else absent. */
            readonly usage_estimated?: boolean;
            readonly usd_per_million?: components["schemas"]["TokenPrices"];
        };
        /** @description USD per 1M tokens of each kind. On a receipt, only for a fixed-price model. */
        readonly TokenPrices: {
            /**
             * Format: double
             * @description Input read from the cache.
             */
            readonly cached: number;
            /**
             * Format: double
             * @description Input that was not in the cache.
             */
            readonly uncached: number;
            /**
             * Format: double
             * @description Output, with reasoning.
             */
            readonly output: number;
        };
        /** @description A detached order that was accepted. */
        readonly AcceptedOrder: {
            /** @description The order id. */
            readonly id: string;
            /** @description Always `order`. */
            readonly object: string;
            /** @description Always `queued`. */
            readonly status: string;
            /** @description When the order leaves the book if it has not started, ISO 8601. */
            readonly expires_at: string;
            /** @description The address of the result. */
            readonly result_url: string;
            /** @description Whether the result will be stored. */
            readonly result_stored: boolean;
            /** @description How many days it will be stored. */
            readonly result_retention_days: number;
            /** @description Present when nothing will be stored. */
            readonly warning?: string;
        };
        /**
         * @description As chat completions, with `prompt` in place of `messages`. `tools`, `tool_choice`, `functions` and
         *     `function_call` are refused with 400.
         */
        readonly CompletionRequest: {
            /**
             * @description Id or alias of a model; the default model when absent.
             * @example tide-70b
             */
            readonly model?: string | null;
            /**
             * @description A string, or an array of one string. Empty when absent.
             * @example Once upon a time
             */
            readonly prompt?: components["schemas"]["ValuePrompt"];
            /** @description Respond with server-sent events. False when absent. */
            readonly stream?: boolean | null;
            readonly stream_options?: components["schemas"]["StreamOptions"];
            /**
             * Format: int64
             * @description The output cap, as on chat completions.
             * @example 64
             */
            readonly max_tokens?: number | null;
            /**
             * Format: int64
             * @description The output cap when `max_tokens` is absent.
             * @example 64
             */
            readonly max_completion_tokens?: number | null;
            /** Format: double */
            readonly temperature?: number | null;
            /** Format: double */
            readonly top_p?: number | null;
            /** @description A string, or an array of up to 4, each up to 256 characters. */
            readonly stop?: components["schemas"]["ValueStopStrings"];
            /** @description Only 1. */
            readonly n?: number | null;
            /** @description Only 1. Not forwarded. */
            readonly best_of?: number | null;
            /** @description Not sent to the model; `logprobs` of the response is null. */
            readonly logprobs?: unknown;
            /** @description Not sent to the model. */
            readonly top_logprobs?: unknown;
            /** @description Not sent to the model. */
            readonly echo?: unknown;
            /** @description Not sent to the model. */
            readonly suffix?: unknown;
            /**
             * Format: int64
             * @description Any integer. Forwarded digit by digit.
             */
            readonly seed?: number | null;
            /** @description Stored in the request log of an account that has one; not sent to the model. */
            readonly user?: string | null;
            readonly price_limit?: components["schemas"]["PriceLimit"];
            readonly max_charge_usd?: components["schemas"]["MaxChargeUsd"];
            readonly price_lock?: components["schemas"]["PriceLock"];
            readonly max_wait?: components["schemas"]["MaxWait"];
            readonly expires_after?: components["schemas"]["ExpiresAfter"];
            /**
             * @description When the request must have started, as on chat completions: a whole number of seconds from now, 1 to 2592000, or a
             *     time in RFC 3339.
             * @example 28800
             */
            readonly deadline?: components["schemas"]["ValueDeadline"];
            readonly tags?: components["schemas"]["Tags"];
            /** @description Respond at once with 202 and an order id, and run in the background. 400 together with `stream`. */
            readonly detached?: boolean | null;
            /** @description False stores nothing of this request. */
            readonly store?: boolean | null;
            readonly retention_days?: components["schemas"]["RetentionDays"];
        };
        /** @description A complete answer. */
        readonly TextCompletion: {
            /** @description The order id after `cmpl-`. */
            readonly id: string;
            /** @description Always `text_completion`. */
            readonly object: string;
            /**
             * Format: int64
             * @description Epoch seconds.
             */
            readonly created: number;
            readonly model: string;
            readonly choices: readonly components["schemas"]["TextChoice"][];
            readonly usage: components["schemas"]["ChatUsage"];
        };
        readonly TextChoice: {
            /** @description Always 0. */
            readonly index: number;
            readonly text: string;
            /** @description stop, length or content_filter. */
            readonly finish_reason: string;
            /** @description Always null. */
            readonly logprobs: {
                readonly [key: string]: unknown;
            } | null;
        };
        /** @description Unknown fields are forwarded to the model. */
        readonly ResponseRequest: {
            /**
             * @description Id or alias of a model; the default model when absent.
             * @example tide-70b
             */
            readonly model?: string | null;
            /**
             * @description A string, which is one user message, or an array of items: messages (roles user, assistant, system,
             *     developer; text parts, and image parts on a user message), `function_call`, `function_call_output`,
             *     `custom_tool_call`, `custom_tool_call_output` and `reasoning`. An output with a `name` and no `call_id` becomes text of the user.
             * @example What is the capital of Iceland?
             */
            readonly input: components["schemas"]["ValueResponseInput"];
            /**
             * @description A string, which becomes the first system message, or an array of items put before the input.
             * @example Answer in one word.
             */
            readonly instructions?: components["schemas"]["ValueResponseInstructions"];
            /**
             * @description Function tools: `{type: function, name, description, parameters, strict}`. Custom tools, `{type: custom, name,
             *     description, format}`, are kept by models with `custom_tools: as_functions`: the model gets a function with one
             *     text, and its calls come as `custom_tool_call`. Other types are dropped.
             */
            readonly tools?: readonly components["schemas"]["ResponseTool"][] | null;
            /**
             * @description `none`, `auto`, `required`, or a named function, also in the form of chat. `allowed_tools` becomes auto or required by its mode; a
             *     choice that names a dropped tool falls back to auto.
             * @example auto
             */
            readonly tool_choice?: components["schemas"]["ValueResponseToolChoice"];
            /**
             * Format: int64
             * @description The output cap, a positive integer, reduced to the model's `max_output_length`.
             * @example 512
             */
            readonly max_output_tokens?: number | null;
            /** Format: double */
            readonly temperature?: number | null;
            /** Format: double */
            readonly top_p?: number | null;
            readonly text?: components["schemas"]["ResponseTextOptions"];
            readonly reasoning?: components["schemas"]["ResponseReasoningOptions"];
            /** @description Forwarded. */
            readonly parallel_tool_calls?: boolean | null;
            readonly metadata?: components["schemas"]["Metadata"];
            /** @description Accepted and echoed. Storage follows the account; use `retention_days` to change it for a request. */
            readonly store?: boolean | null;
            /** @description Respond with the Responses events. False when absent. */
            readonly stream?: boolean | null;
            /**
             * @description True is refused with 400, unless the operator allows this extension: then the order goes on without its caller,
             *     as a detached one of chat does. The answer is the response with the status `queued`, or, with `stream`, a stream
             *     that can be resumed. `GET /v1/responses/{id}` reads it.
             */
            readonly background?: boolean | null;
            /** @description Echoed, and stored in the request log of an account that has one; not sent to the model. */
            readonly user?: string | null;
            readonly price_limit?: components["schemas"]["PriceLimit"];
            readonly max_price?: components["schemas"]["PriceLimit"];
            readonly max_charge_usd?: components["schemas"]["MaxChargeUsd"];
            readonly price_lock?: components["schemas"]["PriceLock"];
            readonly max_wait?: components["schemas"]["MaxWait"];
            readonly expires_after?: components["schemas"]["ExpiresAfter"];
            /**
             * @description When the request must have started, as on chat completions: a whole number of seconds from now, 1 to 2592000, or a
             *     time in RFC 3339.
             * @example 28800
             */
            readonly deadline?: components["schemas"]["ValueDeadline"];
            readonly tags?: components["schemas"]["Tags"];
            readonly retention_days?: components["schemas"]["RetentionDays"];
        };
        /** @description A tool. A function has a `name`, and may have `description`, `parameters` and `strict`. */
        readonly ResponseTool: {
            readonly [key: string]: unknown;
        };
        /** @description Options of the text; `verbosity` is echoed. */
        readonly ResponseTextOptions: {
            readonly [key: string]: unknown;
        } | null;
        /** @description Asks for output in this form. json_schema needs a `name` and a `schema`. */
        readonly ResponseTextFormat: {
            /** @enum {string} */
            readonly type: "text" | "json_object" | "json_schema";
        } | null;
        /** @description Options of the reasoning; `summary` is dropped. */
        readonly ResponseReasoningOptions: {
            readonly [key: string]: unknown;
        } | null;
        /**
         * @description Up to 16 pairs of strings; keys up to 64 characters, values up to 512.
         * @example {
         *       "project": "atlas"
         *     }
         */
        readonly Metadata: {
            readonly [key: string]: string;
        } | null;
        /**
         * @description A response, with every key of the reference object. Keys without a value here have the default of the reference,
         *     or null.
         */
        readonly ResponseObject: {
            /** @description The order id after `resp_`. */
            readonly id: string;
            /** @description Always `response`. */
            readonly object: string;
            /**
             * Format: int64
             * @description Epoch seconds.
             */
            readonly created_at: number;
            /**
             * Format: int64
             * @description Epoch seconds; null until completed.
             */
            readonly completed_at: number | null;
            /**
             * @description completed or incomplete; within a stream also in_progress and failed; in the background also queued and
             *     cancelled.
             */
            readonly status: string;
            readonly error: components["schemas"]["ResponseFailure"];
            readonly incomplete_details: components["schemas"]["IncompleteDetails"];
            /** @description The id of the model. */
            readonly model: string;
            /**
             * @description Items in the order in which the model opened them: `reasoning`, `message`, and a `function_call` for each call, or a
             *     `custom_tool_call` for one of a custom tool. Item ids are `rs_<order_id>`, `msg_<order_id>`, `fc_<order_id>_<index>`
             *     and `ctc_<order_id>_<index>`.
             */
            readonly output: readonly components["schemas"]["FreeObject"][];
            readonly usage: components["schemas"]["ResponseUsage"];
            /** @description As sent, or null. */
            readonly instructions: components["schemas"]["ValueResponseInstructions"];
            /** @description The tools that were kept. */
            readonly tools: readonly components["schemas"]["FreeObject"][];
            /** @description As sent; `auto` when absent. */
            readonly tool_choice: components["schemas"]["ValueResponseToolChoice"];
            /** @description `format`, and `verbosity` as sent. */
            readonly text: {
                readonly [key: string]: unknown;
            };
            /** @description `effort` and `summary`. */
            readonly reasoning: {
                readonly [key: string]: unknown;
            } | null;
            /**
             * Format: double
             * @description As sent, or 1.
             */
            readonly temperature: number;
            /**
             * Format: double
             * @description As sent, or 1.
             */
            readonly top_p: number;
            /** Format: double */
            readonly presence_penalty: number;
            /** Format: double */
            readonly frequency_penalty: number;
            readonly top_logprobs: number;
            readonly parallel_tool_calls: boolean;
            /** @description Always `disabled`. */
            readonly truncation: string;
            /** @description Whether the order goes on without its caller. */
            readonly background: boolean;
            /** @description Always `default`. */
            readonly service_tier: string;
            readonly store: boolean;
            /** @description As sent; empty on a result collected later. */
            readonly metadata: {
                readonly [key: string]: string;
            };
            /** Format: int64 */
            readonly max_output_tokens: number | null;
            readonly max_tool_calls: number | null;
            /** @description Always null, because responses have no state. */
            readonly previous_response_id: string | null;
            readonly safety_identifier: string | null;
            readonly prompt_cache_key: string | null;
            readonly user: string | null;
            /** @description Always null. */
            readonly prompt: components["schemas"]["ValueAlwaysNull"];
            /** @description Always null. */
            readonly conversation: components["schemas"]["ValueAlwaysNull"];
            /** @description Always null. */
            readonly prompt_cache_retention: components["schemas"]["ValueAlwaysNull"];
            /** @description Always null. */
            readonly moderation: components["schemas"]["ValueAlwaysNull"];
            /** @description Always null. */
            readonly access_programs: components["schemas"]["ValueAlwaysNull"];
            /** @description Always null. */
            readonly prompt_cache_options: components["schemas"]["ValueAlwaysNull"];
            /** @description Always null. */
            readonly prompt_cache_diagnostics: components["schemas"]["ValueAlwaysNull"];
            /** @description Always null. */
            readonly image: components["schemas"]["ValueAlwaysNull"];
            /** @description Always null. */
            readonly tool_usage: components["schemas"]["ValueAlwaysNull"];
        };
        /** @description Null unless the response failed. */
        readonly ResponseFailure: {
            /** @description rate_limit_exceeded, order_expired, insufficient_quota, invalid_prompt, order_canceled or server_error. */
            readonly code: string;
            readonly message: string;
        } | null;
        /** @description Null unless the response is incomplete. */
        readonly IncompleteDetails: {
            /** @description max_output_tokens or content_filter. */
            readonly reason: string;
        } | null;
        /** @description Null until the response has ended. */
        readonly ResponseUsage: {
            /**
             * Format: int64
             * @description All tokens of the prompt, also cached ones.
             */
            readonly input_tokens: number;
            readonly input_tokens_details: components["schemas"]["InputTokensDetails"];
            /** Format: int64 */
            readonly output_tokens: number;
            readonly output_tokens_details: components["schemas"]["OutputTokensDetails"];
            /** Format: int64 */
            readonly total_tokens: number;
            readonly x_market: components["schemas"]["Receipt"];
        } | null;
        readonly InputTokensDetails: {
            /** Format: int64 */
            readonly cached_tokens: number;
            /**
             * Format: int64
             * @description Always 0.
             */
            readonly cache_write_tokens: number;
        };
        readonly OutputTokensDetails: {
            /** Format: int64 */
            readonly reasoning_tokens: number;
        };
        /** @description Unknown fields are forwarded to the model. */
        readonly MessageRequest: {
            /**
             * @description Id or alias of a model; the default model when absent.
             * @example tide-70b
             */
            readonly model?: string | null;
            /**
             * Format: int64
             * @description The output cap, a positive integer, reduced to the model's `max_output_length`. Required.
             * @example 512
             */
            readonly max_tokens: number;
            /**
             * @description A string, or text blocks, which are joined with a blank line.
             * @example Answer in one word.
             */
            readonly system?: components["schemas"]["ValueSystemText"];
            /** @description The conversation, oldest first. */
            readonly messages: readonly components["schemas"]["MessageTurn"][];
            /** @description Tools that the model may call. */
            readonly tools?: readonly components["schemas"]["MessageTool"][] | null;
            readonly tool_choice?: components["schemas"]["MessageToolChoice"];
            /**
             * Format: double
             * @description Forwarded.
             */
            readonly temperature?: number | null;
            /**
             * Format: double
             * @description Forwarded.
             */
            readonly top_p?: number | null;
            /** @description Accepted and dropped. */
            readonly top_k?: unknown;
            /**
             * @description Must be absent or null: no conversation is kept here. Anything else is refused with 400 and
             *     `error.details.error_code: thread_unsupported_request`, after which the official clients send the whole history.
             */
            readonly thread?: unknown;
            /** @description Up to 4 strings, each up to 256 characters, at which the model stops. */
            readonly stop_sequences?: readonly string[] | null;
            /** @description Respond with the Messages events. False when absent. */
            readonly stream?: boolean | null;
            readonly metadata?: components["schemas"]["MessageMetadata"];
            /** @description Accepted and ignored. */
            readonly thinking?: unknown;
            readonly output_config?: components["schemas"]["MessageOutputConfig"];
            readonly output_format?: components["schemas"]["MessageOutputFormat"];
            readonly max_price?: components["schemas"]["PriceLimit"];
            readonly price_limit?: components["schemas"]["PriceLimit"];
            readonly max_charge_usd?: components["schemas"]["MaxChargeUsd"];
            readonly price_lock?: components["schemas"]["PriceLock"];
            readonly max_wait?: components["schemas"]["MaxWait"];
            readonly expires_after?: components["schemas"]["ExpiresAfter"];
            /**
             * @description When the request must have started, as on chat completions: a whole number of seconds from now, 1 to 2592000, or a
             *     time in RFC 3339.
             * @example 28800
             */
            readonly deadline?: components["schemas"]["ValueDeadline"];
            readonly tags?: components["schemas"]["Tags"];
            /** @description False stores nothing of this request. */
            readonly store?: boolean | null;
            readonly retention_days?: components["schemas"]["RetentionDays"];
        };
        /** @description One turn of a conversation. */
        readonly MessageTurn: {
            /** @enum {string} */
            readonly role: "user" | "assistant" | "system";
            /**
             * @description A string, or an array of text, tool_use, tool_result and thinking blocks.
             * @example What is the capital of Iceland?
             */
            readonly content: components["schemas"]["ValueMessageContent"];
        };
        /** @description A tool that the model may call. Other keys, such as `cache_control`, are dropped. */
        readonly MessageTool: {
            readonly [key: string]: unknown;
        };
        /** @description Which tool the model calls; auto when absent. */
        readonly MessageToolChoice: {
            readonly [key: string]: unknown;
        } | null;
        /** @description Options of the output. */
        readonly MessageOutputConfig: {
            readonly [key: string]: unknown;
        } | null;
        /** @description Asks for output in this form. `output_config.format` takes precedence over `output_format`, the older name of it. */
        readonly MessageOutputFormat: {
            /** @enum {string} */
            readonly type: "json_schema";
            readonly schema: components["schemas"]["JsonSchema"];
        } | null;
        /** @description A JSON Schema, forwarded to the model. */
        readonly JsonSchema: {
            readonly [key: string]: unknown;
        };
        readonly MessageMetadata: {
            /** @description Stored as `user` in the request log of an account that has one; not sent to the model. */
            readonly user_id?: string | null;
        } | null;
        /**
         * @description The body of `POST /v1/messages`, in which `max_tokens` may be absent. What is refused there is refused here; fields
         *     outside the prompt do not change the count.
         */
        readonly CountTokensRequest: {
            /**
             * @description Id or alias of a model; the default model when absent.
             * @example tide-70b
             */
            readonly model?: string | null;
            /** @description A string, or text blocks. */
            readonly system?: components["schemas"]["ValueSystemText"];
            readonly messages: readonly components["schemas"]["MessageTurn"][];
            readonly tools?: readonly components["schemas"]["MessageTool"][] | null;
        };
        readonly TokenCount: {
            /**
             * Format: int64
             * @description The estimate.
             */
            readonly input_tokens: number;
        };
        /** @description A complete answer. */
        readonly Message: {
            /** @description The order id after `msg_`. */
            readonly id: string;
            /** @description Always `message`. */
            readonly type: string;
            /** @description Always `assistant`. */
            readonly role: string;
            /** @description The id of the model. */
            readonly model: string;
            /** @description Content blocks in the order in which they were opened: thinking, text, a tool_use for each call. */
            readonly content: readonly components["schemas"]["FreeObject"][];
            /** @description end_turn, max_tokens, tool_use or stop_sequence; null only at the start of a stream. */
            readonly stop_reason: string | null;
            /** @description The stop sequence that ended the answer. */
            readonly stop_sequence: string | null;
            readonly usage: components["schemas"]["MessageUsage"];
        };
        readonly MessageUsage: {
            /**
             * Format: int64
             * @description Tokens of the prompt that were not in the cache.
             */
            readonly input_tokens: number;
            /** Format: int64 */
            readonly output_tokens: number;
            /**
             * Format: int64
             * @description Always 0.
             */
            readonly cache_creation_input_tokens: number;
            /**
             * Format: int64
             * @description Tokens of the prompt that were read from the cache.
             */
            readonly cache_read_input_tokens: number;
            readonly x_market: components["schemas"]["Receipt"];
        };
        /**
         * @description The JSON of one `data:` line of a chat stream: a chunk, or an error, which ends the stream. The last line of a stream
         *     without an error is `[DONE]`, which is not JSON.
         */
        readonly ChatCompletionEvent: components["schemas"]["ChatCompletionChunk"] | components["schemas"]["ErrorEnvelope"];
        /** @description A piece of a chat completion. `choices` is empty on the usage chunk. */
        readonly ChatCompletionChunk: {
            /** @description The same on every chunk. */
            readonly id: string;
            /** @description Always `chat.completion.chunk`. */
            readonly object: string;
            /** Format: int64 */
            readonly created: number;
            readonly model: string;
            readonly choices: readonly components["schemas"]["ChatChunkChoice"][];
            readonly usage?: components["schemas"]["ChunkUsage"];
        };
        readonly ChatChunkChoice: {
            readonly index: number;
            /** @description Some of `role`, `content`, `reasoning_content` and `tool_calls`. */
            readonly delta: {
                readonly [key: string]: unknown;
            };
            readonly finish_reason: string | null;
            readonly logprobs?: {
                readonly [key: string]: unknown;
            } | null;
        };
        /** @description Null except on the usage chunk. */
        readonly ChunkUsage: {
            /** Format: int64 */
            readonly prompt_tokens: number;
            /** Format: int64 */
            readonly completion_tokens: number;
            /** Format: int64 */
            readonly total_tokens: number;
            readonly prompt_tokens_details: components["schemas"]["PromptTokensDetails"];
            readonly completion_tokens_details?: components["schemas"]["CompletionTokensDetails"];
            readonly x_market: components["schemas"]["Receipt"];
        } | null;
        /**
         * @description The JSON of one `data:` line of a text completion stream: a chunk, or an error, which ends the stream. The last line
         *     of a stream without an error is `[DONE]`, which is not JSON.
         */
        readonly CompletionEvent: components["schemas"]["CompletionChunk"] | components["schemas"]["ErrorEnvelope"];
        /** @description A piece of a text completion. */
        readonly CompletionChunk: {
            readonly id: string;
            /** @description Always `text_completion`. */
            readonly object: string;
            /** Format: int64 */
            readonly created: number;
            readonly model: string;
            readonly choices: readonly components["schemas"]["TextChunkChoice"][];
            readonly usage?: components["schemas"]["ChunkUsage"];
        };
        readonly TextChunkChoice: {
            readonly index: number;
            readonly text: string;
            readonly finish_reason: string | null;
            readonly logprobs: {
                readonly [key: string]: unknown;
            } | null;
        };
        /**
         * @description The JSON of one frame of a Responses stream; the `event:` line repeats `type`. The other keys depend on the
         *     type: `response` on response.created, in_progress, completed, incomplete and failed; `item` on output_item
         *     events; `part` on content_part events; `delta`, `text`, `arguments` or `input` on the others, with an empty `logprobs`
         *     for text and the `name` of the function for complete arguments. The input of a custom tool comes in one delta.
         */
        readonly ResponseEvent: {
            readonly type: string;
            /**
             * Format: int64
             * @description 0 on the first event, then counting up.
             */
            readonly sequence_number: number;
            readonly response?: components["schemas"]["ResponseObject"];
            readonly output_index?: number;
            readonly item_id?: string;
            readonly content_index?: number;
            readonly item?: components["schemas"]["FreeObject"];
            readonly part?: components["schemas"]["FreeObject"];
            readonly delta?: string;
            readonly text?: string;
            readonly arguments?: string;
            readonly input?: string;
            /** @description Always empty. */
            readonly logprobs?: readonly components["schemas"]["FreeObject"][];
            readonly name?: string;
        };
        /**
         * @description The JSON of one frame of a Messages stream; the `event:` line repeats `type`: message_start, ping,
         *     content_block_start, content_block_delta, content_block_stop, message_delta, message_stop or error.
         */
        readonly MessageEvent: {
            readonly type: string;
            readonly message?: components["schemas"]["FreeObject"];
            readonly index?: number;
            readonly content_block?: components["schemas"]["FreeObject"];
            readonly delta?: components["schemas"]["FreeObject"];
            readonly usage?: components["schemas"]["MessageUsage"];
            readonly error?: components["schemas"]["MessagesErrorDetail"];
            /** @description On an error, the same id as the header `request-id`. */
            readonly request_id?: string;
        };
        /**
         * @description The JSON of one `data:` line of an order's stream, in the shape of the order's endpoint: a ChatCompletionChunk, a
         *     CompletionChunk, a ResponseEvent, a MessageEvent, or an ErrorEnvelope. `[DONE]` is not JSON.
         */
        readonly OrderEvent: components["schemas"]["ChatCompletionChunk"] | components["schemas"]["CompletionChunk"] | components["schemas"]["ResponseEvent"] | components["schemas"]["MessageEvent"] | components["schemas"]["ErrorEnvelope"];
        /** @description One priced request. Times are ISO 8601. */
        readonly Order: {
            readonly id: string;
            /** @description queued, executing, done, error, canceled or expired. */
            readonly status: string;
            /**
             * Format: double
             * @description The price at which the order waits, USD per 1M input tokens at the reference mix: its price limit, or the lower
             *     of quote and limit when locked; with a deadline, what the market bids for it at the moment. On a fixed-price
             *     model, its prices at the reference mix.
             */
            readonly bid: number;
            /** @description The endpoint to which it was sent: chat, completion, responses or messages. */
            readonly kind: string;
            readonly model: string;
            readonly created_at: string;
            /** @description When it started to execute; null while queued, also after a requeue. */
            readonly admitted_at: string | null;
            /** @description When it reached its final status. */
            readonly finished_at: string | null;
            /** @description When it leaves the book if it has not started. */
            readonly expires_at: string;
            /**
             * Format: double
             * @description The price charged, the lower of the level at dispatch and the bid; null until admitted.
             */
            readonly level_at_execution: number | null;
            /**
             * Format: int64
             * @description Its position in the book, from 1, while it is queued on a market model; null otherwise.
             */
            readonly queue_position: number | null;
            /**
             * @description Why it ended as error, canceled or expired; null otherwise. client_closed (the caller's connection closed),
             *     gateway_draining, gateway_unavailable, gateway_restarted, account_suspended, order_canceled, order_expired,
             *     capacity_unavailable, insufficient_balance, key_budget_exceeded, context_length_exceeded, model_refused,
             *     model_not_found, prices_changed, input_unreadable, backend_error or internal_error (an error of the gateway).
             *     New ones may come.
             */
            readonly error: string | null;
            readonly strategy?: components["schemas"]["OrderStrategy"];
            /** @description Its tags, each once; absent where it has none. */
            readonly tags?: readonly string[];
            readonly usage?: components["schemas"]["OrderUsage"];
            /** @description With `include=usage`; true where the model reported no token counts and the gateway estimated them, else absent. */
            readonly usage_estimated?: boolean;
            /** @description With `include=pricing`. */
            readonly price_lock?: boolean;
            /** @description With `include=pricing`; market or fixed. */
            readonly pricing?: string;
            /**
             * Format: double
             * @description With `include=pricing`; the most that it is charged, null where the request named none.
             */
            readonly max_charge_usd?: number | null;
            readonly usd_per_million?: components["schemas"]["TokenPrices"];
            /** @description With `include=storage`. */
            readonly result_stored?: boolean;
            /** @description With `include=storage`. */
            readonly result_expires_at?: string | null;
            /** @description With `include=batch`; null outside any batch. */
            readonly batch_id?: string | null;
            /** @description With `include=batch`; null outside any batch. */
            readonly custom_id?: string | null;
        };
        /** @description With `include=usage`; null without a usage record. The charge is net of refunds. */
        readonly OrderUsage: {
            /** Format: int64 */
            readonly prompt_tokens: number;
            /** Format: int64 */
            readonly cached_tokens: number;
            /** Format: int64 */
            readonly output_tokens: number;
            /** Format: double */
            readonly charged_usd: number;
        } | null;
        /**
         * @description A page of orders. The `total_` fields are filled with `include=totals` on the first page and null otherwise;
         *     `counts` is filled with `include=counts` and null otherwise.
         */
        readonly OrderList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["Order"][];
            readonly has_more: boolean;
            readonly next_cursor: string | null;
            /** Format: int64 */
            readonly total_orders: number | null;
            /**
             * Format: int64
             * @description Orders that ended as error or expired.
             */
            readonly total_failed: number | null;
            /** Format: double */
            readonly total_charged_usd: number | null;
            /**
             * Format: double
             * @description What the market orders would have cost at their bids; null if there are orders but none of them is a market order.
             */
            readonly total_at_bid_usd: number | null;
            /**
             * Format: double
             * @description That sum less what they did cost; null in the same case.
             */
            readonly total_saved_usd: number | null;
            readonly counts: components["schemas"]["OrderCounts"];
        };
        /** @description Queued and executing orders of the filtered set, whatever the status filter. */
        readonly OrderCounts: {
            /** Format: int64 */
            readonly queued: number;
            /** Format: int64 */
            readonly executing: number;
            readonly oldest_queued_at: string | null;
        } | null;
        /** @description The stored answer of an order, or its state. */
        readonly OrderResult: {
            readonly id: string;
            /** @description Always `order.result`. */
            readonly object: string;
            /** @description chat, completion, responses or messages: the shape of `body`. */
            readonly kind: string;
            /** @description The status of the order. */
            readonly status: string;
            readonly created_at: string;
            readonly expires_at: string;
            /** @description The answer is stored until then. */
            readonly result_expires_at: string | null;
            /**
             * @description The answer in the shape of its endpoint; null until there is one. Fields that echo the request have their
             *     defaults.
             */
            readonly body: {
                readonly [key: string]: unknown;
            } | null;
            readonly error: components["schemas"]["OrderError"];
        };
        /** @description Why the order ended without an answer; null otherwise. */
        readonly OrderError: {
            readonly code: string;
            readonly message: string;
        } | null;
        readonly SignedReceipt: {
            /** @description The order's id. */
            readonly id: string;
            /** @description order.receipt. */
            readonly object: string;
            /**
             * @description The JWS, in its compact form. Its header has `alg` EdDSA, `typ` sluice-receipt+jws and the `kid` of a key in
             *     `GET /.well-known/jwks.json`.
             */
            readonly jws: string;
            readonly receipt: components["schemas"]["ReceiptClaims"];
        };
        /**
         * @description The payload of the JWS. Amounts are whole nano-dollars (10⁻⁹ USD) and prices nano-dollars per 1M input tokens at the
         *     reference mix, so that the charge can be recomputed exactly.
         */
        readonly ReceiptClaims: {
            /** @description The issuer, as `GET /.well-known/jwks.json` names it. */
            readonly iss: string;
            /**
             * Format: int64
             * @description When the order was settled, in epoch seconds.
             */
            readonly iat: number;
            readonly order_id: string;
            /** @description chat, completion, responses or messages. */
            readonly kind: string;
            readonly model: string;
            readonly created_at: string;
            readonly admitted_at: string | null;
            readonly settled_at: string;
            /**
             * @description `market:CACHED:UNCACHED:OUTPUT` with the weights of the three kinds of token, or `fixed:…` with their prices in
             *     nano-dollars per 1M tokens, under which the order was submitted. Weights are in units of 10⁻⁹.
             */
            readonly tariff: string;
            /**
             * Format: int64
             * @description The price charged, `level_at_execution`.
             */
            readonly level_nano_usd: number;
            /** Format: int64 */
            readonly bid_nano_usd: number;
            /** Format: int64 */
            readonly prompt_tokens: number;
            /**
             * Format: int64
             * @description Part of `prompt_tokens`.
             */
            readonly cached_tokens: number;
            /** Format: int64 */
            readonly output_tokens: number;
            /** @description Whether the gateway counted the tokens, because the model reported none. */
            readonly estimated: boolean;
            /**
             * Format: int64
             * @description What was debited, before refunds.
             */
            readonly charged_nano_usd: number;
            /**
             * Format: int64
             * @description What the tokens cost beyond that, and nobody paid.
             */
            readonly written_off_nano_usd: number;
            /**
             * Format: int64
             * @description The most that the request was to be charged; null where it named none, absent in receipts of older gateways. What
             *     its tokens cost beyond it is written off.
             */
            readonly max_charge_nano_usd?: number | null;
            readonly level_row: components["schemas"]["ReceiptLevel"];
            readonly quote_window: components["schemas"]["ReceiptQuote"];
        };
        /** @description The published level at which the order was admitted; null on fixed prices, and when it is no longer kept. */
        readonly ReceiptLevel: {
            /**
             * Format: int64
             * @description Levels of a market are numbered from 1.
             */
            readonly number: number;
            /** Format: int64 */
            readonly level_nano_usd: number;
            /**
             * Format: int64
             * @description When it was published, in epoch milliseconds.
             */
            readonly at_ms: number;
            /** @description The hash of the row before; null when it is not known. */
            readonly previous: string | null;
            /** @description The hash of this row in `GET /v1/market/ledger`; null for a row of before there were hashes. */
            readonly hash: string | null;
        } | null;
        /** @description The quote that a lock relied on; null for any other order, and when it is no longer kept. */
        readonly ReceiptQuote: {
            /**
             * Format: int64
             * @description Quotes of a market are numbered from 1.
             */
            readonly number: number;
            /** Format: int64 */
            readonly price_nano_usd: number;
            /**
             * Format: int64
             * @description When its window began, in epoch milliseconds.
             */
            readonly from_ms: number;
            /**
             * Format: int64
             * @description When its window ended.
             */
            readonly until_ms: number;
            /** @description The hash of the row before; null when it is not known. */
            readonly previous: string | null;
            /** @description The hash of this row in `GET /v1/market/ledger`; null for a row of before there were hashes. */
            readonly hash: string | null;
        } | null;
        readonly Deleted: {
            readonly id: string;
            /** @description What was deleted: `file` or `order.result`. */
            readonly object: string;
            /** @description Always true. */
            readonly deleted: boolean;
        };
        readonly RepriceRequest: {
            /** @description 1 to 500 order ids; duplicates count once. */
            readonly ids: readonly string[];
            /**
             * Format: double
             * @description USD per 1M input tokens at the reference mix.
             */
            readonly price_limit: number;
        };
        readonly RepriceResult: {
            /** @description Always `list`. */
            readonly object: string;
            /**
             * Format: double
             * @description The new price limit, rounded down to whole nano-dollars.
             */
            readonly price_limit: number;
            /** @description How many orders were changed. */
            readonly changed: number;
            readonly data: readonly components["schemas"]["RepricedOrder"][];
        };
        readonly RepricedOrder: {
            readonly id: string;
            readonly changed: boolean;
            /**
             * @description Null when changed; not_queued, price_locked, too_large (the balance does not cover its worst case at the lower
             *     of level and new price, as for a new order), max_charge_too_low (its `max_charge_usd` does not cover its input and one
             *     output token at the new price), fixed_price_model, or unavailable (still queued; try again).
             */
            readonly code: string | null;
            /** @description The code as a sentence. */
            readonly reason: string | null;
        };
        readonly CanceledOrder: {
            readonly id: string;
            /** @description Always `canceled`. */
            readonly status: string;
        };
        readonly Account: {
            /** @description Always `account`. */
            readonly object: string;
            readonly account_id: string;
            /**
             * Format: double
             * @description The balance in USD.
             */
            readonly balance_usd: number;
            /** @description The default price limit of each market model that has one, by model id. */
            readonly default_price_limit: {
                readonly [key: string]: number;
            };
            /** @description The default of `price_lock` for interactive requests to market models; detached ones do not have it. */
            readonly price_lock: boolean;
            /** @description The default of `max_wait`. */
            readonly order_timeout_seconds: number;
            readonly storage: components["schemas"]["AccountStorage"];
            readonly orders: components["schemas"]["AccountOrders"];
        };
        /** @description Read-only here. */
        readonly AccountStorage: {
            /** @description Days that a result is stored; 0 stores none. */
            readonly retention_days: number;
            /** @description Whether requests are logged too. */
            readonly log_payloads: boolean;
        };
        readonly AccountOrders: {
            /** Format: int64 */
            readonly queued: number;
            /** Format: int64 */
            readonly executing: number;
        };
        readonly AccountUpdate: {
            /**
             * @description Merged into the stored defaults. A number sets the default of that model, null clears it, other models keep
             *     theirs. A number for a fixed-price model is 400 `fixed_price_model`.
             */
            readonly default_price_limit?: {
                readonly [key: string]: number | null;
            };
            /** @description The default of `price_lock` for interactive requests to market models; detached ones do not have it. */
            readonly price_lock?: boolean;
            /** @description 10 seconds to 30 days. */
            readonly order_timeout_seconds?: number;
        };
        /** @description One settled order. */
        readonly UsageRecord: {
            readonly id: string;
            readonly order_id: string;
            /** @description The time of settlement, ISO 8601. */
            readonly created_at: string;
            readonly model: string;
            /** Format: int64 */
            readonly prompt_tokens: number;
            /** Format: int64 */
            readonly cached_tokens: number;
            /** Format: int64 */
            readonly output_tokens: number;
            /** Format: double */
            readonly level_at_execution: number;
            /**
             * Format: double
             * @description Net of refunds.
             */
            readonly charged_usd: number;
            /** @description market or fixed. */
            readonly pricing: string;
            /** @description Those of its order; absent where it has none. */
            readonly tags?: readonly string[];
        };
        readonly UsageList: {
            /** @description Always `list`. */
            readonly object: string;
            /**
             * Format: double
             * @description The balance now; null after the first page.
             */
            readonly balance_usd: number | null;
            /**
             * Format: double
             * @description Over all filtered records; null after the first page.
             */
            readonly total_charged_usd: number | null;
            /**
             * Format: int64
             * @description Over all filtered records; null after the first page.
             */
            readonly total_requests: number | null;
            readonly has_more: boolean;
            readonly next_cursor: string | null;
            readonly data: readonly components["schemas"]["UsageRecord"][];
        };
        readonly FileUpload: {
            /**
             * Format: binary
             * @description JSON Lines, up to 50 MiB.
             */
            readonly file: string;
            /** @enum {string} */
            readonly purpose: "batch";
        };
        readonly StoredFile: {
            /** @description Begins with `file-`. */
            readonly id: string;
            /** @description Always `file`. */
            readonly object: string;
            /** Format: int64 */
            readonly bytes: number;
            /**
             * Format: int64
             * @description Epoch seconds.
             */
            readonly created_at: number;
            /**
             * Format: int64
             * @description Epoch seconds; the content can be read until then.
             */
            readonly expires_at: number;
            readonly filename: string;
            /** @description batch, batch_output or batch_errors. */
            readonly purpose: string;
            /** @description Always `processed`. */
            readonly status: string;
        };
        readonly FileList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["StoredFile"][];
            readonly first_id: string | null;
            readonly last_id: string | null;
            readonly has_more: boolean;
        };
        readonly BatchRequest: {
            /**
             * @description A file of purpose `batch`.
             * @example file-01980d3e7c5a7b3e9d2f4a6b8c0d1e2f
             */
            readonly input_file_id: string;
            /**
             * @description The endpoint of every line of the file.
             * @enum {string}
             */
            readonly endpoint: "/v1/chat/completions" | "/v1/completions" | "/v1/responses" | "/v1/messages";
            /**
             * @description Only 24h, which is also the default.
             * @enum {string|null}
             */
            readonly completion_window?: "24h" | null;
            readonly price_limit?: components["schemas"]["PriceLimit"];
            /**
             * @description Seconds until the batch expires, clamped to the configured range; a day when absent. A `deadline` must lie within
             *     this time.
             */
            readonly max_wait?: number | null;
            /**
             * @description When every line must have started: a whole number of seconds from now, or a time in RFC 3339, with the bounds of the
             *     `deadline` of a request, and within `max_wait`. Each line becomes an order with a deadline, for which the market bids
             *     as little as probably starts it in time, never more than its price limit: the line's, the batch's or the default.
             *     Lines of a large batch take turns, so some have earlier deadlines. Lines that have not started by then expire:
             *     `expires_at` of the batch is this time.
             * @example 28800
             */
            readonly deadline?: components["schemas"]["ValueDeadline"];
            readonly tags?: components["schemas"]["Tags"];
            readonly metadata?: components["schemas"]["Metadata"];
        };
        /** @description Times are epoch seconds, null for what has not happened yet. */
        readonly Batch: {
            /** @description `batch_` and 24 characters. */
            readonly id: string;
            /** @description Always `batch`. */
            readonly object: string;
            readonly endpoint: string;
            /** @description validating, in_progress, cancelling, completed, expired, cancelled or failed. */
            readonly status: string;
            readonly input_file_id: string;
            /** @description The file with the answers; null until the batch has finished, and when there are none. */
            readonly output_file_id: string | null;
            /** @description The file with the lines that have no answer; null in the same cases. */
            readonly error_file_id: string | null;
            readonly errors: components["schemas"]["BatchErrors"];
            /** @description Always `24h`; `expires_at` says when lines really expire. */
            readonly completion_window: string;
            /** Format: int64 */
            readonly created_at: number;
            /**
             * Format: int64
             * @description When its lines began to run, epoch seconds; null until then.
             */
            readonly in_progress_at: number | null;
            /**
             * Format: int64
             * @description When its last line ended, epoch seconds; null until then.
             */
            readonly finalizing_at: number | null;
            /** Format: int64 */
            readonly completed_at: number | null;
            /**
             * Format: int64
             * @description When its file was found to be wrong, epoch seconds; null until then.
             */
            readonly failed_at: number | null;
            /**
             * Format: int64
             * @description When its time was over, epoch seconds; null until then.
             */
            readonly expired_at: number | null;
            /**
             * Format: int64
             * @description When it was canceled, epoch seconds; null until then.
             */
            readonly cancelling_at: number | null;
            /**
             * Format: int64
             * @description When its last line had ended after that, epoch seconds; null until then.
             */
            readonly cancelled_at: number | null;
            /**
             * Format: int64
             * @description When lines that still wait expire; the `deadline` of a batch that has one.
             */
            readonly expires_at: number;
            readonly request_counts: components["schemas"]["BatchCounts"];
            readonly metadata: components["schemas"]["BatchMetadata"];
            /** @description The tags of lines that have none of their own; absent where the batch was created without. */
            readonly tags?: readonly string[];
            readonly x_market: components["schemas"]["BatchMarket"];
            readonly x_retention: components["schemas"]["BatchRetention"];
        };
        /** @description As sent; null when absent. */
        readonly BatchMetadata: {
            readonly [key: string]: string;
        } | null;
        /** @description Why validation failed; null otherwise. */
        readonly BatchErrors: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["BatchError"][];
        } | null;
        readonly BatchError: {
            /** @description Always `batch_error`. */
            readonly code: string;
            /** @description Names the line where there is one. */
            readonly message: string;
        };
        readonly BatchCounts: {
            readonly total: number;
            readonly completed: number;
            /** @description With expired and cancelled lines. */
            readonly failed: number;
        };
        readonly BatchMarket: {
            /** @description Queued and executing lines. */
            readonly active: number;
            /** @description Finished lines that are not in a file yet. */
            readonly pending_result: number;
            readonly expired: number;
            readonly canceled: number;
            /**
             * Format: double
             * @description The batch's own price limit.
             */
            readonly bid: number | null;
            /**
             * Format: int64
             * @description When every line must have started, epoch seconds; null for a batch without a `deadline`.
             */
            readonly deadline: number | null;
        };
        /** @description How long the output file is kept. */
        readonly BatchRetention: {
            readonly output_days: number;
            /**
             * Format: int64
             * @description Epoch seconds; null until there is an output.
             */
            readonly output_expires_at: number | null;
            readonly output_deleted: boolean;
        };
        readonly BatchList: {
            /** @description Always `list`. */
            readonly object: string;
            readonly data: readonly components["schemas"]["Batch"][];
            readonly first_id: string | null;
            readonly last_id: string | null;
            readonly has_more: boolean;
        };
        /** @description One line of an input file. */
        readonly BatchInputLine: {
            /** @description Your name of the line: any string, unique in the file. */
            readonly custom_id: string;
            /** @enum {string} */
            readonly method: "POST";
            /** @description The endpoint of the batch. */
            readonly url: string;
            /** @description A request for that endpoint; its `price_limit` takes precedence over that of the batch. */
            readonly body: {
                readonly [key: string]: unknown;
            };
        };
        /** @description One line of an output file. */
        readonly BatchOutputLine: {
            /** @description Begins with `batch_req_`. */
            readonly id: string;
            readonly custom_id: string;
            readonly response: components["schemas"]["BatchLineResponse"];
            readonly error: components["schemas"]["BatchLineError"];
        };
        /** @description Null on a line of the error file. */
        readonly BatchLineResponse: {
            readonly status_code: number;
            /** @description The order id. */
            readonly request_id: string;
            readonly body: components["schemas"]["BatchLineBody"];
            /** @description What the header `X-Warning` would say of this request, where a name in it looks misspelt. */
            readonly warning?: string;
        } | null;
        /** @description The normal response of the endpoint. */
        readonly BatchLineBody: {
            readonly [key: string]: unknown;
        };
        /** @description Null on a line of the output file. */
        readonly BatchLineError: {
            /**
             * @description expired, canceled, prices_changed, invalid_request, insufficient_balance, key_budget_exceeded or an inference
             *     code.
             */
            readonly code: string;
            /** @description Ends with what the header `X-Warning` would say, where a name in the request looks misspelt. */
            readonly message: string;
        } | null;
        /** @description One model on sale. */
        readonly Model: {
            readonly id: string;
            /** @description Always `model`. */
            readonly object: string;
            /**
             * Format: int64
             * @description Epoch seconds.
             */
            readonly created: number;
            readonly owned_by: string;
            readonly display_name: string;
            /**
             * Format: int64
             * @description The most tokens of prompt and output together.
             */
            readonly context_length: number;
            /**
             * Format: int64
             * @description The most tokens of output.
             */
            readonly max_output_length: number;
            readonly pricing_ratio: components["schemas"]["PricingRatio"];
            readonly pricing: components["schemas"]["ModelPricing"];
            /**
             * Format: double
             * @description The lowest bid that runs, in the unit of a price limit; an order that bids less is accepted and waits. Level and
             *     quote are never below it. Absent on a fixed-price model.
             */
            readonly reserve?: number;
            /** @description True for a market in preview, whose prices are simulated; absent means false. */
            readonly preview: boolean;
            /** @description Present and true on a model that takes no requests any more. */
            readonly deprecated?: boolean;
            /**
             * @description Present and true on a model that takes images on the Messages routes. On the chat and Responses routes images
             *     are passed on to every model.
             */
            readonly accepts_images?: boolean;
            /** @description When `id` is an alias, the model that it names. */
            readonly x_alias_of?: string;
            /** @description Other names that requests may use for this model; absent where it has none. */
            readonly x_aliases?: readonly string[];
        };
        /**
         * @description Weights that distribute a level over the three kinds of token. The price of kind k is level × k ÷ (0.9 × cached +
         *     0.1 × uncached + 0.02 × output). On a fixed-price model, its three prices.
         */
        readonly PricingRatio: {
            /** Format: double */
            readonly cached: number;
            /** Format: double */
            readonly uncached: number;
            /** Format: double */
            readonly output: number;
        };
        /**
         * @description How the model is priced. Treat a `type` that you do not know as a model without a static price. All fields but
         *     the type are for fixed prices only.
         */
        readonly ModelPricing: {
            /** @description market or fixed. */
            readonly type: string;
            readonly usd_per_million?: components["schemas"]["TokenPrices"];
            /**
             * Format: double
             * @description The prices at the reference mix, in the unit of a price limit.
             */
            readonly level?: number;
            /** @description USD per token of input that is not in the cache, as a decimal string. */
            readonly prompt?: string;
            /** @description USD per token of output, as a decimal string. */
            readonly completion?: string;
            /** @description USD per token of input read from the cache, as a decimal string. */
            readonly input_cache_read?: string;
        };
        /** @description The weights that turn three prices into one. */
        readonly ReferenceMix: {
            /** Format: double */
            readonly cached_share: number;
            /** Format: double */
            readonly uncached_share: number;
            /** Format: double */
            readonly output_per_input: number;
        };
        readonly ModelList: {
            /** @description Always `list`. */
            readonly object: string;
            /** @description The model of a request that names none. */
            readonly default: string;
            readonly reference_mix: components["schemas"]["ReferenceMix"];
            readonly data: readonly components["schemas"]["Model"][];
        };
        /** @description Sizes are in bytes. */
        readonly RateLimits: {
            /** @description Always `rate_limits`. */
            readonly object: string;
            readonly inference: components["schemas"]["InferenceLimits"];
            readonly orders: components["schemas"]["OrderLimits"];
            readonly account: components["schemas"]["AccountLimits"];
            readonly files: components["schemas"]["FileLimits"];
            readonly batch: components["schemas"]["BatchLimits"];
            readonly storage: components["schemas"]["StorageLimits"];
            readonly public: components["schemas"]["PublicLimits"];
        };
        readonly InferenceLimits: {
            /** @description With token counting. */
            readonly requests_per_minute_per_key: number;
            /**
             * Format: int64
             * @description The size of any JSON body, after decompression.
             */
            readonly request_body_bytes_max: number;
            /**
             * Format: int64
             * @description How many bytes of bodies above 64 KiB the gateway reads at once; the others wait in turn.
             */
            readonly request_bytes_at_once: number;
            /**
             * Format: int64
             * @description How many bytes of replies the gateway keeps that callers have not read yet, for all of them together. Beyond it the connections of those are closed who have been behind the longest.
             */
            readonly unread_bytes_max: number;
            /** @description The depth of nested arrays and objects in any JSON body. */
            readonly request_body_nesting_max: number;
            /** @description The number of object members and array items in any JSON body, at all levels. */
            readonly request_body_values_max: number;
            /**
             * Format: double
             * @description USD per 1M input tokens at the reference mix; the least is 0.
             */
            readonly price_limit_max: number;
            /**
             * Format: int64
             * @description The largest output cap that is accepted, before it is reduced to that of the model.
             */
            readonly output_cap_max: number;
            readonly stop_sequences_max: number;
            readonly stop_sequence_length_max: number;
        };
        readonly OrderLimits: {
            /** @description Over all models; lines of batches are counted separately. */
            readonly queued_per_account: number;
            /** @description The same for all accounts together; an account may use at most as much as it leaves free. */
            readonly queued_max: number;
            /**
             * Format: int64
             * @description What those orders hold, as the JSON that the model gets.
             */
            readonly queued_bytes_per_account: number;
            /**
             * Format: int64
             * @description The same for all accounts together; an account may use at most as much as it leaves free.
             */
            readonly queued_bytes_max: number;
            /**
             * Format: int64
             * @description How much of it the gateway keeps in memory; the rest waits on disk.
             */
            readonly queued_bytes_in_memory: number;
            readonly timeout_seconds_min: number;
            readonly timeout_seconds_max: number;
            /** @description How long a locked order may take to start. */
            readonly price_lock_window_seconds: number;
            readonly reprice_ids_max: number;
            readonly page_size_default: number;
            readonly page_size_max: number;
        };
        readonly AccountLimits: {
            /** @description Operations on orders, batches, account and usage together. */
            readonly requests_per_minute_per_account: number;
            /**
             * Format: int64
             * @description Results, batch files and request logs together; one download may exceed it.
             */
            readonly downloads_bytes_per_hour_per_account: number;
            readonly active_keys_max: number;
            /** Format: double */
            readonly top_up_usd_min: number;
            /** Format: double */
            readonly top_up_usd_max: number;
            readonly usage_page_size_default: number;
            readonly usage_page_size_max: number;
        };
        readonly FileLimits: {
            /** @description Uploads, reads and deletes together. */
            readonly requests_per_minute_per_account: number;
            readonly page_size_default: number;
            readonly page_size_max: number;
        };
        readonly BatchLimits: {
            readonly submissions_per_minute_per_account: number;
            readonly running_per_account: number;
            /** @description Above it a batch stays validating and its lines are submitted later; never an error. */
            readonly queued_orders_per_account: number;
            /** @description The same for all accounts together; an account may use at most as much as it leaves free. */
            readonly queued_orders_max: number;
            readonly requests_per_file_max: number;
            /** Format: int64 */
            readonly input_file_bytes_max: number;
            readonly metadata_pairs_max: number;
            readonly metadata_key_length_max: number;
            readonly metadata_value_length_max: number;
            /** @description The output of a batch is stored at least this long, whatever the storage setting of the account. */
            readonly min_retention_days: number;
        };
        readonly StorageLimits: {
            readonly retention_days_max: number;
            /**
             * Format: int64
             * @description Above it the oldest stored content is deleted; never an error.
             */
            readonly bytes_max_per_account: number;
        };
        readonly PublicLimits: {
            /** @description Health and discovery have no limit. An IPv6 address counts by its /64. */
            readonly requests_per_minute_per_address: number;
            /** @description The partner catalog, which is counted separately. */
            readonly partner_requests_per_minute_per_address: number;
            /** @description The three market streams together. */
            readonly open_streams_per_address: number;
        };
        /** @description The published price of a market. */
        readonly Level: {
            readonly model: string;
            /**
             * Format: double
             * @description USD per 1M input tokens at the reference mix; it may reach 0.
             */
            readonly level: number;
            readonly usd_per_million: components["schemas"]["TokenPrices"];
            /** @description clearing or preview. */
            readonly mode: string;
            /** @description True while no pod of the model is healthy; always false on a preview. */
            readonly degraded: boolean;
            /** @description ISO 8601. */
            readonly updated_at: string;
            readonly preview: boolean;
        };
        readonly LevelList: {
            readonly levels: readonly components["schemas"]["LevelEntry"][];
        };
        readonly LevelEntry: {
            readonly model: string;
            /** Format: double */
            readonly level: number;
            /** @description Present on a preview. */
            readonly preview?: boolean;
        };
        /** @description The price of a locked request, valid for one window. */
        readonly Quote: {
            /**
             * Format: double
             * @description USD per 1M input tokens at the reference mix.
             */
            readonly price: number;
            /**
             * Format: double
             * @description The quote of the previous window; null if there was none.
             */
            readonly previous_price: number | null;
            readonly usd_per_million: components["schemas"]["TokenPrices"];
            /** @description When the next window begins, ISO 8601. */
            readonly valid_until: string;
            /**
             * Format: int64
             * @description Milliseconds until then.
             */
            readonly valid_for_ms: number;
            /**
             * Format: int64
             * @description How long every quote is valid.
             */
            readonly interval_ms: number;
            /** @description How long a locked request may take to start, from its submission. */
            readonly execute_window_seconds: number;
            /**
             * Format: double
             * @description The measured share of locked requests with a limit above the quote that started in time; null when there are
             *     too few of them, and on a preview.
             */
            readonly clear_rate: number | null;
            /**
             * Format: double
             * @description The same of the locked requests whose quote was above the market's lowest level. Idle markets start nearly every
             *     lock; this is the share where slots are scarce. Null when there are too few of them, and on a preview.
             */
            readonly scarce_clear_rate: number | null;
            /**
             * @description False where the target cannot be kept, whatever the quote: if all slots are busy, they come free too seldom for
             *     even the best bid to start in time. That is where 1 − e^(−execute_window_seconds × start rate) is below
             *     target_start_rate. The start rate is how many requests a second the pods start while all slots are busy, measured
             *     over about five minutes of full use; a request that held its slot for less than a second counts in part. Null while
             *     too little is known, while no pod is healthy, and on a preview.
             */
            readonly attainable: boolean | null;
            /**
             * Format: int64
             * @description The period of that measurement.
             */
            readonly clear_rate_window_ms: number;
            /**
             * Format: double
             * @description The share that the quote aims at.
             */
            readonly target_start_rate: number;
            /** @description Present on a preview. */
            readonly preview?: boolean;
        };
        readonly MarketHistory: {
            /** @description The range that was served. */
            readonly range: string;
            readonly model: string;
            readonly bucket_seconds: number;
            /**
             * Format: int64
             * @description Epoch seconds, aligned to the bucket.
             */
            readonly from: number;
            /**
             * Format: int64
             * @description Epoch seconds, aligned to the bucket.
             */
            readonly to: number;
            /**
             * Format: double
             * @description The level now.
             */
            readonly current: number;
            readonly points: readonly components["schemas"]["LevelPoint"][];
            /** @description Present on a preview. */
            readonly preview?: boolean;
        };
        readonly LevelPoint: {
            /** @description The start of the bucket, ISO 8601. */
            readonly t: string;
            /**
             * Format: double
             * @description The time-weighted mean over the bucket.
             */
            readonly level: number;
        };
        readonly MarketCandles: {
            /** @description The range that was served. */
            readonly range: string;
            readonly model: string;
            readonly bucket_seconds: number;
            readonly bucket_choices: readonly number[];
            /**
             * Format: double
             * @description The level now.
             */
            readonly current: number;
            readonly candles: readonly components["schemas"]["Candle"][];
            /** @description Present on a preview. */
            readonly preview?: boolean;
        };
        readonly Candle: {
            /**
             * Format: int64
             * @description The start of the bucket, epoch seconds.
             */
            readonly t: number;
            /** Format: double */
            readonly open: number;
            /** Format: double */
            readonly high: number;
            /** Format: double */
            readonly low: number;
            /** Format: double */
            readonly close: number;
            /**
             * Format: double
             * @description Weighted by time.
             */
            readonly mean: number;
        };
        /** @description Every model, its prices now, and what it did in the last 24 hours. */
        readonly MarketSummary: {
            /** @description When this was built, ISO 8601. */
            readonly updated_at: string;
            /** @description The width of a bucket of the sparklines. */
            readonly bucket_seconds: number;
            /**
             * Format: int64
             * @description The start of the first bucket, in epoch seconds.
             */
            readonly from: number;
            /**
             * Format: int64
             * @description The end of the last bucket, in epoch seconds. That bucket contains the current moment.
             */
            readonly to: number;
            /** @description The default model. */
            readonly default: string;
            /** @description In the configured order. */
            readonly models: readonly components["schemas"]["MarketSummaryRow"][];
        };
        readonly MarketSummaryRow: {
            readonly model: string;
            readonly display_name: string;
            /** @description market or fixed. */
            readonly pricing: string;
            /**
             * Format: double
             * @description USD per 1M input tokens at the reference mix; null on a fixed-price model.
             */
            readonly level: number | null;
            readonly usd_per_million: components["schemas"]["TokenPrices"];
            /**
             * Format: double
             * @description By how many per cent the level is above the one of 24 hours ago. Null on a fixed-price model, where that level is
             *     not known, and where it was 0.
             */
            readonly change_24h_pct: number | null;
            /**
             * @description The time-weighted mean level of each bucket, oldest first; null where no gateway was up. Null on a fixed-price
             *     model.
             */
            readonly sparkline: readonly (number | null)[] | null;
            /** @description The quote for locked requests; null on a fixed-price model. */
            readonly quote: {
                /**
                 * Format: double
                 * @description USD per 1M input tokens at the reference mix.
                 */
                readonly price: number;
                /** @description When the next window begins, ISO 8601. */
                readonly valid_until: string;
            } | null;
            /**
             * Format: double
             * @description The share of the probes of 24 hours that did not fail; null where nothing was measured.
             */
            readonly uptime_pct: number | null;
            /**
             * Format: int64
             * @description Billed in 24 hours, cached ones included. A preview has zeros.
             */
            readonly input_tokens: number;
            /** Format: int64 */
            readonly cached_tokens: number;
            /** Format: int64 */
            readonly miss_tokens: number;
            /** Format: int64 */
            readonly output_tokens: number;
            /** Format: int64 */
            readonly total_tokens: number;
            /** Format: int64 */
            readonly requests: number;
            /** @description As `GET /v1/market/depth` has it; null as there, and on a fixed-price model. */
            readonly slots: number | null;
            /** @description How many of `slots` were taken; null as `slots`. */
            readonly busy_slots: number | null;
            /** @description True while no pod of the model is healthy; always false on a preview. */
            readonly degraded: boolean;
            readonly preview: boolean;
            readonly deprecated: boolean;
        };
        /** @description What waited at which bid, one window of the quote ago. */
        readonly MarketDepth: {
            readonly model: string;
            /**
             * @description When it was so, ISO 8601. Null where it is not known: until two windows have begun, on a preview, and of several
             *     gateways while the one that has the book cannot be reached.
             */
            readonly taken_at: string | null;
            /** @description How many orders the healthy pods could run at once; null as `taken_at`. */
            readonly slots: number | null;
            /** @description How many of them were taken; null as `taken_at`. */
            readonly busy_slots: number | null;
            /** @description The fewest accounts whose orders are in a step. */
            readonly accounts_min: number;
            /** @description The best bids first. */
            readonly steps: readonly components["schemas"]["DepthStep"][];
            /** @description Present on a preview. */
            readonly preview?: boolean;
        };
        readonly DepthStep: {
            /**
             * Format: double
             * @description The lowest bid of this step, in USD per 1M input tokens at the reference mix. It reaches up to the step before;
             *     the first has no upper bound.
             */
            readonly price: number;
            /** Format: int64 */
            readonly orders: number;
        };
        /** @description When requests at a bid are expected to start, and what they are expected to cost. */
        readonly MarketEstimate: {
            readonly model: string;
            /**
             * @description As of when, ISO 8601, at most a second ago. Null on a preview, and of several gateways while the one that has the
             *     book cannot be reached.
             */
            readonly taken_at: string | null;
            /**
             * Format: double
             * @description The level now.
             */
            readonly level: number | null;
            /**
             * Format: double
             * @description What the requests bid, in USD per 1M input tokens at the reference mix: the limit, what a lock bids, or the
             *     lowest bid for the chance. Null where no bid has that chance, or it is not known.
             */
            readonly bid: number | null;
            readonly requests: number;
            readonly within_seconds: number;
            /**
             * Format: double
             * @description The chance that all of them start in time, in steps of 0.05. Null where it is not known: as `taken_at`, and while
             *     fewer than five requests have ended.
             */
            readonly chance: number | null;
            /**
             * Format: double
             * @description The wait that half of such requests do not exceed, in coarse steps. Null as `chance`, and beyond an hour.
             */
            readonly wait_p50_seconds: number | null;
            /**
             * Format: double
             * @description The wait that nine of ten do not exceed.
             */
            readonly wait_p90_seconds: number | null;
            /**
             * Format: double
             * @description What they cost at the level of now, or at their bid where that is lower. Null without tokens or bid.
             */
            readonly expected_charge_usd: number | null;
            /**
             * Format: double
             * @description What they cost at their bid. No charge for these tokens is greater.
             */
            readonly greatest_charge_usd: number | null;
            /**
             * @description How well estimates of this market did lately, within 10, 60 and 300 seconds. Empty where the market is not known, as
             *     `taken_at`. It is counted with imagined orders: every five seconds the market takes the bid of one order that just
             *     came, notes its chance, and later notes whether an order there would have started. What starts at once or never is
             *     not counted. The same outcomes correct later estimates.
             */
            readonly reliability: readonly components["schemas"]["EstimateReliability"][];
            /** @description Present on a preview. */
            readonly preview?: boolean;
        };
        /** @description How well the chances to start within one time did, over about a day. */
        readonly EstimateReliability: {
            readonly within_seconds: number;
            /** @description Imagined orders. Older ones count less. */
            readonly orders: number;
            /**
             * Format: double
             * @description The Brier score: the mean squared error of the chances. 0 is a perfect forecast, and saying 0.5 always scores 0.25.
             *     Null with fewer than 30 orders.
             */
            readonly brier: number | null;
            /** @description By tenths of the chance, the lowest first. Tenths with fewer than 30 orders are left out. */
            readonly tenths: readonly components["schemas"]["EstimateTenth"][];
        };
        /** @description The orders whose chance was in one tenth. */
        readonly EstimateTenth: {
            /**
             * Format: double
             * @description The mean of their chances.
             */
            readonly said: number;
            /**
             * Format: double
             * @description The share of them that started in time.
             */
            readonly came: number;
            readonly orders: number;
        };
        readonly MarketLocks: {
            /** @description The range that was served. */
            readonly range: string;
            readonly model: string;
            readonly bucket_seconds: number;
            /**
             * Format: int64
             * @description How long every quote is valid.
             */
            readonly interval_ms: number;
            /**
             * Format: int64
             * @description Epoch seconds, aligned to the bucket.
             */
            readonly from: number;
            /**
             * Format: int64
             * @description Epoch seconds, aligned to the bucket.
             */
            readonly to: number;
            /** @description Of fewer locks no number is shown. */
            readonly locks_min: number;
            readonly points: readonly components["schemas"]["LockPoint"][];
            /** @description Present on a preview. */
            readonly preview?: boolean;
        };
        readonly LockPoint: {
            /**
             * Format: int64
             * @description The start of the bucket, in epoch seconds.
             */
            readonly t: number;
            /** @description How many quotes began in it. */
            readonly windows: number;
            /**
             * Format: double
             * @description Their mean, in USD per 1M input tokens at the reference mix.
             */
            readonly price: number;
            /**
             * Format: double
             * @description The lowest of them.
             */
            readonly low: number;
            /**
             * Format: double
             * @description The highest of them.
             */
            readonly high: number;
            /**
             * Format: int64
             * @description How many locks started or missed their window in this time; null where that is not shown.
             */
            readonly locks: number | null;
            /**
             * Format: int64
             * @description How many of them started; null with `locks`.
             */
            readonly started: number | null;
            /**
             * Format: double
             * @description That share; null with `locks`.
             */
            readonly started_share: number | null;
        };
        readonly MarketLedger: {
            /** @description list. */
            readonly object: string;
            readonly model: string;
            /** @description levels or quotes. */
            readonly chain: string;
            /** @description Whether there are more rows after the last one; send its `number` as `after`. */
            readonly has_more: boolean;
            readonly data: readonly components["schemas"]["LedgerRow"][];
            /** @description Present on a preview, whose prices are simulated. */
            readonly preview?: boolean;
        };
        readonly LedgerRow: {
            /**
             * Format: int64
             * @description Rows are numbered without gaps.
             */
            readonly number: number;
            /**
             * Format: int64
             * @description Nano-dollars (10⁻⁹ USD) per 1M input tokens at the reference mix.
             */
            readonly price_nano_usd: number;
            /**
             * Format: int64
             * @description When it was published, in epoch milliseconds; of a quote, when its window began.
             */
            readonly at_ms: number;
            /**
             * Format: int64
             * @description When the window of a quote ended; null for a level.
             */
            readonly until_ms: number | null;
            /** @description Whether the chain begins with this row. */
            readonly begins: boolean;
            /** @description The hash of the row before; null when that is no longer kept. */
            readonly previous: string | null;
            readonly hash: string;
        };
        readonly LedgerHead: {
            /** @description market.ledger_head. */
            readonly object: string;
            readonly model: string;
            /** @description levels or quotes. */
            readonly chain: string;
            readonly head: components["schemas"]["LedgerHeadClaims"];
            /** @description The JWS of `head`, with `typ` sluice-ledger-head+jws; otherwise as that of a receipt. */
            readonly jws: string | null;
            /** @description Present on a preview, whose prices are simulated. */
            readonly preview?: boolean;
        };
        /** @description The payload of the JWS. */
        readonly LedgerHeadClaims: {
            /** @description The issuer, as `GET /.well-known/jwks.json` names it. */
            readonly iss: string;
            /**
             * Format: int64
             * @description When the row was published, in epoch seconds.
             */
            readonly iat: number;
            readonly model: string;
            readonly chain: string;
            /** Format: int64 */
            readonly number: number;
            readonly hash: string;
        } | null;
        readonly MarketFrame: {
            /** Format: double */
            readonly level: number;
            readonly usd_per_million: components["schemas"]["TokenPrices"];
            readonly updated_at: string;
            readonly preview?: boolean;
        };
        /** @description The markets that moved; all of them on the first frame and as keepalive. */
        readonly LevelsFrame: {
            readonly levels: readonly components["schemas"]["LevelsFrameEntry"][];
        };
        readonly LevelsFrameEntry: {
            readonly model: string;
            /** Format: double */
            readonly level: number;
            readonly updated_at: string;
            readonly preview?: boolean;
            /** @description With `view=board`. Whether no pod is healthy. */
            readonly degraded?: boolean;
            readonly quote?: components["schemas"]["BoardQuote"];
        };
        readonly QuoteFrame: {
            /** Format: double */
            readonly price: number;
            /** Format: double */
            readonly previous_price: number | null;
            readonly usd_per_million: components["schemas"]["TokenPrices"];
            readonly valid_until: string;
            readonly preview?: boolean;
        };
        readonly Uptime: {
            /** @description The range that was served. */
            readonly range: string;
            /** @description Null when the figures cover all models. */
            readonly model: string | null;
            readonly bucket_seconds: number;
            /**
             * Format: int64
             * @description How often each model is probed.
             */
            readonly interval_ms: number;
            /** @description False when nothing is probed; an empty series then means not measured. */
            readonly checks_running: boolean;
            /** @description No pod of the model is healthy now; without `model`, no model has a healthy pod. */
            readonly degraded: boolean;
            readonly summary: components["schemas"]["UptimeSummary"];
            readonly buckets: readonly components["schemas"]["UptimeBucket"][];
        };
        /** @description Times in milliseconds, null without probes. */
        readonly UptimeSummary: {
            /** Format: int64 */
            readonly total: number;
            /** Format: int64 */
            readonly failures: number;
            /**
             * Format: double
             * @description Null without probes, and for a model that has never answered.
             */
            readonly uptime_pct: number | null;
            /** Format: double */
            readonly avg_ms: number | null;
            /** Format: double */
            readonly max_ms: number | null;
            /**
             * Format: double
             * @description Waiting time, which measures demand.
             */
            readonly avg_queue_ms: number | null;
            /** Format: double */
            readonly max_queue_ms: number | null;
            /**
             * Format: double
             * @description Admission, generation, metering and billing, which measures health.
             */
            readonly avg_pipeline_ms: number | null;
            /** Format: double */
            readonly max_pipeline_ms: number | null;
        };
        readonly UptimeBucket: {
            /**
             * Format: int64
             * @description The start of the bucket, epoch seconds.
             */
            readonly t: number;
            /** Format: int64 */
            readonly total: number;
            /** Format: int64 */
            readonly failures: number;
            /** Format: double */
            readonly avg_ms: number | null;
            /** Format: double */
            readonly max_ms: number | null;
            /** Format: double */
            readonly avg_queue_ms: number | null;
            /** Format: double */
            readonly max_queue_ms: number | null;
            /** Format: double */
            readonly avg_pipeline_ms: number | null;
            /** Format: double */
            readonly max_pipeline_ms: number | null;
        };
        readonly TokenStatistics: {
            /** @description The range that was served. */
            readonly range: string;
            /** @description Null when all models are listed. */
            readonly model: string | null;
            readonly bucket_seconds: number;
            /**
             * Format: int64
             * @description Epoch seconds.
             */
            readonly from: number;
            /**
             * Format: int64
             * @description Epoch seconds.
             */
            readonly to: number;
            readonly series: readonly components["schemas"]["TokenSeries"][];
        };
        readonly TokenSeries: {
            readonly model: string;
            readonly points: readonly components["schemas"]["TokenPoint"][];
        };
        readonly TokenPoint: {
            /**
             * Format: int64
             * @description The start of the bucket, epoch seconds.
             */
            readonly t: number;
            /** Format: int64 */
            readonly input_tokens: number;
            /**
             * Format: int64
             * @description Part of the input.
             */
            readonly cached_tokens: number;
            /**
             * Format: int64
             * @description The rest of the input.
             */
            readonly miss_tokens: number;
            /** Format: int64 */
            readonly output_tokens: number;
            /** Format: int64 */
            readonly requests: number;
        };
        readonly ModelStatistics: {
            /** @description The range that was served. */
            readonly range: string;
            /** @description The first row, always a market model; null when there is no market. */
            readonly top: string | null;
            /** @description The default model. */
            readonly default: string;
            /** @description Model ids in the configured order. */
            readonly models: readonly string[];
            readonly data: readonly components["schemas"]["ModelStatisticsRow"][];
        };
        readonly ModelStatisticsRow: {
            readonly model: string;
            /**
             * Format: double
             * @description Null on a fixed-price model.
             */
            readonly level: number | null;
            /** @description market or fixed. */
            readonly pricing: string;
            readonly degraded: boolean;
            readonly preview: boolean;
            /** Format: int64 */
            readonly input_tokens: number;
            /** Format: int64 */
            readonly cached_tokens: number;
            /** Format: int64 */
            readonly miss_tokens: number;
            /** Format: int64 */
            readonly output_tokens: number;
            /** Format: int64 */
            readonly total_tokens: number;
            /** Format: int64 */
            readonly requests: number;
        };
        readonly LatencyStatistics: {
            /** @description The range that was served. */
            readonly range: string;
            readonly model: string;
            /**
             * Format: int64
             * @description Epoch seconds, aligned to the hour.
             */
            readonly from: number;
            /**
             * Format: int64
             * @description Epoch seconds, aligned to the hour; the last hour contains the current moment.
             */
            readonly to: number;
            /** @description Of fewer orders no percentile is shown. */
            readonly samples_min: number;
            readonly time_to_first_token_ms: components["schemas"]["Percentiles"];
            readonly tokens_per_second: components["schemas"]["Percentiles"];
            readonly wait_ms: components["schemas"]["Percentiles"];
            /**
             * @description The wait by the bid of the order divided by the level at which it started, the lowest bids first. Empty on a
             *     fixed-price model.
             */
            readonly wait_by_bid: readonly components["schemas"]["WaitByBid"][];
        };
        /**
         * @description What 50, 95 and 99 of 100 orders had or better. The first token counts from the start on a pod, tokens a second from
         *     the first token in answers of ten tokens or more, and the wait from the submission to the start.
         */
        readonly Percentiles: {
            /**
             * Format: int64
             * @description How many orders were measured, rounded down to tens.
             */
            readonly count: number;
            /** Format: double */
            readonly p50: number | null;
            /** Format: double */
            readonly p95: number | null;
            /** Format: double */
            readonly p99: number | null;
        };
        readonly WaitByBid: {
            /**
             * Format: double
             * @description The bid was above so many times the level; in the first group also at 0.
             */
            readonly above: number;
            /**
             * Format: double
             * @description And at most this many times the level; null for no upper bound.
             */
            readonly up_to: number | null;
            /**
             * Format: int64
             * @description How many orders were measured, rounded down to tens.
             */
            readonly count: number;
            /**
             * Format: double
             * @description Milliseconds, as in `wait_ms`.
             */
            readonly p50: number | null;
            /** Format: double */
            readonly p95: number | null;
            /** Format: double */
            readonly p99: number | null;
        };
        readonly PartnerCatalog: {
            /** @description Entries of the provider schema 2.4, or all of them in the flat form. */
            readonly data: readonly (components["schemas"]["PartnerModel"] | components["schemas"]["FlatPartnerModel"])[];
        };
        /** @description An entry of the provider schema 2.4, which allows no other keys. */
        readonly PartnerModel: {
            /** @description Always `2.4`. */
            readonly schema_version: string;
            /** @description The model id to call. */
            readonly id: string;
            readonly name: string;
            readonly description?: string;
            /**
             * Format: int64
             * @description Epoch seconds.
             */
            readonly created?: number;
            readonly hugging_face_id?: string;
            /** @description The number format of the weights, such as `fp8`. */
            readonly quantization?: string;
            readonly input_modalities: readonly components["schemas"]["PartnerInput"][];
            readonly output_modalities: readonly components["schemas"]["PartnerOutput"][];
            /** @description A day, or a full hour in UTC. */
            readonly deprecation_date?: string;
            /** @description False on a deprecated model, and on one whose pods have never answered. */
            readonly is_ready: boolean;
            readonly datacenters?: readonly components["schemas"]["FreeObject"][];
            readonly compliance?: components["schemas"]["PartnerCompliance"];
        };
        readonly PartnerInput: {
            /** @description Always `text`. */
            readonly type: string;
            /** @description `max_context_length` as `{value, unit: token}`. */
            readonly supported_inputs: {
                readonly [key: string]: unknown;
            };
            readonly pricing: readonly components["schemas"]["PartnerPrice"][];
        };
        readonly PartnerOutput: {
            /** @description Always `text`. */
            readonly type: string;
            /** @description A descriptor for each parameter that the model takes. */
            readonly supported_parameters: {
                readonly [key: string]: unknown;
            };
            /** @description `{value, unit: token}`. */
            readonly max_length?: {
                readonly [key: string]: unknown;
            };
            readonly streaming?: boolean;
            readonly pricing?: readonly components["schemas"]["PartnerPrice"][];
        };
        readonly PartnerPrice: {
            /** @description prompt, cached_prompt or completion. */
            readonly type: string;
            /** @description Always `token`. */
            readonly unit: string;
            /** @description USD per token, as a decimal string without an exponent. */
            readonly cost_usd: string;
        };
        readonly PartnerCompliance: {
            /** @description Whether no data is stored. */
            readonly zdr: boolean;
            readonly hipaa?: boolean;
        };
        /** @description An entry of the flat form, which allows no other keys; it cannot contain compliance. */
        readonly FlatPartnerModel: {
            /** @description The model id to call. */
            readonly id: string;
            readonly hugging_face_id?: string;
            readonly name: string;
            /**
             * Format: int64
             * @description Epoch seconds.
             */
            readonly created: number;
            /** @description Only `text`. */
            readonly input_modalities: readonly string[];
            /** @description Only `text`. */
            readonly output_modalities: readonly string[];
            /** @description The number format of the weights, such as `fp8`. */
            readonly quantization?: string;
            readonly context_length: number;
            readonly max_output_length: number;
            readonly pricing: components["schemas"]["FlatPartnerPrices"];
            /** @description Those parameters of the entry in the schema 2.4 that the flat form knows. */
            readonly supported_sampling_parameters: readonly string[];
            /** @description Some of tools, json_mode, structured_outputs, logprobs and reasoning. */
            readonly supported_features: readonly string[];
            /** @description A day, or a full hour in UTC. */
            readonly deprecation_date?: string;
            /** @description False on a deprecated model, and on one whose pods have never answered. */
            readonly is_ready: boolean;
            readonly datacenters?: readonly components["schemas"]["FreeObject"][];
        };
        /** @description USD per token, or per image or request, as decimal strings without an exponent. */
        readonly FlatPartnerPrices: {
            readonly prompt: string;
            readonly completion: string;
            /** @description Always `0`; images cost tokens. */
            readonly image: string;
            /** @description Always `0`. */
            readonly request: string;
            readonly input_cache_read: string;
        };
        readonly SigningKeys: {
            /** @description What receipts of this gateway name as `iss`. */
            readonly issuer: string;
            readonly keys: readonly components["schemas"]["SigningKey"][];
        };
        /** @description An Ed25519 public key (RFC 8037). */
        readonly SigningKey: {
            /** @description OKP. */
            readonly kty: string;
            /** @description Ed25519. */
            readonly crv: string;
            /** @description The public key, in base64url. */
            readonly x: string;
            /** @description The thumbprint of the key (RFC 7638), which a JWS names in its header. */
            readonly kid: string;
            /** @description sig. */
            readonly use: string;
            /** @description EdDSA. */
            readonly alg: string;
        };
        readonly Health: {
            /** @description True with 200, false with 503. */
            readonly ok: boolean;
            /** @description The database answers. */
            readonly db: boolean;
            /** @description The market loop runs; also true on standby and while draining. */
            readonly market_loop: boolean;
            /** @description leader, standby or draining. */
            readonly role: string;
            /**
             * Format: double
             * @description The level of the default model; null when it has fixed prices.
             */
            readonly level: number | null;
            /** Format: int64 */
            readonly queued: number;
            /** Format: int64 */
            readonly inflight: number;
            /** @description At least one pod is healthy. */
            readonly backend_healthy: boolean;
            readonly pods: number;
            readonly healthy_pods: number;
            /**
             * @description Less disk space is free than the operator reserves, or the disk does not answer, so nothing more is stored; does
             *     not change `ok`.
             */
            readonly disk_low: boolean;
            /**
             * Format: int64
             * @description How far the clock of the gateway is ahead of the database server's, in milliseconds; negative when it is behind.
             *     Null when the database is a file, and before the first comparison. Does not change `ok`.
             */
            readonly clock_ahead_ms: number | null;
        };
        readonly Hello: {
            /** @description Always `sluice`. */
            readonly service: string;
            readonly version: string;
        };
        readonly OpenapiDocument: {
            /** @description The generator, and the hash of its source. */
            readonly "x-generated"?: string;
            readonly openapi: string;
            readonly info: {
                readonly [key: string]: unknown;
            };
            readonly servers?: readonly components["schemas"]["FreeObject"][];
            readonly tags?: readonly components["schemas"]["FreeObject"][];
            readonly paths: {
                readonly [key: string]: unknown;
            };
            readonly components?: components["schemas"]["FreeObject"];
        };
        /**
         * @description Up to 5 words of 1 to 32 letters, digits, `.`, `_`, `:` or `-`, by which you find the request and sum up what it cost, such
         *     as a team or a feature. Upper and lower case differ; a repeated word counts once. Those of a batch are on each line that
         *     has none. They are not sent to the model.
         * @example [
         *       "search",
         *       "team:blue"
         *     ]
         */
        readonly Tags: readonly string[] | null;
        /** @description How the market chooses `bid`; only on an order that was sent with a `deadline` to a market model. */
        readonly OrderStrategy: {
            /** @description deadline. New ones may come. */
            readonly kind: string;
            /**
             * @description When it is to have started, ISO 8601. A line of a batch may have an earlier one than its batch, to make room for
             *     other lines; it goes on waiting until `expires_at`.
             */
            readonly deadline: string;
            /**
             * Format: double
             * @description The most that it bids, USD per 1M input tokens at the reference mix.
             */
            readonly price_limit: number;
            /**
             * @description Whether it bids its price limit: then even that may not be enough, and only a higher limit could raise the chance
             *     that it starts in time.
             */
            readonly at_limit: boolean;
        };
        /** @description With `view=board`, an extension. The quote that is valid now; null before the first. */
        readonly BoardQuote: {
            /** Format: double */
            readonly price: number;
            /** Format: double */
            readonly previous_price: number | null;
            readonly valid_until: string;
        } | null;
        readonly ValueStopStrings: (string | null) | readonly string[];
        readonly ValueDeadline: (number | null) | string;
        readonly ValueChatContent: (string | null) | readonly Record<string, unknown>[];
        readonly ValueChatCalls: readonly ({
            /** @enum {string} */
            readonly type?: "function";
            readonly function: {
                readonly name: string;
            };
        } | {
            /** @enum {string} */
            readonly type: "custom";
        })[] | null;
        readonly ValuePrompt: (string | null) | readonly string[];
        readonly ValueJsonSchema: Record<string, unknown> | null;
        readonly ValueResponseInput: string | components["schemas"]["ValueResponseItems"];
        readonly ValueResponseInstructions: (string | null) | components["schemas"]["ValueResponseItems"];
        readonly ValueResponseItems: readonly ({
            readonly type?: components["schemas"]["ValueResponseMessageType"];
            /** @enum {string} */
            readonly role: "user";
            readonly content: components["schemas"]["ValueResponseParts"];
        } | {
            readonly type?: components["schemas"]["ValueResponseMessageType"];
            /** @enum {string} */
            readonly role: "assistant" | "system" | "developer";
            readonly content: components["schemas"]["ValueResponseTextParts"];
        } | {
            /** @enum {string} */
            readonly type: "function_call";
            readonly call_id: string;
            readonly name: string;
            readonly arguments: string;
        } | {
            /** @enum {string} */
            readonly type: "function_call_output";
            readonly call_id: string;
            readonly output: components["schemas"]["ValueResponseParts"];
        } | {
            /** @enum {string} */
            readonly type: "reasoning";
            readonly content?: readonly {
                readonly text: string;
            }[] | null;
        })[];
        /** @enum {string|null} */
        readonly ValueResponseMessageType: "message" | null;
        readonly ValueResponseTextParts: string | readonly components["schemas"]["ValueResponseTextPart"][];
        readonly ValueResponseParts: string | readonly (components["schemas"]["ValueResponseTextPart"] | {
            /** @enum {string} */
            readonly type: "input_image";
            readonly image_url: string;
            /** @enum {string|null} */
            readonly file_id?: null;
        })[];
        readonly ValueResponseTextPart: {
            /** @enum {string} */
            readonly type: "input_text" | "output_text" | "text";
            readonly text: string;
        } | {
            /** @enum {string} */
            readonly type: "refusal";
            readonly refusal: string;
        };
        readonly ValueResponseTools: readonly ({
            /** @enum {string} */
            readonly type: "function";
            readonly name: string;
            readonly description?: string | null;
            readonly parameters?: components["schemas"]["ValueJsonSchema"];
            readonly strict?: boolean | null;
        } | {
            readonly type: string;
        })[] | null;
        readonly ValueResponseToolChoice: ("none" | "auto" | "required" | null) | {
            readonly type: string;
        };
        readonly ValueResponseTextFormat: ({
            /** @enum {string} */
            readonly type: "text" | "json_object";
        } | null) | {
            /** @enum {string} */
            readonly type: "json_schema";
            readonly name: string;
            readonly schema: Record<string, unknown>;
        };
        /** @enum {string|null} */
        readonly ValueAlwaysNull: null;
        readonly ValueSystemText: (string | null) | readonly components["schemas"]["ValueTextBlock"][];
        readonly ValueTextBlock: {
            /** @enum {string} */
            readonly type: "text";
            readonly text: string;
        };
        readonly ValueMessageTurn: {
            /** @enum {string} */
            readonly role: "user";
            readonly content: string | readonly (components["schemas"]["ValueTextBlock"] | components["schemas"]["ValueToolResultBlock"])[];
        } | {
            /** @enum {string} */
            readonly role: "assistant";
            readonly content: string | readonly components["schemas"]["ValueAssistantBlock"][];
        } | {
            /** @enum {string} */
            readonly role: "system";
            readonly content: string | readonly components["schemas"]["ValueTextBlock"][];
        };
        readonly ValueMessageContent: string | readonly (components["schemas"]["ValueToolResultBlock"] | components["schemas"]["ValueAssistantBlock"])[];
        readonly ValueToolResultBlock: {
            /** @enum {string} */
            readonly type: "tool_result";
            readonly tool_use_id: string;
            readonly content?: (string | null) | readonly (components["schemas"]["ValueTextBlock"] | {
                /** @enum {string} */
                readonly type: "tool_reference";
                readonly tool_name: string;
            })[];
        };
        readonly ValueAssistantBlock: components["schemas"]["ValueTextBlock"] | {
            /** @enum {string} */
            readonly type: "thinking";
            readonly thinking: string;
        } | {
            /** @enum {string} */
            readonly type: "redacted_thinking";
        } | {
            /** @enum {string} */
            readonly type: "tool_use";
            readonly id: string;
            readonly name: string;
            readonly input?: Record<string, unknown> | null;
        };
    };
    responses: {
        /** @description 304. The cached response that `If-None-Match` names is still current. */
        readonly NotModified: {
            headers: {
                readonly "Cache-Control": components["headers"]["KeptCacheControl"];
                readonly ETag: components["headers"]["ETag"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description 304. The cached response is still current, and its prices hold until the time in the headers. */
        readonly CatalogNotModified: {
            headers: {
                readonly "Cache-Control": components["headers"]["KeptCacheControl"];
                readonly "X-Price-Valid-Until": components["headers"]["PriceValidUntil"];
                readonly "X-Price-Window-Seconds": components["headers"]["PriceWindowSeconds"];
                readonly ETag: components["headers"]["ETag"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content?: never;
        };
        /** @description 400. Malformed JSON, an invalid field, parameter or filter, or a cursor of another list. */
        readonly Invalid: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 401 `invalid_api_key`. No key, or one that is unknown, revoked or expired. */
        readonly Unauthorized: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 403 `account_suspended`. The key is valid, but its account is suspended or being deleted. Or `missing_scope`: the key
         *     may do other things only. Or `address_not_allowed`: it may be used from other addresses only.
         */
        readonly Forbidden: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 404 `not_found`. The id is malformed or unknown, deleted, of another account, or out of the reach of the key. */
        readonly NotFound: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 404 `model_not_found`. No model has this name. */
        readonly ModelNotFound: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 400. `unknown_model` when no model has this name, `fixed_price_model` when the model has no market, `invalid_request`
         *     for a parameter out of its bounds, and for a price and a chance at once.
         */
        readonly NoEstimate: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 400. `unknown_model` when no model has this name, `fixed_price_model` when the model has no market, `invalid_request`
         *     for a parameter that is not valid; `param` names it.
         */
        readonly LedgerInvalid: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 400. `unknown_model` when no model has this name, `fixed_price_model` when the model has no market. */
        readonly NoSuchMarket: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 400 `unknown_model`. No model has this name. */
        readonly UnknownModel: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 409. The state does not allow this; `code` names the reason. */
        readonly Conflict: {
            headers: {
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 409. `order_not_followable`: the order ends with its caller, or is a line of a batch. `stream_restarted`: the gateway
         *     that ran it ended and it ran again, so that its events can only be followed from the first on.
         */
        readonly NotFollowable: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 409. The state of the order does not allow this; `code` names the reason. */
        readonly OrderBusy: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 410 `result_unavailable`. It was not stored, has expired or was deleted. */
        readonly Gone: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 410 `result_unavailable`. The result was not stored, has expired or was deleted. */
        readonly ResultGone: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 413 `request_too_large`. A body over 8 MiB after decompression, or a batch file over 50 MiB. */
        readonly TooLarge: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 429 `rate_limit_error`. A rate, an allowance or a number of open items is used up. `Retry-After` says when to
         *     retry.
         */
        readonly TooManyRequests: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 429 `rate_limit_error`. The rate of the address is used up, and `Retry-After` says when to retry; or it has too
         *     many open market streams, and the header is absent.
         */
        readonly TooManyStreams: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfterIfUseful"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 503 `unavailable`. The gateway cannot serve this now, for example because its database does not answer. */
        readonly Unavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 202. A detached order is in the queue; collect its result later. */
        readonly Accepted: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                readonly Deprecation: components["headers"]["Deprecation"];
                readonly Sunset: components["headers"]["Sunset"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["AcceptedOrder"];
            };
        };
        /**
         * @description 203, an extension. The answer to a dry run (`X-Dry-Run: true`): the request would be taken. Nothing was. The answer is
         *     of the gateway, not of the model, and what it expects is no promise.
         */
        readonly DryRun: {
            headers: {
                readonly Deprecation: components["headers"]["Deprecation"];
                readonly Sunset: components["headers"]["Sunset"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["DryRun"];
            };
        };
        /** @description 203, an extension. The answer to a dry run, as on chat completions. */
        readonly MessagesDryRun: {
            headers: {
                readonly Deprecation: components["headers"]["Deprecation"];
                readonly Sunset: components["headers"]["Sunset"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["DryRun"];
            };
        };
        /**
         * @description 400. A malformed body or header; `missing_price_limit` for a market model without any price limit;
         *     `invalid_output_cap`, `invalid_price_limit`, `invalid_max_wait`, `invalid_max_charge`; `max_charge_too_low` when
         *     `max_charge_usd` does not cover the input and one output token at the bid; `model_deprecated`, `model_preview`;
         *     `context_length_exceeded` when the prompt, or prompt and output cap together, exceed the context of the model; or
         *     `model_refused` when the model itself refused the request. Nothing is charged.
         */
        readonly OrderInvalid: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly Deprecation: components["headers"]["Deprecation"];
                readonly Sunset: components["headers"]["Sunset"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 402 `insufficient_balance`. The balance cannot cover the request at the current level or prices. Or
         *     `key_budget_exceeded`: what is left of the budget of the key cannot.
         */
        readonly OrderUnfunded: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 403 `account_suspended`. The key is valid, but its account is suspended or being deleted. Or `model_not_allowed`:
         *     the key may use other models only. Or `missing_scope` or `address_not_allowed`: it may not send requests, or not from here.
         */
        readonly OrderForbidden: {
            headers: {
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 408 `order_expired`. The order waited for `max_wait`, or until its `deadline`, and did not start. Nothing was charged. */
        readonly OrderExpired: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 409. `order_canceled`: canceled while it waited. `idempotency_error`: the key was used for another request. */
        readonly OrderConflict: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 410 `result_unavailable`. A repeat of a finished order whose result is not stored: it never was, has expired or was
         *     deleted. The message names the order too. Nothing is charged again.
         */
        readonly OrderGone: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 429. `rate_limit_error`: the key's rate (with `Retry-After`) or the queue limit of the account, or of all,
         *     is reached. `queued_bytes_exceeded`: the requests that wait, of the account or of all, hold as many bytes as they may.
         *     `capacity_unavailable`: a locked order missed its window, or a fixed-price order did not start in time; nothing
         *     was charged. `result_pending`: the answer to this Idempotency-Key is not ready (with `Retry-After`).
         */
        readonly OrderTooMany: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfterIfUseful"];
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 500. `settlement_uncertain`: the charge could not be confirmed in time; check the order and the usage before a
         *     retry. `input_unreadable`: the request waited, and could not be read back from the gateway's storage when it was to
         *     run; nothing was charged. `internal_error`: an error of the gateway.
         */
        readonly OrderFailed: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 502 `backend_error`. The model backend failed, after every retry that was safe. Nothing was charged. Where the operator
         *     sets `repeat_guard_ms`, the same request of the same API key gets this answer again for so long, without a new order;
         *     while the order is retried, it joins that order.
         */
        readonly OrderBackendFailed: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 503. `unavailable`: the gateway is stopping, its queue of writes is full, its database does not answer, it has no
         *     disk space for a detached or keyed request, or too many large bodies arrive at once. Nothing was charged.
         */
        readonly OrderUnavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /**
         * @description 400 `invalid_request_error`. As on chat completions, with `missing_bid` in place of
         *     `missing_price_limit`.
         */
        readonly MessagesInvalid: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly Deprecation: components["headers"]["Deprecation"];
                readonly Sunset: components["headers"]["Sunset"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /** @description 400 `invalid_request_error`. Malformed JSON, or an invalid field. */
        readonly CountInvalid: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /** @description 401 `authentication_error`. No key, or one that is unknown, revoked or expired. */
        readonly MessagesUnauthorized: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /**
         * @description 402 `billing_error`. The balance cannot cover the request at the current level or prices. Or
         *     `key_budget_exceeded`: what is left of the budget of the key cannot.
         */
        readonly MessagesUnfunded: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /**
         * @description 403 `permission_error`. The key is valid, but its account is suspended or being deleted. Or `model_not_allowed`:
         *     the key may use other models only. Or `missing_scope` or `address_not_allowed`: it may not send requests, or not from here.
         */
        readonly MessagesForbidden: {
            headers: {
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /**
         * @description 403 `permission_error`. The key is valid, but its account is suspended or being deleted. Or `missing_scope`: the key
         *     may do other things only. Or `address_not_allowed`: it may be used from other addresses only.
         */
        readonly CountForbidden: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /** @description 404 `not_found_error`. No model has this name. */
        readonly MessagesModelNotFound: {
            headers: {
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /** @description 408 `timeout_error`. The order waited for `max_wait`, or until its `deadline`, and did not start. Nothing was charged. */
        readonly MessagesExpired: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /** @description 409 `conflict_error`. `order_canceled`: canceled while it waited. `idempotency_error`: the key was used for another request. */
        readonly MessagesConflict: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /**
         * @description 410 `not_found_error`. A repeat of a finished order whose result is not stored: it never was, has expired or was
         *     deleted. The message names the order too. Nothing is charged again.
         */
        readonly MessagesGone: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /** @description 413 `request_too_large`. A body over 8 MiB after decompression. */
        readonly MessagesTooLarge: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /**
         * @description 429 `rate_limit_error`. `rate_limit_error`: the key's rate (with `Retry-After`) or the queue limit of the account, or of all,
         *     is reached. `queued_bytes_exceeded`: the requests that wait, of the account or of all, hold as many bytes as they may.
         *     `capacity_unavailable`: a locked order missed its window, or a fixed-price order did not start in time; nothing
         *     was charged. `result_pending`: the answer to this Idempotency-Key is not ready (with `Retry-After`).
         */
        readonly MessagesTooMany: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfterIfUseful"];
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /** @description 429 `rate_limit_error`. The rate of the key is used up; `Retry-After` says when to retry. */
        readonly CountTooMany: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /**
         * @description 500 `api_error`. `settlement_uncertain`: the charge could not be confirmed in time; check the order and the usage before a
         *     retry. `input_unreadable`: the request waited, and could not be read back from the gateway's storage when it was to
         *     run; nothing was charged. `internal_error`: an error of the gateway.
         */
        readonly MessagesFailed: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /**
         * @description 502 `api_error`. The model backend failed, after every retry that was safe. Nothing was charged. Where the operator
         *     sets `repeat_guard_ms`, the same request of the same API key gets this answer again for so long, without a new order;
         *     while the order is retried, it joins that order.
         */
        readonly MessagesBackendFailed: {
            headers: {
                readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                readonly "x-should-retry": components["headers"]["ShouldRetry"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /**
         * @description 503 `overloaded_error`. `unavailable`: the gateway is stopping, its queue of writes is full, its database does not answer, it has no
         *     disk space for a detached or keyed request, or too many large bodies arrive at once. Nothing was charged.
         */
        readonly MessagesUnavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "x-service-order-id": components["headers"]["ServiceOrderIdIfMade"];
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /** @description 503 `overloaded_error`. The gateway cannot serve this now, for example because its database does not answer. */
        readonly CountUnavailable: {
            headers: {
                readonly "Retry-After": components["headers"]["RetryAfter"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
        /** @description 404 `model_not_found`. No model has this name. */
        readonly OrderModelNotFound: {
            headers: {
                readonly "X-Warning": components["headers"]["Warning"];
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["ErrorEnvelope"];
            };
        };
        /** @description 404 `not_found_error`. No model has this name. */
        readonly CountModelNotFound: {
            headers: {
                readonly "x-request-id": components["headers"]["RequestId"];
                readonly "request-id": components["headers"]["MessagesRequestId"];
                readonly [name: string]: unknown;
            };
            content: {
                readonly "application/json": components["schemas"]["MessagesErrorEnvelope"];
            };
        };
    };
    parameters: {
        /**
         * @description 1 to 255 characters of your choice. The same request with the same key is one order: a repeat gets the stored
         *     answer in the shape of this endpoint (a streaming repeat gets all events at once), and a detached repeat the same
         *     202, both with `Idempotent-Replayed: true`. 409 `idempotency_error` when the request differs, 429 `result_pending`
         *     while the answer is not ready, 410 `result_unavailable` when nothing was stored, also with `store: false`. When
         *     the order ends without a charge the key can be used again; otherwise it is remembered for at least 24 hours.
         * @example 5d1c7e0a-invoice-4711
         */
        readonly IdempotencyKey: string;
        /**
         * @description `price_limit` for a tool that cannot add a field to the body; the body takes precedence. 0 to 1000000000 USD per 1M
         *     input tokens at the reference mix; anything else is 400, even when the body takes precedence.
         * @example 0.5
         */
        readonly XPriceLimit: number;
        /**
         * @description The same as `X-Price-Limit`, under the name of the Messages shape. When both are sent, this one takes precedence on
         *     the Messages route, the other on the Responses route.
         * @example 0.5
         */
        readonly XMaxPrice: number;
        /**
         * @description `max_wait` for a tool that cannot add a field to the body; the body takes precedence. Whole seconds, 1 to 2592000;
         *     anything else is 400, even when the body takes precedence.
         * @example 120
         */
        readonly XExpiresAfter: number;
        /**
         * @description `max_charge_usd` for a tool that cannot add a field to the body; the body takes precedence. 0 to 1000000 USD; anything
         *     else is 400, even when the body takes precedence.
         * @example 0.01
         */
        readonly XMaxChargeUsd: number;
        /**
         * @description With `true` nothing is taken, held, charged or stored, and no Idempotency-Key is used up: the answer is the refusal that
         *     this request would get, or 203 with what it would be held for, cost and wait, also with `stream` or `detached`. `false`
         *     is as absent; anything else is 400. It counts against the rate of the key as any request.
         * @example true
         */
        readonly XDryRun: string;
        /**
         * @description The id of an order.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly OrderId: string;
        /**
         * @description The id of a file.
         * @example file-01980d3e7c5a7b3e9d2f4a6b8c0d1e2f
         */
        readonly FileId: string;
        /**
         * @description The id of a batch.
         * @example batch_6f2e8c1a9b3d5e7f0a1c2b4d
         */
        readonly BatchId: string;
        /**
         * @description The id or an alias of a model.
         * @example tide-70b
         */
        readonly ModelName: string;
        /**
         * @description Only orders in one of these statuses. Comma-separated: queued, executing, done, error, canceled and expired.
         * @example queued,executing
         */
        readonly OrderStatus: string;
        /**
         * @description One model, by id or alias.
         * @example tide-70b
         */
        readonly OrderModel: string;
        /**
         * @description The endpoint to which the orders were sent.
         * @example chat
         */
        readonly OrderKind: "chat" | "completion" | "responses" | "messages";
        /**
         * @description The id of a batch for its lines, or `none` for requests outside any batch.
         * @example none
         */
        readonly OrderBatch: string;
        /**
         * @description An order id or its first characters, in upper or lower case.
         * @example 01980d3e
         */
        readonly OrderIdPrefix: string;
        /**
         * @description Only entries from this time on. A date (its start in UTC) or an ISO 8601 timestamp; inclusive.
         * @example 2026-11-01
         */
        readonly From: string;
        /**
         * @description Only entries up to this time. A date (its end in UTC) or an ISO 8601 timestamp; inclusive.
         * @example 2026-11-30
         */
        readonly To: string;
        /**
         * @description Additions. `totals` and `counts` fill the aggregates of the page, the others add fields to each order. Comma-separated: usage, pricing, storage, batch, totals and counts.
         * @example usage,totals
         */
        readonly OrderListInclude: string;
        /**
         * @description Additions to the order. Comma-separated: usage, pricing, storage and batch.
         * @example usage,pricing
         */
        readonly OrderInclude: string;
        /**
         * @description The id of a response, `resp_` and the id of its order.
         * @example resp_01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly ResponseId: string;
        /**
         * @description `true` for the events; `starting_after` has an effect only then.
         * @example true
         */
        readonly ResponseStreamed: "true" | "false";
        /**
         * @description The number of the last event that you have: the stream goes on with the one after it. The first event has the
         *     number 0. Without it the stream begins at its beginning.
         * @example 2
         */
        readonly StartingAfter: number;
        /**
         * @description The same, as the `EventSource` of browsers sends it when it connects again, to the address that it has. The higher one
         *     of the two counts.
         * @example 2
         */
        readonly LastEventId: number;
        /**
         * @description Orders per page. 100 by default. More than 500 becomes 500; less than 1 or a fraction is 400.
         * @example 100
         */
        readonly OrderLimit: number;
        /**
         * @description One model, by id or alias.
         * @example tide-70b
         */
        readonly UsageModel: string;
        /**
         * @description Records per page. 50 by default. More than 200 becomes 200; less than 1 or a fraction is 400.
         * @example 50
         */
        readonly UsageLimit: number;
        /** @description The `next_cursor` of the previous page, with the same filters. */
        readonly Cursor: string;
        /**
         * @description Only files of this purpose.
         * @example batch_output
         */
        readonly FilePurpose: "batch" | "batch_output" | "batch_errors";
        /**
         * @description Entries per page. 20 by default. More than 100 becomes 100; less than 1 or a fraction is 400.
         * @example 20
         */
        readonly PageLimit: number;
        /** @description The `last_id` of the previous page. The list begins again with the newest when it names nothing of this account that exists, so also when that was deleted since. */
        readonly After: string;
        /**
         * @description A market model by id or alias; the default model when absent.
         * @example tide-70b
         */
        readonly MarketModel: string;
        /**
         * @description The period. 1h, 24h, 7d or 30d. Anything else becomes 24h, which the response shows.
         * @example 24h
         */
        readonly MarketRange: string;
        /**
         * @description The period. The hour has buckets of a minute, the day of 15 minutes. 1h or 24h. Anything else becomes 24h, which the response shows.
         * @example 24h
         */
        readonly LockRange: string;
        /**
         * @description The limit that is asked about, in USD per 1M input tokens at the reference mix. Either this, `price_lock` or both, or
         *     else `chance`. From 0 to 1000000000.
         * @example 0.4
         */
        readonly EstimatePriceLimit: string;
        /**
         * @description `true` asks about a lock: it bids the quote, or `price_limit` where that is lower.
         * @example true
         */
        readonly EstimatePriceLock: string;
        /**
         * @description Instead of a price: the answer is about the lowest bid with which the requests start in time with this chance. 0.9
         *     when there is neither this nor a price. From 0.01 to 0.99.
         */
        readonly EstimateChance: string;
        /**
         * @description Whole seconds in which to start. 60 when absent; for a lock, its window.
         * @example 60
         */
        readonly EstimateWithin: number;
        /**
         * @description How many requests are sent at once. The chance is that all of them start. A number is raised to the next of ten in a
         *     decade, such as 10, 13, 16, 20, 25, 32, 40, 50, 64 and 80; the answer has that number.
         * @example 1
         */
        readonly EstimateRequests: number;
        /**
         * @description Input tokens of each request, none of them cached. Without input and output tokens there are no charges.
         * @example 1200
         */
        readonly EstimateInputTokens: number;
        /**
         * @description Output tokens of each request.
         * @example 85
         */
        readonly EstimateOutputTokens: number;
        /**
         * @description Which of the two chains of hashes.
         * @example quotes
         */
        readonly LedgerChain: "levels" | "quotes";
        /**
         * @description Rows with higher numbers alone.
         * @example 4711
         */
        readonly LedgerAfter: number;
        /**
         * @description Begins with the row in force at this time, or with the first that is kept; a date means its first moment in UTC. `after` counts
         *     before it.
         * @example 2026-11-21
         */
        readonly LedgerFrom: string;
        /**
         * @description Rows per page. 100 by default. More than 1000 becomes 1000; less than 1 or a fraction is 400.
         * @example 1000
         */
        readonly LedgerLimit: number;
        /**
         * @description Seconds per candle. Rounded down to 60, 300, 900, 1800, 3600 or 7200; 60 when it is smaller, absent or not a number.
         * @example 300
         */
        readonly CandleBucket: string;
        /**
         * @description `flat` for the form before the provider schema 2.4; that schema when absent.
         * @example flat
         */
        readonly CatalogFormat: "flat";
        /**
         * @description One model by id or alias; all of them when absent.
         * @example tide-70b
         */
        readonly StatisticsModel: string;
        /**
         * @description One model by id or alias; the default model when absent.
         * @example tide-70b
         */
        readonly LatencyModel: string;
        /**
         * @description The period. 24h, 7d or 30d. Anything else becomes 24h, which the response shows.
         * @example 24h
         */
        readonly StatisticsRange: string;
        /**
         * @description With `true`, a name in the body or the headers that looks like a misspelt field or header of the gateway, such as
         *     `price_limt`, is 400 `invalid_request`, and nothing is charged. Without it the name is forwarded like any unknown one,
         *     and `X-Warning` says so. A key with `strict: true` refuses them always. `false` is as absent; anything else is 400.
         * @example true
         */
        readonly XStrict: string;
        /**
         * @description `deadline` for a tool that cannot add a field to the body; the body takes precedence. Whole seconds, 1 to 2592000, such
         *     as `28800`, or a time in RFC 3339; anything else is 400, even when the body takes precedence. It cannot be sent with
         *     `X-Expires-After` or for a lock.
         */
        readonly XDeadline: string;
        /**
         * @description `tags` for a tool that cannot add a field to the body; the body takes precedence. Up to 5 words, separated by commas;
         *     anything else is 400, even when the body takes precedence.
         * @example search, team:blue
         */
        readonly XTags: string;
        /**
         * @description Only orders with this tag.
         * @example search
         */
        readonly OrderTag: string;
        /**
         * @description What the public link to a receipt ends with.
         * @example 4ZkQ0fXo8sJw2bTn6uYc1eRm5hVd9gLp3aKi7xBqWzE
         */
        readonly ReceiptToken: string;
        /**
         * @description `board` gathers what moves, and adds quotes. With anything else each change is a frame of its own.
         * @example board
         */
        readonly LevelsView: string;
        /**
         * @description 90 for the last 90 days of UTC, by the day, whatever `range` says; the response shows `90d`. Anything else is ignored.
         * @example 90
         */
        readonly UptimeDays: string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The id of the order, on every response once an order exists, also on refusals and replays.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly ServiceOrderId: string;
        /**
         * @description The id of the order; absent when the request was refused before an order existed.
         * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
         */
        readonly ServiceOrderIdIfMade: string;
        /**
         * @description `true` on the answer to a repeat: it belongs to an earlier request with the same Idempotency-Key, or where the operator
         *     sets `repeat_guard_ms` to the same request shortly before, and nothing was charged for it. Absent on every other answer.
         * @example true
         */
        readonly IdempotentReplayed: string;
        /**
         * @description The id of this request in the gateway's log; quote it when you report a problem. Your own `x-request-id` is kept
         *     when it has up to 128 letters, digits, dots, colons, hyphens and underscores.
         * @example 01980d3e-7c58-7a00-8d00-2e4f60718293
         */
        readonly RequestId: string;
        /**
         * @description The same as `x-request-id`, under the name that clients of the Messages shape read.
         * @example 01980d3e-7c58-7a00-8d00-2e4f60718293
         */
        readonly MessagesRequestId: string;
        /**
         * @description Seconds until a retry is useful.
         * @example 2
         */
        readonly RetryAfter: number;
        /**
         * @description Seconds until a retry is useful. Absent where a retry would have the same outcome.
         * @example 2
         */
        readonly RetryAfterIfUseful: number;
        /**
         * @description `false` where an official client would otherwise retry the request and create another order.
         * @example false
         */
        readonly ShouldRetry: string;
        /**
         * @description Contains the file name.
         * @example attachment; filename="batch_6f2e8c1a9b3d5e7f0a1c2b4d_output.jsonl"
         */
        readonly ContentDisposition: string;
        /**
         * @description The new address.
         * @example /v1/rate-limits
         */
        readonly Location: string;
        /**
         * @description `max-age` ends when the first quote of a market model ends, or at the next window boundary when every model has
         *     fixed prices.
         * @example public, max-age=7
         */
        readonly CacheControl: string;
        /** @description The response may be cached for a second, because levels move once a second. */
        readonly LevelCacheControl: string;
        /**
         * @description The response is shared by all who ask; this is how long until another is built.
         * @example public, max-age=5
         */
        readonly SharedCacheControl: string;
        /** @description Not to be cached, because `valid_for_ms` counts down. */
        readonly QuoteCacheControl: string;
        /**
         * @description The response may be cached for a minute; it changes only with the configuration.
         * @example public, max-age=60
         */
        readonly LastingCacheControl: string;
        /** @description How long the cached response may be used, as on the full response. */
        readonly KeptCacheControl: string;
        /**
         * @description The document may be cached for five minutes; it changes only with the gateway.
         * @example public, max-age=300
         */
        readonly DocumentCacheControl: string;
        /**
         * @description The tag of this response. Send it back as `If-None-Match` to get 304 while nothing has changed. It is weak: the tag
         *     is the same whether the response is compressed or not.
         */
        readonly ETag: string;
        /**
         * @description The response is current.
         * @example no-store
         */
        readonly NoStore: string;
        /**
         * @description The time at which `max-age` ends, ISO 8601.
         * @example 2026-11-21T09:30:10.000Z
         */
        readonly PriceValidUntil: string;
        /**
         * @description How long every quote is valid, in seconds.
         * @example 10
         */
        readonly PriceWindowSeconds: number;
        /**
         * @description When the model of the request stops taking requests, as RFC 9745 spells it: `@` and seconds since 1970. It may be ahead
         *     or past. Absent for a model without an announced end.
         * @example @1798675200
         */
        readonly Deprecation: string;
        /**
         * @description The same time as RFC 8594 spells it, an HTTP date. From the day that begins then requests for the model may be refused
         *     with `model_deprecated`.
         * @example Thu, 31 Dec 2026 00:00:00 GMT
         */
        readonly Sunset: string;
        /**
         * @description A sentence for each name in the request that looks like a misspelt field or header of the gateway, at most five. Absent
         *     where there is none.
         * @example price_limt is not a field of this gateway; did you mean price_limit?
         */
        readonly Warning: string;
        /**
         * @description The response may be cached for ten seconds.
         * @example public, max-age=10
         */
        readonly StatisticsCacheControl: string;
    };
    pathItems: never;
}
export type ErrorEnvelope = components['schemas']['ErrorEnvelope'];
export type ErrorDetail = components['schemas']['ErrorDetail'];
export type MessagesErrorEnvelope = components['schemas']['MessagesErrorEnvelope'];
export type MessagesErrorDetail = components['schemas']['MessagesErrorDetail'];
export type PriceLimit = components['schemas']['PriceLimit'];
export type MaxChargeUsd = components['schemas']['MaxChargeUsd'];
export type PriceLock = components['schemas']['PriceLock'];
export type MaxWait = components['schemas']['MaxWait'];
export type ExpiresAfter = components['schemas']['ExpiresAfter'];
export type RetentionDays = components['schemas']['RetentionDays'];
export type DryRun = components['schemas']['DryRun'];
export type ChatCompletionRequest = components['schemas']['ChatCompletionRequest'];
export type ChatMessage = components['schemas']['ChatMessage'];
export type StreamOptions = components['schemas']['StreamOptions'];
export type Tool = components['schemas']['Tool'];
export type FreeObject = components['schemas']['FreeObject'];
export type ChatCompletion = components['schemas']['ChatCompletion'];
export type ChatChoice = components['schemas']['ChatChoice'];
export type ChatAnswer = components['schemas']['ChatAnswer'];
export type ChatUsage = components['schemas']['ChatUsage'];
export type PromptTokensDetails = components['schemas']['PromptTokensDetails'];
export type CompletionTokensDetails = components['schemas']['CompletionTokensDetails'];
export type Receipt = components['schemas']['Receipt'];
export type TokenPrices = components['schemas']['TokenPrices'];
export type AcceptedOrder = components['schemas']['AcceptedOrder'];
export type CompletionRequest = components['schemas']['CompletionRequest'];
export type TextCompletion = components['schemas']['TextCompletion'];
export type TextChoice = components['schemas']['TextChoice'];
export type ResponseRequest = components['schemas']['ResponseRequest'];
export type ResponseTool = components['schemas']['ResponseTool'];
export type ResponseTextOptions = components['schemas']['ResponseTextOptions'];
export type ResponseTextFormat = components['schemas']['ResponseTextFormat'];
export type ResponseReasoningOptions = components['schemas']['ResponseReasoningOptions'];
export type Metadata = components['schemas']['Metadata'];
export type ResponseObject = components['schemas']['ResponseObject'];
export type ResponseFailure = components['schemas']['ResponseFailure'];
export type IncompleteDetails = components['schemas']['IncompleteDetails'];
export type ResponseUsage = components['schemas']['ResponseUsage'];
export type InputTokensDetails = components['schemas']['InputTokensDetails'];
export type OutputTokensDetails = components['schemas']['OutputTokensDetails'];
export type MessageRequest = components['schemas']['MessageRequest'];
export type MessageTurn = components['schemas']['MessageTurn'];
export type MessageTool = components['schemas']['MessageTool'];
export type MessageToolChoice = components['schemas']['MessageToolChoice'];
export type MessageOutputConfig = components['schemas']['MessageOutputConfig'];
export type MessageOutputFormat = components['schemas']['MessageOutputFormat'];
export type JsonSchema = components['schemas']['JsonSchema'];
export type MessageMetadata = components['schemas']['MessageMetadata'];
export type CountTokensRequest = components['schemas']['CountTokensRequest'];
export type TokenCount = components['schemas']['TokenCount'];
export type Message = components['schemas']['Message'];
export type MessageUsage = components['schemas']['MessageUsage'];
export type ChatCompletionEvent = components['schemas']['ChatCompletionEvent'];
export type ChatCompletionChunk = components['schemas']['ChatCompletionChunk'];
export type ChatChunkChoice = components['schemas']['ChatChunkChoice'];
export type ChunkUsage = components['schemas']['ChunkUsage'];
export type CompletionEvent = components['schemas']['CompletionEvent'];
export type CompletionChunk = components['schemas']['CompletionChunk'];
export type TextChunkChoice = components['schemas']['TextChunkChoice'];
export type ResponseEvent = components['schemas']['ResponseEvent'];
export type MessageEvent = components['schemas']['MessageEvent'];
export type OrderEvent = components['schemas']['OrderEvent'];
export type Order = components['schemas']['Order'];
export type OrderUsage = components['schemas']['OrderUsage'];
export type OrderList = components['schemas']['OrderList'];
export type OrderCounts = components['schemas']['OrderCounts'];
export type OrderResult = components['schemas']['OrderResult'];
export type OrderError = components['schemas']['OrderError'];
export type SignedReceipt = components['schemas']['SignedReceipt'];
export type ReceiptClaims = components['schemas']['ReceiptClaims'];
export type ReceiptLevel = components['schemas']['ReceiptLevel'];
export type ReceiptQuote = components['schemas']['ReceiptQuote'];
export type Deleted = components['schemas']['Deleted'];
export type RepriceRequest = components['schemas']['RepriceRequest'];
export type RepriceResult = components['schemas']['RepriceResult'];
export type RepricedOrder = components['schemas']['RepricedOrder'];
export type CanceledOrder = components['schemas']['CanceledOrder'];
export type Account = components['schemas']['Account'];
export type AccountStorage = components['schemas']['AccountStorage'];
export type AccountOrders = components['schemas']['AccountOrders'];
export type AccountUpdate = components['schemas']['AccountUpdate'];
export type UsageRecord = components['schemas']['UsageRecord'];
export type UsageList = components['schemas']['UsageList'];
export type FileUpload = components['schemas']['FileUpload'];
export type StoredFile = components['schemas']['StoredFile'];
export type FileList = components['schemas']['FileList'];
export type BatchRequest = components['schemas']['BatchRequest'];
export type Batch = components['schemas']['Batch'];
export type BatchMetadata = components['schemas']['BatchMetadata'];
export type BatchErrors = components['schemas']['BatchErrors'];
export type BatchError = components['schemas']['BatchError'];
export type BatchCounts = components['schemas']['BatchCounts'];
export type BatchMarket = components['schemas']['BatchMarket'];
export type BatchRetention = components['schemas']['BatchRetention'];
export type BatchList = components['schemas']['BatchList'];
export type BatchInputLine = components['schemas']['BatchInputLine'];
export type BatchOutputLine = components['schemas']['BatchOutputLine'];
export type BatchLineResponse = components['schemas']['BatchLineResponse'];
export type BatchLineBody = components['schemas']['BatchLineBody'];
export type BatchLineError = components['schemas']['BatchLineError'];
export type Model = components['schemas']['Model'];
export type PricingRatio = components['schemas']['PricingRatio'];
export type ModelPricing = components['schemas']['ModelPricing'];
export type ReferenceMix = components['schemas']['ReferenceMix'];
export type ModelList = components['schemas']['ModelList'];
export type RateLimits = components['schemas']['RateLimits'];
export type InferenceLimits = components['schemas']['InferenceLimits'];
export type OrderLimits = components['schemas']['OrderLimits'];
export type AccountLimits = components['schemas']['AccountLimits'];
export type FileLimits = components['schemas']['FileLimits'];
export type BatchLimits = components['schemas']['BatchLimits'];
export type StorageLimits = components['schemas']['StorageLimits'];
export type PublicLimits = components['schemas']['PublicLimits'];
export type Level = components['schemas']['Level'];
export type LevelList = components['schemas']['LevelList'];
export type LevelEntry = components['schemas']['LevelEntry'];
export type Quote = components['schemas']['Quote'];
export type MarketHistory = components['schemas']['MarketHistory'];
export type LevelPoint = components['schemas']['LevelPoint'];
export type MarketCandles = components['schemas']['MarketCandles'];
export type Candle = components['schemas']['Candle'];
export type MarketSummary = components['schemas']['MarketSummary'];
export type MarketSummaryRow = components['schemas']['MarketSummaryRow'];
export type MarketDepth = components['schemas']['MarketDepth'];
export type DepthStep = components['schemas']['DepthStep'];
export type MarketEstimate = components['schemas']['MarketEstimate'];
export type EstimateReliability = components['schemas']['EstimateReliability'];
export type EstimateTenth = components['schemas']['EstimateTenth'];
export type MarketLocks = components['schemas']['MarketLocks'];
export type LockPoint = components['schemas']['LockPoint'];
export type MarketLedger = components['schemas']['MarketLedger'];
export type LedgerRow = components['schemas']['LedgerRow'];
export type LedgerHead = components['schemas']['LedgerHead'];
export type LedgerHeadClaims = components['schemas']['LedgerHeadClaims'];
export type MarketFrame = components['schemas']['MarketFrame'];
export type LevelsFrame = components['schemas']['LevelsFrame'];
export type LevelsFrameEntry = components['schemas']['LevelsFrameEntry'];
export type QuoteFrame = components['schemas']['QuoteFrame'];
export type Uptime = components['schemas']['Uptime'];
export type UptimeSummary = components['schemas']['UptimeSummary'];
export type UptimeBucket = components['schemas']['UptimeBucket'];
export type TokenStatistics = components['schemas']['TokenStatistics'];
export type TokenSeries = components['schemas']['TokenSeries'];
export type TokenPoint = components['schemas']['TokenPoint'];
export type ModelStatistics = components['schemas']['ModelStatistics'];
export type ModelStatisticsRow = components['schemas']['ModelStatisticsRow'];
export type LatencyStatistics = components['schemas']['LatencyStatistics'];
export type Percentiles = components['schemas']['Percentiles'];
export type WaitByBid = components['schemas']['WaitByBid'];
export type PartnerCatalog = components['schemas']['PartnerCatalog'];
export type PartnerModel = components['schemas']['PartnerModel'];
export type PartnerInput = components['schemas']['PartnerInput'];
export type PartnerOutput = components['schemas']['PartnerOutput'];
export type PartnerPrice = components['schemas']['PartnerPrice'];
export type PartnerCompliance = components['schemas']['PartnerCompliance'];
export type FlatPartnerModel = components['schemas']['FlatPartnerModel'];
export type FlatPartnerPrices = components['schemas']['FlatPartnerPrices'];
export type SigningKeys = components['schemas']['SigningKeys'];
export type SigningKey = components['schemas']['SigningKey'];
export type Health = components['schemas']['Health'];
export type Hello = components['schemas']['Hello'];
export type OpenapiDocument = components['schemas']['OpenapiDocument'];
export type Tags = components['schemas']['Tags'];
export type OrderStrategy = components['schemas']['OrderStrategy'];
export type BoardQuote = components['schemas']['BoardQuote'];
export type ValueStopStrings = components['schemas']['ValueStopStrings'];
export type ValueDeadline = components['schemas']['ValueDeadline'];
export type ValueChatContent = components['schemas']['ValueChatContent'];
export type ValueChatCalls = components['schemas']['ValueChatCalls'];
export type ValuePrompt = components['schemas']['ValuePrompt'];
export type ValueJsonSchema = components['schemas']['ValueJsonSchema'];
export type ValueResponseInput = components['schemas']['ValueResponseInput'];
export type ValueResponseInstructions = components['schemas']['ValueResponseInstructions'];
export type ValueResponseItems = components['schemas']['ValueResponseItems'];
export type ValueResponseMessageType = components['schemas']['ValueResponseMessageType'];
export type ValueResponseTextParts = components['schemas']['ValueResponseTextParts'];
export type ValueResponseParts = components['schemas']['ValueResponseParts'];
export type ValueResponseTextPart = components['schemas']['ValueResponseTextPart'];
export type ValueResponseTools = components['schemas']['ValueResponseTools'];
export type ValueResponseToolChoice = components['schemas']['ValueResponseToolChoice'];
export type ValueResponseTextFormat = components['schemas']['ValueResponseTextFormat'];
export type ValueAlwaysNull = components['schemas']['ValueAlwaysNull'];
export type ValueSystemText = components['schemas']['ValueSystemText'];
export type ValueTextBlock = components['schemas']['ValueTextBlock'];
export type ValueMessageTurn = components['schemas']['ValueMessageTurn'];
export type ValueMessageContent = components['schemas']['ValueMessageContent'];
export type ValueToolResultBlock = components['schemas']['ValueToolResultBlock'];
export type ValueAssistantBlock = components['schemas']['ValueAssistantBlock'];
export type ResponseNotModified = components['responses']['NotModified'];
export type ResponseCatalogNotModified = components['responses']['CatalogNotModified'];
export type ResponseInvalid = components['responses']['Invalid'];
export type ResponseUnauthorized = components['responses']['Unauthorized'];
export type ResponseForbidden = components['responses']['Forbidden'];
export type ResponseNotFound = components['responses']['NotFound'];
export type ResponseModelNotFound = components['responses']['ModelNotFound'];
export type ResponseNoEstimate = components['responses']['NoEstimate'];
export type ResponseLedgerInvalid = components['responses']['LedgerInvalid'];
export type ResponseNoSuchMarket = components['responses']['NoSuchMarket'];
export type ResponseUnknownModel = components['responses']['UnknownModel'];
export type ResponseConflict = components['responses']['Conflict'];
export type ResponseNotFollowable = components['responses']['NotFollowable'];
export type ResponseOrderBusy = components['responses']['OrderBusy'];
export type ResponseGone = components['responses']['Gone'];
export type ResponseResultGone = components['responses']['ResultGone'];
export type ResponseTooLarge = components['responses']['TooLarge'];
export type ResponseTooManyRequests = components['responses']['TooManyRequests'];
export type ResponseTooManyStreams = components['responses']['TooManyStreams'];
export type ResponseUnavailable = components['responses']['Unavailable'];
export type ResponseAccepted = components['responses']['Accepted'];
export type ResponseDryRun = components['responses']['DryRun'];
export type ResponseMessagesDryRun = components['responses']['MessagesDryRun'];
export type ResponseOrderInvalid = components['responses']['OrderInvalid'];
export type ResponseOrderUnfunded = components['responses']['OrderUnfunded'];
export type ResponseOrderForbidden = components['responses']['OrderForbidden'];
export type ResponseOrderExpired = components['responses']['OrderExpired'];
export type ResponseOrderConflict = components['responses']['OrderConflict'];
export type ResponseOrderGone = components['responses']['OrderGone'];
export type ResponseOrderTooMany = components['responses']['OrderTooMany'];
export type ResponseOrderFailed = components['responses']['OrderFailed'];
export type ResponseOrderBackendFailed = components['responses']['OrderBackendFailed'];
export type ResponseOrderUnavailable = components['responses']['OrderUnavailable'];
export type ResponseMessagesInvalid = components['responses']['MessagesInvalid'];
export type ResponseCountInvalid = components['responses']['CountInvalid'];
export type ResponseMessagesUnauthorized = components['responses']['MessagesUnauthorized'];
export type ResponseMessagesUnfunded = components['responses']['MessagesUnfunded'];
export type ResponseMessagesForbidden = components['responses']['MessagesForbidden'];
export type ResponseCountForbidden = components['responses']['CountForbidden'];
export type ResponseMessagesModelNotFound = components['responses']['MessagesModelNotFound'];
export type ResponseMessagesExpired = components['responses']['MessagesExpired'];
export type ResponseMessagesConflict = components['responses']['MessagesConflict'];
export type ResponseMessagesGone = components['responses']['MessagesGone'];
export type ResponseMessagesTooLarge = components['responses']['MessagesTooLarge'];
export type ResponseMessagesTooMany = components['responses']['MessagesTooMany'];
export type ResponseCountTooMany = components['responses']['CountTooMany'];
export type ResponseMessagesFailed = components['responses']['MessagesFailed'];
export type ResponseMessagesBackendFailed = components['responses']['MessagesBackendFailed'];
export type ResponseMessagesUnavailable = components['responses']['MessagesUnavailable'];
export type ResponseCountUnavailable = components['responses']['CountUnavailable'];
export type ResponseOrderModelNotFound = components['responses']['OrderModelNotFound'];
export type ResponseCountModelNotFound = components['responses']['CountModelNotFound'];
export type ParameterIdempotencyKey = components['parameters']['IdempotencyKey'];
export type ParameterXPriceLimit = components['parameters']['XPriceLimit'];
export type ParameterXMaxPrice = components['parameters']['XMaxPrice'];
export type ParameterXExpiresAfter = components['parameters']['XExpiresAfter'];
export type ParameterXMaxChargeUsd = components['parameters']['XMaxChargeUsd'];
export type ParameterXDryRun = components['parameters']['XDryRun'];
export type ParameterOrderId = components['parameters']['OrderId'];
export type ParameterFileId = components['parameters']['FileId'];
export type ParameterBatchId = components['parameters']['BatchId'];
export type ParameterModelName = components['parameters']['ModelName'];
export type ParameterOrderStatus = components['parameters']['OrderStatus'];
export type ParameterOrderModel = components['parameters']['OrderModel'];
export type ParameterOrderKind = components['parameters']['OrderKind'];
export type ParameterOrderBatch = components['parameters']['OrderBatch'];
export type ParameterOrderIdPrefix = components['parameters']['OrderIdPrefix'];
export type ParameterFrom = components['parameters']['From'];
export type ParameterTo = components['parameters']['To'];
export type ParameterOrderListInclude = components['parameters']['OrderListInclude'];
export type ParameterOrderInclude = components['parameters']['OrderInclude'];
export type ParameterResponseId = components['parameters']['ResponseId'];
export type ParameterResponseStreamed = components['parameters']['ResponseStreamed'];
export type ParameterStartingAfter = components['parameters']['StartingAfter'];
export type ParameterLastEventId = components['parameters']['LastEventId'];
export type ParameterOrderLimit = components['parameters']['OrderLimit'];
export type ParameterUsageModel = components['parameters']['UsageModel'];
export type ParameterUsageLimit = components['parameters']['UsageLimit'];
export type ParameterCursor = components['parameters']['Cursor'];
export type ParameterFilePurpose = components['parameters']['FilePurpose'];
export type ParameterPageLimit = components['parameters']['PageLimit'];
export type ParameterAfter = components['parameters']['After'];
export type ParameterMarketModel = components['parameters']['MarketModel'];
export type ParameterMarketRange = components['parameters']['MarketRange'];
export type ParameterLockRange = components['parameters']['LockRange'];
export type ParameterEstimatePriceLimit = components['parameters']['EstimatePriceLimit'];
export type ParameterEstimatePriceLock = components['parameters']['EstimatePriceLock'];
export type ParameterEstimateChance = components['parameters']['EstimateChance'];
export type ParameterEstimateWithin = components['parameters']['EstimateWithin'];
export type ParameterEstimateRequests = components['parameters']['EstimateRequests'];
export type ParameterEstimateInputTokens = components['parameters']['EstimateInputTokens'];
export type ParameterEstimateOutputTokens = components['parameters']['EstimateOutputTokens'];
export type ParameterLedgerChain = components['parameters']['LedgerChain'];
export type ParameterLedgerAfter = components['parameters']['LedgerAfter'];
export type ParameterLedgerFrom = components['parameters']['LedgerFrom'];
export type ParameterLedgerLimit = components['parameters']['LedgerLimit'];
export type ParameterCandleBucket = components['parameters']['CandleBucket'];
export type ParameterCatalogFormat = components['parameters']['CatalogFormat'];
export type ParameterStatisticsModel = components['parameters']['StatisticsModel'];
export type ParameterLatencyModel = components['parameters']['LatencyModel'];
export type ParameterStatisticsRange = components['parameters']['StatisticsRange'];
export type ParameterXStrict = components['parameters']['XStrict'];
export type ParameterXDeadline = components['parameters']['XDeadline'];
export type ParameterXTags = components['parameters']['XTags'];
export type ParameterOrderTag = components['parameters']['OrderTag'];
export type ParameterReceiptToken = components['parameters']['ReceiptToken'];
export type ParameterLevelsView = components['parameters']['LevelsView'];
export type ParameterUptimeDays = components['parameters']['UptimeDays'];
export type HeaderServiceOrderId = components['headers']['ServiceOrderId'];
export type HeaderServiceOrderIdIfMade = components['headers']['ServiceOrderIdIfMade'];
export type HeaderIdempotentReplayed = components['headers']['IdempotentReplayed'];
export type HeaderRequestId = components['headers']['RequestId'];
export type HeaderMessagesRequestId = components['headers']['MessagesRequestId'];
export type HeaderRetryAfter = components['headers']['RetryAfter'];
export type HeaderRetryAfterIfUseful = components['headers']['RetryAfterIfUseful'];
export type HeaderShouldRetry = components['headers']['ShouldRetry'];
export type HeaderContentDisposition = components['headers']['ContentDisposition'];
export type HeaderLocation = components['headers']['Location'];
export type HeaderCacheControl = components['headers']['CacheControl'];
export type HeaderLevelCacheControl = components['headers']['LevelCacheControl'];
export type HeaderSharedCacheControl = components['headers']['SharedCacheControl'];
export type HeaderQuoteCacheControl = components['headers']['QuoteCacheControl'];
export type HeaderLastingCacheControl = components['headers']['LastingCacheControl'];
export type HeaderKeptCacheControl = components['headers']['KeptCacheControl'];
export type HeaderDocumentCacheControl = components['headers']['DocumentCacheControl'];
export type HeaderETag = components['headers']['ETag'];
export type HeaderNoStore = components['headers']['NoStore'];
export type HeaderPriceValidUntil = components['headers']['PriceValidUntil'];
export type HeaderPriceWindowSeconds = components['headers']['PriceWindowSeconds'];
export type HeaderDeprecation = components['headers']['Deprecation'];
export type HeaderSunset = components['headers']['Sunset'];
export type HeaderWarning = components['headers']['Warning'];
export type HeaderStatisticsCacheControl = components['headers']['StatisticsCacheControl'];
export type $defs = Record<string, never>;
export interface operations {
    readonly createChatCompletion: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description 1 to 255 characters of your choice. The same request with the same key is one order: a repeat gets the stored
                 *     answer in the shape of this endpoint (a streaming repeat gets all events at once), and a detached repeat the same
                 *     202, both with `Idempotent-Replayed: true`. 409 `idempotency_error` when the request differs, 429 `result_pending`
                 *     while the answer is not ready, 410 `result_unavailable` when nothing was stored, also with `store: false`. When
                 *     the order ends without a charge the key can be used again; otherwise it is remembered for at least 24 hours.
                 * @example 5d1c7e0a-invoice-4711
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `price_limit` for a tool that cannot add a field to the body; the body takes precedence. 0 to 1000000000 USD per 1M
                 *     input tokens at the reference mix; anything else is 400, even when the body takes precedence.
                 * @example 0.5
                 */
                readonly "X-Price-Limit"?: components["parameters"]["XPriceLimit"];
                /**
                 * @description `max_wait` for a tool that cannot add a field to the body; the body takes precedence. Whole seconds, 1 to 2592000;
                 *     anything else is 400, even when the body takes precedence.
                 * @example 120
                 */
                readonly "X-Expires-After"?: components["parameters"]["XExpiresAfter"];
                /**
                 * @description `max_charge_usd` for a tool that cannot add a field to the body; the body takes precedence. 0 to 1000000 USD; anything
                 *     else is 400, even when the body takes precedence.
                 * @example 0.01
                 */
                readonly "X-Max-Charge-USD"?: components["parameters"]["XMaxChargeUsd"];
                /**
                 * @description With `true` nothing is taken, held, charged or stored, and no Idempotency-Key is used up: the answer is the refusal that
                 *     this request would get, or 203 with what it would be held for, cost and wait, also with `stream` or `detached`. `false`
                 *     is as absent; anything else is 400. It counts against the rate of the key as any request.
                 * @example true
                 */
                readonly "X-Dry-Run"?: components["parameters"]["XDryRun"];
                /**
                 * @description With `true`, a name in the body or the headers that looks like a misspelt field or header of the gateway, such as
                 *     `price_limt`, is 400 `invalid_request`, and nothing is charged. Without it the name is forwarded like any unknown one,
                 *     and `X-Warning` says so. A key with `strict: true` refuses them always. `false` is as absent; anything else is 400.
                 * @example true
                 */
                readonly "X-Strict"?: components["parameters"]["XStrict"];
                /**
                 * @description `deadline` for a tool that cannot add a field to the body; the body takes precedence. Whole seconds, 1 to 2592000, such
                 *     as `28800`, or a time in RFC 3339; anything else is 400, even when the body takes precedence. It cannot be sent with
                 *     `X-Expires-After` or for a lock.
                 */
                readonly "X-Deadline"?: components["parameters"]["XDeadline"];
                /**
                 * @description `tags` for a tool that cannot add a field to the body; the body takes precedence. Up to 5 words, separated by commas;
                 *     anything else is 400, even when the body takes precedence.
                 * @example search, team:blue
                 */
                readonly "X-Tags"?: components["parameters"]["XTags"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ChatCompletionRequest"];
            };
        };
        readonly responses: {
            /** @description The completion, or the stream of its chunks. */
            readonly 200: {
                headers: {
                    readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                    readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    readonly Deprecation: components["headers"]["Deprecation"];
                    readonly Sunset: components["headers"]["Sunset"];
                    readonly "X-Warning": components["headers"]["Warning"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ChatCompletion"];
                    readonly "text/event-stream": components["schemas"]["ChatCompletionEvent"];
                };
            };
            readonly 202: components["responses"]["Accepted"];
            readonly 203: components["responses"]["DryRun"];
            readonly 400: components["responses"]["OrderInvalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 402: components["responses"]["OrderUnfunded"];
            readonly 403: components["responses"]["OrderForbidden"];
            readonly 404: components["responses"]["OrderModelNotFound"];
            readonly 408: components["responses"]["OrderExpired"];
            readonly 409: components["responses"]["OrderConflict"];
            readonly 410: components["responses"]["OrderGone"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["OrderTooMany"];
            readonly 500: components["responses"]["OrderFailed"];
            readonly 502: components["responses"]["OrderBackendFailed"];
            readonly 503: components["responses"]["OrderUnavailable"];
        };
    };
    readonly createCompletion: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description 1 to 255 characters of your choice. The same request with the same key is one order: a repeat gets the stored
                 *     answer in the shape of this endpoint (a streaming repeat gets all events at once), and a detached repeat the same
                 *     202, both with `Idempotent-Replayed: true`. 409 `idempotency_error` when the request differs, 429 `result_pending`
                 *     while the answer is not ready, 410 `result_unavailable` when nothing was stored, also with `store: false`. When
                 *     the order ends without a charge the key can be used again; otherwise it is remembered for at least 24 hours.
                 * @example 5d1c7e0a-invoice-4711
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `price_limit` for a tool that cannot add a field to the body; the body takes precedence. 0 to 1000000000 USD per 1M
                 *     input tokens at the reference mix; anything else is 400, even when the body takes precedence.
                 * @example 0.5
                 */
                readonly "X-Price-Limit"?: components["parameters"]["XPriceLimit"];
                /**
                 * @description `max_wait` for a tool that cannot add a field to the body; the body takes precedence. Whole seconds, 1 to 2592000;
                 *     anything else is 400, even when the body takes precedence.
                 * @example 120
                 */
                readonly "X-Expires-After"?: components["parameters"]["XExpiresAfter"];
                /**
                 * @description `max_charge_usd` for a tool that cannot add a field to the body; the body takes precedence. 0 to 1000000 USD; anything
                 *     else is 400, even when the body takes precedence.
                 * @example 0.01
                 */
                readonly "X-Max-Charge-USD"?: components["parameters"]["XMaxChargeUsd"];
                /**
                 * @description With `true` nothing is taken, held, charged or stored, and no Idempotency-Key is used up: the answer is the refusal that
                 *     this request would get, or 203 with what it would be held for, cost and wait, also with `stream` or `detached`. `false`
                 *     is as absent; anything else is 400. It counts against the rate of the key as any request.
                 * @example true
                 */
                readonly "X-Dry-Run"?: components["parameters"]["XDryRun"];
                /**
                 * @description With `true`, a name in the body or the headers that looks like a misspelt field or header of the gateway, such as
                 *     `price_limt`, is 400 `invalid_request`, and nothing is charged. Without it the name is forwarded like any unknown one,
                 *     and `X-Warning` says so. A key with `strict: true` refuses them always. `false` is as absent; anything else is 400.
                 * @example true
                 */
                readonly "X-Strict"?: components["parameters"]["XStrict"];
                /**
                 * @description `deadline` for a tool that cannot add a field to the body; the body takes precedence. Whole seconds, 1 to 2592000, such
                 *     as `28800`, or a time in RFC 3339; anything else is 400, even when the body takes precedence. It cannot be sent with
                 *     `X-Expires-After` or for a lock.
                 */
                readonly "X-Deadline"?: components["parameters"]["XDeadline"];
                /**
                 * @description `tags` for a tool that cannot add a field to the body; the body takes precedence. Up to 5 words, separated by commas;
                 *     anything else is 400, even when the body takes precedence.
                 * @example search, team:blue
                 */
                readonly "X-Tags"?: components["parameters"]["XTags"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CompletionRequest"];
            };
        };
        readonly responses: {
            /** @description The completion, or the stream of its chunks. */
            readonly 200: {
                headers: {
                    readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                    readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    readonly Deprecation: components["headers"]["Deprecation"];
                    readonly Sunset: components["headers"]["Sunset"];
                    readonly "X-Warning": components["headers"]["Warning"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TextCompletion"];
                    readonly "text/event-stream": components["schemas"]["CompletionEvent"];
                };
            };
            readonly 202: components["responses"]["Accepted"];
            readonly 203: components["responses"]["DryRun"];
            readonly 400: components["responses"]["OrderInvalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 402: components["responses"]["OrderUnfunded"];
            readonly 403: components["responses"]["OrderForbidden"];
            readonly 404: components["responses"]["OrderModelNotFound"];
            readonly 408: components["responses"]["OrderExpired"];
            readonly 409: components["responses"]["OrderConflict"];
            readonly 410: components["responses"]["OrderGone"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["OrderTooMany"];
            readonly 500: components["responses"]["OrderFailed"];
            readonly 502: components["responses"]["OrderBackendFailed"];
            readonly 503: components["responses"]["OrderUnavailable"];
        };
    };
    readonly createResponse: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description 1 to 255 characters of your choice. The same request with the same key is one order: a repeat gets the stored
                 *     answer in the shape of this endpoint (a streaming repeat gets all events at once), and a detached repeat the same
                 *     202, both with `Idempotent-Replayed: true`. 409 `idempotency_error` when the request differs, 429 `result_pending`
                 *     while the answer is not ready, 410 `result_unavailable` when nothing was stored, also with `store: false`. When
                 *     the order ends without a charge the key can be used again; otherwise it is remembered for at least 24 hours.
                 * @example 5d1c7e0a-invoice-4711
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description `price_limit` for a tool that cannot add a field to the body; the body takes precedence. 0 to 1000000000 USD per 1M
                 *     input tokens at the reference mix; anything else is 400, even when the body takes precedence.
                 * @example 0.5
                 */
                readonly "X-Price-Limit"?: components["parameters"]["XPriceLimit"];
                /**
                 * @description The same as `X-Price-Limit`, under the name of the Messages shape. When both are sent, this one takes precedence on
                 *     the Messages route, the other on the Responses route.
                 * @example 0.5
                 */
                readonly "X-Max-Price"?: components["parameters"]["XMaxPrice"];
                /**
                 * @description `max_wait` for a tool that cannot add a field to the body; the body takes precedence. Whole seconds, 1 to 2592000;
                 *     anything else is 400, even when the body takes precedence.
                 * @example 120
                 */
                readonly "X-Expires-After"?: components["parameters"]["XExpiresAfter"];
                /**
                 * @description `max_charge_usd` for a tool that cannot add a field to the body; the body takes precedence. 0 to 1000000 USD; anything
                 *     else is 400, even when the body takes precedence.
                 * @example 0.01
                 */
                readonly "X-Max-Charge-USD"?: components["parameters"]["XMaxChargeUsd"];
                /**
                 * @description With `true` nothing is taken, held, charged or stored, and no Idempotency-Key is used up: the answer is the refusal that
                 *     this request would get, or 203 with what it would be held for, cost and wait, also with `stream` or `detached`. `false`
                 *     is as absent; anything else is 400. It counts against the rate of the key as any request.
                 * @example true
                 */
                readonly "X-Dry-Run"?: components["parameters"]["XDryRun"];
                /**
                 * @description With `true`, a name in the body or the headers that looks like a misspelt field or header of the gateway, such as
                 *     `price_limt`, is 400 `invalid_request`, and nothing is charged. Without it the name is forwarded like any unknown one,
                 *     and `X-Warning` says so. A key with `strict: true` refuses them always. `false` is as absent; anything else is 400.
                 * @example true
                 */
                readonly "X-Strict"?: components["parameters"]["XStrict"];
                /**
                 * @description `deadline` for a tool that cannot add a field to the body; the body takes precedence. Whole seconds, 1 to 2592000, such
                 *     as `28800`, or a time in RFC 3339; anything else is 400, even when the body takes precedence. It cannot be sent with
                 *     `X-Expires-After` or for a lock.
                 */
                readonly "X-Deadline"?: components["parameters"]["XDeadline"];
                /**
                 * @description `tags` for a tool that cannot add a field to the body; the body takes precedence. Up to 5 words, separated by commas;
                 *     anything else is 400, even when the body takes precedence.
                 * @example search, team:blue
                 */
                readonly "X-Tags"?: components["parameters"]["XTags"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["ResponseRequest"];
            };
        };
        readonly responses: {
            /** @description The response, or the stream of its events. */
            readonly 200: {
                headers: {
                    readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                    readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    readonly Deprecation: components["headers"]["Deprecation"];
                    readonly Sunset: components["headers"]["Sunset"];
                    readonly "X-Warning": components["headers"]["Warning"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ResponseObject"];
                    readonly "text/event-stream": components["schemas"]["ResponseEvent"];
                };
            };
            readonly 203: components["responses"]["DryRun"];
            readonly 400: components["responses"]["OrderInvalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 402: components["responses"]["OrderUnfunded"];
            readonly 403: components["responses"]["OrderForbidden"];
            readonly 404: components["responses"]["OrderModelNotFound"];
            readonly 408: components["responses"]["OrderExpired"];
            readonly 409: components["responses"]["OrderConflict"];
            readonly 410: components["responses"]["OrderGone"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["OrderTooMany"];
            readonly 500: components["responses"]["OrderFailed"];
            readonly 502: components["responses"]["OrderBackendFailed"];
            readonly 503: components["responses"]["OrderUnavailable"];
        };
    };
    readonly getResponse: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `true` for the events; `starting_after` has an effect only then.
                 * @example true
                 */
                readonly stream?: components["parameters"]["ResponseStreamed"];
                /**
                 * @description The number of the last event that you have: the stream goes on with the one after it. The first event has the
                 *     number 0. Without it the stream begins at its beginning.
                 * @example 2
                 */
                readonly starting_after?: components["parameters"]["StartingAfter"];
            };
            readonly header?: {
                /**
                 * @description The same, as the `EventSource` of browsers sends it when it connects again, to the address that it has. The higher one
                 *     of the two counts.
                 * @example 2
                 */
                readonly "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            readonly path: {
                /**
                 * @description The id of a response, `resp_` and the id of its order.
                 * @example resp_01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["ResponseId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The response, or the stream of its events. */
            readonly 200: {
                headers: {
                    readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                    readonly "Retry-After": components["headers"]["RetryAfterIfUseful"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ResponseObject"];
                    readonly "text/event-stream": components["schemas"]["ResponseEvent"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["NotFollowable"];
            readonly 410: components["responses"]["ResultGone"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly cancelResponse: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of a response, `resp_` and the id of its order.
                 * @example resp_01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["ResponseId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The response is cancelled. */
            readonly 200: {
                headers: {
                    readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ResponseObject"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["OrderBusy"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly createMessage: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description 1 to 255 characters of your choice. The same request with the same key is one order: a repeat gets the stored
                 *     answer in the shape of this endpoint (a streaming repeat gets all events at once), and a detached repeat the same
                 *     202, both with `Idempotent-Replayed: true`. 409 `idempotency_error` when the request differs, 429 `result_pending`
                 *     while the answer is not ready, 410 `result_unavailable` when nothing was stored, also with `store: false`. When
                 *     the order ends without a charge the key can be used again; otherwise it is remembered for at least 24 hours.
                 * @example 5d1c7e0a-invoice-4711
                 */
                readonly "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
                /**
                 * @description The same as `X-Price-Limit`, under the name of the Messages shape. When both are sent, this one takes precedence on
                 *     the Messages route, the other on the Responses route.
                 * @example 0.5
                 */
                readonly "X-Max-Price"?: components["parameters"]["XMaxPrice"];
                /**
                 * @description `price_limit` for a tool that cannot add a field to the body; the body takes precedence. 0 to 1000000000 USD per 1M
                 *     input tokens at the reference mix; anything else is 400, even when the body takes precedence.
                 * @example 0.5
                 */
                readonly "X-Price-Limit"?: components["parameters"]["XPriceLimit"];
                /**
                 * @description `max_wait` for a tool that cannot add a field to the body; the body takes precedence. Whole seconds, 1 to 2592000;
                 *     anything else is 400, even when the body takes precedence.
                 * @example 120
                 */
                readonly "X-Expires-After"?: components["parameters"]["XExpiresAfter"];
                /**
                 * @description `max_charge_usd` for a tool that cannot add a field to the body; the body takes precedence. 0 to 1000000 USD; anything
                 *     else is 400, even when the body takes precedence.
                 * @example 0.01
                 */
                readonly "X-Max-Charge-USD"?: components["parameters"]["XMaxChargeUsd"];
                /**
                 * @description With `true` nothing is taken, held, charged or stored, and no Idempotency-Key is used up: the answer is the refusal that
                 *     this request would get, or 203 with what it would be held for, cost and wait, also with `stream` or `detached`. `false`
                 *     is as absent; anything else is 400. It counts against the rate of the key as any request.
                 * @example true
                 */
                readonly "X-Dry-Run"?: components["parameters"]["XDryRun"];
                /**
                 * @description With `true`, a name in the body or the headers that looks like a misspelt field or header of the gateway, such as
                 *     `price_limt`, is 400 `invalid_request`, and nothing is charged. Without it the name is forwarded like any unknown one,
                 *     and `X-Warning` says so. A key with `strict: true` refuses them always. `false` is as absent; anything else is 400.
                 * @example true
                 */
                readonly "X-Strict"?: components["parameters"]["XStrict"];
                /**
                 * @description `deadline` for a tool that cannot add a field to the body; the body takes precedence. Whole seconds, 1 to 2592000, such
                 *     as `28800`, or a time in RFC 3339; anything else is 400, even when the body takes precedence. It cannot be sent with
                 *     `X-Expires-After` or for a lock.
                 */
                readonly "X-Deadline"?: components["parameters"]["XDeadline"];
                /**
                 * @description `tags` for a tool that cannot add a field to the body; the body takes precedence. Up to 5 words, separated by commas;
                 *     anything else is 400, even when the body takes precedence.
                 * @example search, team:blue
                 */
                readonly "X-Tags"?: components["parameters"]["XTags"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["MessageRequest"];
            };
        };
        readonly responses: {
            /** @description The message, or the stream of its events. */
            readonly 200: {
                headers: {
                    readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                    readonly "Idempotent-Replayed": components["headers"]["IdempotentReplayed"];
                    readonly Deprecation: components["headers"]["Deprecation"];
                    readonly Sunset: components["headers"]["Sunset"];
                    readonly "X-Warning": components["headers"]["Warning"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly "request-id": components["headers"]["MessagesRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Message"];
                    readonly "text/event-stream": components["schemas"]["MessageEvent"];
                };
            };
            readonly 203: components["responses"]["MessagesDryRun"];
            readonly 400: components["responses"]["MessagesInvalid"];
            readonly 401: components["responses"]["MessagesUnauthorized"];
            readonly 402: components["responses"]["MessagesUnfunded"];
            readonly 403: components["responses"]["MessagesForbidden"];
            readonly 404: components["responses"]["MessagesModelNotFound"];
            readonly 408: components["responses"]["MessagesExpired"];
            readonly 409: components["responses"]["MessagesConflict"];
            readonly 410: components["responses"]["MessagesGone"];
            readonly 413: components["responses"]["MessagesTooLarge"];
            readonly 429: components["responses"]["MessagesTooMany"];
            readonly 500: components["responses"]["MessagesFailed"];
            readonly 502: components["responses"]["MessagesBackendFailed"];
            readonly 503: components["responses"]["MessagesUnavailable"];
        };
    };
    readonly countMessageTokens: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["CountTokensRequest"];
            };
        };
        readonly responses: {
            /** @description The estimate. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly "request-id": components["headers"]["MessagesRequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TokenCount"];
                };
            };
            readonly 400: components["responses"]["CountInvalid"];
            readonly 401: components["responses"]["MessagesUnauthorized"];
            readonly 403: components["responses"]["CountForbidden"];
            readonly 404: components["responses"]["CountModelNotFound"];
            readonly 413: components["responses"]["MessagesTooLarge"];
            readonly 429: components["responses"]["CountTooMany"];
            readonly 503: components["responses"]["CountUnavailable"];
        };
    };
    readonly listOrders: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only orders in one of these statuses. Comma-separated: queued, executing, done, error, canceled and expired.
                 * @example queued,executing
                 */
                readonly status?: components["parameters"]["OrderStatus"];
                /**
                 * @description One model, by id or alias.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["OrderModel"];
                /**
                 * @description Only orders with this tag.
                 * @example search
                 */
                readonly tag?: components["parameters"]["OrderTag"];
                /**
                 * @description The endpoint to which the orders were sent.
                 * @example chat
                 */
                readonly kind?: components["parameters"]["OrderKind"];
                /**
                 * @description The id of a batch for its lines, or `none` for requests outside any batch.
                 * @example none
                 */
                readonly batch?: components["parameters"]["OrderBatch"];
                /**
                 * @description An order id or its first characters, in upper or lower case.
                 * @example 01980d3e
                 */
                readonly id?: components["parameters"]["OrderIdPrefix"];
                /**
                 * @description Only entries from this time on. A date (its start in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-01
                 */
                readonly from?: components["parameters"]["From"];
                /**
                 * @description Only entries up to this time. A date (its end in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-30
                 */
                readonly to?: components["parameters"]["To"];
                /**
                 * @description Additions. `totals` and `counts` fill the aggregates of the page, the others add fields to each order. Comma-separated: usage, pricing, storage, batch, totals and counts.
                 * @example usage,totals
                 */
                readonly include?: components["parameters"]["OrderListInclude"];
                /**
                 * @description Orders per page. 100 by default. More than 500 becomes 500; less than 1 or a fraction is 400.
                 * @example 100
                 */
                readonly limit?: components["parameters"]["OrderLimit"];
                /** @description The `next_cursor` of the previous page, with the same filters. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of orders. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrderList"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly repriceOrders: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["RepriceRequest"];
            };
        };
        readonly responses: {
            /** @description The outcome for each order. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RepriceResult"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getOrder: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Additions to the order. Comma-separated: usage, pricing, storage and batch.
                 * @example usage,pricing
                 */
                readonly include?: components["parameters"]["OrderInclude"];
            };
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The order. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Order"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getOrderResult: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The result or the state of the order. */
            readonly 200: {
                headers: {
                    readonly "Retry-After": components["headers"]["RetryAfterIfUseful"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OrderResult"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 410: components["responses"]["ResultGone"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly deleteOrderResult: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The result is deleted. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Deleted"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["OrderBusy"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly streamOrder: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The number of the last event that you have: the stream goes on with the one after it. The first event has the
                 *     number 0. Without it the stream begins at its beginning.
                 * @example 2
                 */
                readonly starting_after?: components["parameters"]["StartingAfter"];
            };
            readonly header?: {
                /**
                 * @description The same, as the `EventSource` of browsers sends it when it connects again, to the address that it has. The higher one
                 *     of the two counts.
                 * @example 2
                 */
                readonly "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The events of the order. */
            readonly 200: {
                headers: {
                    readonly "x-service-order-id": components["headers"]["ServiceOrderId"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": components["schemas"]["OrderEvent"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["NotFollowable"];
            readonly 410: components["responses"]["ResultGone"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getOrderReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The receipt, signed and to be read. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SignedReceipt"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["OrderBusy"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getSharedReceipt: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description What the public link to a receipt ends with.
                 * @example 4ZkQ0fXo8sJw2bTn6uYc1eRm5hVd9gLp3aKi7xBqWzE
                 */
                readonly token: components["parameters"]["ReceiptToken"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The receipt, signed and to be read. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SignedReceipt"];
                };
            };
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly cancelOrder: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of an order.
                 * @example 01980d3e-7c5a-7b3e-9d2f-4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["OrderId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The order is canceled. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["CanceledOrder"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["OrderBusy"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The account. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly updateAccount: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["AccountUpdate"];
            };
        };
        readonly responses: {
            /** @description The account as stored. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Account"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listUsage: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description One model, by id or alias.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["UsageModel"];
                /**
                 * @description Only orders with this tag.
                 * @example search
                 */
                readonly tag?: components["parameters"]["OrderTag"];
                /**
                 * @description Only entries from this time on. A date (its start in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-01
                 */
                readonly from?: components["parameters"]["From"];
                /**
                 * @description Only entries up to this time. A date (its end in UTC) or an ISO 8601 timestamp; inclusive.
                 * @example 2026-11-30
                 */
                readonly to?: components["parameters"]["To"];
                /**
                 * @description Records per page. 50 by default. More than 200 becomes 200; less than 1 or a fraction is 400.
                 * @example 50
                 */
                readonly limit?: components["parameters"]["UsageLimit"];
                /** @description The `next_cursor` of the previous page, with the same filters. */
                readonly cursor?: components["parameters"]["Cursor"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of usage records. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["UsageList"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listFiles: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Only files of this purpose.
                 * @example batch_output
                 */
                readonly purpose?: components["parameters"]["FilePurpose"];
                /**
                 * @description Entries per page. 20 by default. More than 100 becomes 100; less than 1 or a fraction is 400.
                 * @example 20
                 */
                readonly limit?: components["parameters"]["PageLimit"];
                /** @description The `last_id` of the previous page. The list begins again with the newest when it names nothing of this account that exists, so also when that was deleted since. */
                readonly after?: components["parameters"]["After"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of files. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["FileList"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly uploadFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "multipart/form-data": components["schemas"]["FileUpload"];
            };
        };
        readonly responses: {
            /** @description The file as stored. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StoredFile"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of a file.
                 * @example file-01980d3e7c5a7b3e9d2f4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["FileId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["StoredFile"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly deleteFile: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of a file.
                 * @example file-01980d3e7c5a7b3e9d2f4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["FileId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The file is deleted. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Deleted"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getFileContent: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of a file.
                 * @example file-01980d3e7c5a7b3e9d2f4a6b8c0d1e2f
                 */
                readonly id: components["parameters"]["FileId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The content, one JSON value per line. */
            readonly 200: {
                headers: {
                    readonly "Content-Disposition": components["headers"]["ContentDisposition"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/jsonl": string;
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 410: components["responses"]["Gone"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listBatches: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description Entries per page. 20 by default. More than 100 becomes 100; less than 1 or a fraction is 400.
                 * @example 20
                 */
                readonly limit?: components["parameters"]["PageLimit"];
                /** @description The `last_id` of the previous page. The list begins again with the newest when it names nothing of this account that exists, so also when that was deleted since. */
                readonly after?: components["parameters"]["After"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One page of batches. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["BatchList"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly createBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: {
                /**
                 * @description With `true`, a name in the body or the headers that looks like a misspelt field or header of the gateway, such as
                 *     `price_limt`, is 400 `invalid_request`, and nothing is charged. Without it the name is forwarded like any unknown one,
                 *     and `X-Warning` says so. A key with `strict: true` refuses them always. `false` is as absent; anything else is 400.
                 * @example true
                 */
                readonly "X-Strict"?: components["parameters"]["XStrict"];
                /**
                 * @description `tags` for a tool that cannot add a field to the body; the body takes precedence. Up to 5 words, separated by commas;
                 *     anything else is 400, even when the body takes precedence.
                 * @example search, team:blue
                 */
                readonly "X-Tags"?: components["parameters"]["XTags"];
            };
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody: {
            readonly content: {
                readonly "application/json": components["schemas"]["BatchRequest"];
            };
        };
        readonly responses: {
            /** @description The batch, validating. */
            readonly 200: {
                headers: {
                    readonly "X-Warning": components["headers"]["Warning"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Batch"];
                };
            };
            readonly 400: components["responses"]["Invalid"];
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 410: components["responses"]["Gone"];
            readonly 413: components["responses"]["TooLarge"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of a batch.
                 * @example batch_6f2e8c1a9b3d5e7f0a1c2b4d
                 */
                readonly id: components["parameters"]["BatchId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The batch. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Batch"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly cancelBatch: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id of a batch.
                 * @example batch_6f2e8c1a9b3d5e7f0a1c2b4d
                 */
                readonly id: components["parameters"]["BatchId"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The batch, cancelling. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Batch"];
                };
            };
            readonly 401: components["responses"]["Unauthorized"];
            readonly 403: components["responses"]["Forbidden"];
            readonly 404: components["responses"]["NotFound"];
            readonly 409: components["responses"]["Conflict"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listModels: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The models, in the configured order. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["LastingCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ModelList"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getModel: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path: {
                /**
                 * @description The id or an alias of a model.
                 * @example tide-70b
                 */
                readonly model: components["parameters"]["ModelName"];
            };
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The model. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["LastingCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Model"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 404: components["responses"]["ModelNotFound"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getRateLimits: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The limits. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["LastingCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["RateLimits"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly redirectLimits: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Go to `/v1/rate-limits`. */
            readonly 308: {
                headers: {
                    readonly Location: components["headers"]["Location"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMarket: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The level. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["LevelCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Level"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["NoSuchMarket"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly listLevels: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The levels, in the configured order. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["LevelCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LevelList"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly streamMarket: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An endless stream of frames. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": components["schemas"]["MarketFrame"];
                };
            };
            readonly 400: components["responses"]["NoSuchMarket"];
            readonly 429: components["responses"]["TooManyStreams"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly streamLevels: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `board` gathers what moves, and adds quotes. With anything else each change is a frame of its own.
                 * @example board
                 */
                readonly view?: components["parameters"]["LevelsView"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An endless stream of frames. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": components["schemas"]["LevelsFrame"];
                };
            };
            readonly 429: components["responses"]["TooManyStreams"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getPriceLock: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The current quote. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["QuoteCacheControl"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Quote"];
                };
            };
            readonly 400: components["responses"]["NoSuchMarket"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly streamPriceLock: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An endless stream of frames. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "text/event-stream": components["schemas"]["QuoteFrame"];
                };
            };
            readonly 400: components["responses"]["NoSuchMarket"];
            readonly 429: components["responses"]["TooManyStreams"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMarketHistory: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
                /**
                 * @description The period. 1h, 24h, 7d or 30d. Anything else becomes 24h, which the response shows.
                 * @example 24h
                 */
                readonly range?: components["parameters"]["MarketRange"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The points. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["LevelCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketHistory"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["NoSuchMarket"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMarketCandles: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
                /**
                 * @description The period. 1h, 24h, 7d or 30d. Anything else becomes 24h, which the response shows.
                 * @example 24h
                 */
                readonly range?: components["parameters"]["MarketRange"];
                /**
                 * @description Seconds per candle. Rounded down to 60, 300, 900, 1800, 3600 or 7200; 60 when it is smaller, absent or not a number.
                 * @example 300
                 */
                readonly bucket?: components["parameters"]["CandleBucket"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The candles. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["LevelCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketCandles"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["NoSuchMarket"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMarketSummary: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The board. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["SharedCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketSummary"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMarketDepth: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The depth. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["SharedCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketDepth"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["NoSuchMarket"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMarketEstimate: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
                /**
                 * @description The limit that is asked about, in USD per 1M input tokens at the reference mix. Either this, `price_lock` or both, or
                 *     else `chance`. From 0 to 1000000000.
                 * @example 0.4
                 */
                readonly price_limit?: components["parameters"]["EstimatePriceLimit"];
                /**
                 * @description `true` asks about a lock: it bids the quote, or `price_limit` where that is lower.
                 * @example true
                 */
                readonly price_lock?: components["parameters"]["EstimatePriceLock"];
                /**
                 * @description Instead of a price: the answer is about the lowest bid with which the requests start in time with this chance. 0.9
                 *     when there is neither this nor a price. From 0.01 to 0.99.
                 */
                readonly chance?: components["parameters"]["EstimateChance"];
                /**
                 * @description Whole seconds in which to start. 60 when absent; for a lock, its window.
                 * @example 60
                 */
                readonly within_s?: components["parameters"]["EstimateWithin"];
                /**
                 * @description How many requests are sent at once. The chance is that all of them start. A number is raised to the next of ten in a
                 *     decade, such as 10, 13, 16, 20, 25, 32, 40, 50, 64 and 80; the answer has that number.
                 * @example 1
                 */
                readonly requests?: components["parameters"]["EstimateRequests"];
                /**
                 * @description Input tokens of each request, none of them cached. Without input and output tokens there are no charges.
                 * @example 1200
                 */
                readonly input_tokens?: components["parameters"]["EstimateInputTokens"];
                /**
                 * @description Output tokens of each request.
                 * @example 85
                 */
                readonly output_tokens?: components["parameters"]["EstimateOutputTokens"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The estimate. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["QuoteCacheControl"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketEstimate"];
                };
            };
            readonly 400: components["responses"]["NoEstimate"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMarketLocks: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
                /**
                 * @description The period. The hour has buckets of a minute, the day of 15 minutes. 1h or 24h. Anything else becomes 24h, which the response shows.
                 * @example 24h
                 */
                readonly range?: components["parameters"]["LockRange"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The buckets. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["SharedCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketLocks"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["NoSuchMarket"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMarketLedger: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
                /**
                 * @description Which of the two chains of hashes.
                 * @example quotes
                 */
                readonly chain?: components["parameters"]["LedgerChain"];
                /**
                 * @description Rows with higher numbers alone.
                 * @example 4711
                 */
                readonly after?: components["parameters"]["LedgerAfter"];
                /**
                 * @description Begins with the row in force at this time, or with the first that is kept; a date means its first moment in UTC. `after` counts
                 *     before it.
                 * @example 2026-11-21
                 */
                readonly from?: components["parameters"]["LedgerFrom"];
                /**
                 * @description Rows per page. 100 by default. More than 1000 becomes 1000; less than 1 or a fraction is 400.
                 * @example 1000
                 */
                readonly limit?: components["parameters"]["LedgerLimit"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description A page of the chain. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["LevelCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["MarketLedger"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["LedgerInvalid"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getMarketLedgerHead: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description A market model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["MarketModel"];
                /**
                 * @description Which of the two chains of hashes.
                 * @example quotes
                 */
                readonly chain?: components["parameters"]["LedgerChain"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The head. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["SharedCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LedgerHead"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["LedgerInvalid"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getUptime: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description One model by id or alias; all of them when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["StatisticsModel"];
                /**
                 * @description The period. 24h, 7d or 30d. Anything else becomes 24h, which the response shows.
                 * @example 24h
                 */
                readonly range?: components["parameters"]["StatisticsRange"];
                /**
                 * @description 90 for the last 90 days of UTC, by the day, whatever `range` says; the response shows `90d`. Anything else is ignored.
                 * @example 90
                 */
                readonly days?: components["parameters"]["UptimeDays"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Summary and buckets. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["StatisticsCacheControl"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Uptime"];
                };
            };
            readonly 400: components["responses"]["UnknownModel"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getTokenStatistics: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description One model by id or alias; all of them when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["StatisticsModel"];
                /**
                 * @description The period. 24h, 7d or 30d. Anything else becomes 24h, which the response shows.
                 * @example 24h
                 */
                readonly range?: components["parameters"]["StatisticsRange"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description One series per model. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["StatisticsCacheControl"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["TokenStatistics"];
                };
            };
            readonly 400: components["responses"]["UnknownModel"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getModelStatistics: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description The period. 24h, 7d or 30d. Anything else becomes 24h, which the response shows.
                 * @example 24h
                 */
                readonly range?: components["parameters"]["StatisticsRange"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The ranking. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["StatisticsCacheControl"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["ModelStatistics"];
                };
            };
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getLatencyStatistics: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description One model by id or alias; the default model when absent.
                 * @example tide-70b
                 */
                readonly model?: components["parameters"]["LatencyModel"];
                /**
                 * @description The period. 24h, 7d or 30d. Anything else becomes 24h, which the response shows.
                 * @example 24h
                 */
                readonly range?: components["parameters"]["StatisticsRange"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The figures. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["SharedCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["LatencyStatistics"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 400: components["responses"]["UnknownModel"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getPartnerCatalog: {
        readonly parameters: {
            readonly query?: {
                /**
                 * @description `flat` for the form before the provider schema 2.4; that schema when absent.
                 * @example flat
                 */
                readonly format?: components["parameters"]["CatalogFormat"];
            };
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The catalog. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["CacheControl"];
                    readonly "X-Price-Valid-Until": components["headers"]["PriceValidUntil"];
                    readonly "X-Price-Window-Seconds": components["headers"]["PriceWindowSeconds"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["PartnerCatalog"];
                };
            };
            readonly 304: components["responses"]["CatalogNotModified"];
            readonly 400: components["responses"]["Invalid"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getHealth: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The gateway works. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
            /** @description The gateway does not work; the body says what fails. */
            readonly 503: {
                headers: {
                    readonly "Cache-Control": components["headers"]["NoStore"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Health"];
                };
            };
        };
    };
    readonly getHello: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Hello. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["Hello"];
                };
            };
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly headHello: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description Hello. */
            readonly 200: {
                headers: {
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
            /** @description The gateway has lost its database. */
            readonly 503: {
                headers: {
                    readonly "Retry-After": components["headers"]["RetryAfter"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    readonly getSigningKeys: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description The keys. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["SharedCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["SigningKeys"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
    readonly getOpenapi: {
        readonly parameters: {
            readonly query?: never;
            readonly header?: never;
            readonly path?: never;
            readonly cookie?: never;
        };
        readonly requestBody?: never;
        readonly responses: {
            /** @description An OpenAPI 3.0.3 document. */
            readonly 200: {
                headers: {
                    readonly "Cache-Control": components["headers"]["DocumentCacheControl"];
                    readonly ETag: components["headers"]["ETag"];
                    readonly "x-request-id": components["headers"]["RequestId"];
                    readonly [name: string]: unknown;
                };
                content: {
                    readonly "application/json": components["schemas"]["OpenapiDocument"];
                };
            };
            readonly 304: components["responses"]["NotModified"];
            readonly 429: components["responses"]["TooManyRequests"];
            readonly 503: components["responses"]["Unavailable"];
        };
    };
}
