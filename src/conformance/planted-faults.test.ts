/**
 * Every check can fail: each runs against this gateway behind a proxy that spoils the answers in one way, which is a row of
 * the table. Checks of refusals and of what is accepted share a fault each, and have no row.
 */
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { systemClock } from '#base/clock.ts';
import { idSource } from '#base/id.ts';
import { checkedSite } from '#testing/checked-site.ts';
import type { GatewayProcess, Site } from '#testing/gateway-process.ts';
import { groups } from './checks/all.ts';
import type { Check, CheckGroup } from './checks/check.ts';
import { conformanceOf } from './run.ts';

/** An answer on its way through the proxy. */
interface Passing {
  readonly method: string;
  readonly path: string;
  /** How many answers of this address came before in the check. */
  readonly before: number;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Spoils an answer. */
type Fault = (answer: Passing) => Partial<Passing>;

const status =
  (value: number): Fault =>
  () => ({ status: value });
const header =
  (name: string, value: string): Fault =>
  ({ headers }) => ({ headers: { ...headers, [name]: value } });
const swap =
  (from: RegExp, to: string): Fault =>
  ({ text }) => ({ text: text.replace(from, to) });
/** Only answers of this address. */
const at =
  (path: string, fault: Fault): Fault =>
  (answer) =>
    answer.path.split('?')[0] === path ? fault(answer) : {};
/** Only answers to this method. */
const by =
  (method: string, fault: Fault): Fault =>
  (answer) =>
    answer.method === method ? fault(answer) : {};
/** Only after the first answers of an address. */
const later =
  (count: number, fault: Fault): Fault =>
  (answer) =>
    answer.before >= count ? fault(answer) : {};
/** Sets a field of every JSON answer that has it, or would have it: `choices.0.index`. Undefined removes it. */
const set =
  (path: string, value: unknown): Fault =>
  ({ text }) => {
    if (!text.startsWith('{')) return {};
    const json = JSON.parse(text);
    const names = path.split('.');
    const last = names.pop() ?? '';
    const parent = names.reduce((object, name) => object?.[name], json);
    if (typeof parent !== 'object' || parent === null) return {};
    if (value === undefined) delete parent[last];
    else parent[last] = value;
    return { text: JSON.stringify(json) };
  };
const drop = (path: string) => set(path, undefined);

/** What is to be refused is answered; what is to be accepted is refused. */
const accepting: Fault = ({ status: answered }) => (answered >= 400 ? { status: 200 } : {});
const refusing: Fault = ({ method }) => (method === 'POST' ? { status: 400 } : {});

const LATER = '2099-01-01T00:00:00.000Z';
const EARLIER = '2001-01-01T00:00:00.000Z';
const oldestFirst = set('data', [{ created_at: EARLIER }, { created_at: LATER }]);
const empty = set('data', []);
const dropFrame = (name: string) => swap(new RegExp(`event: ${name}\ndata: .*\n\n`), '');

const faults: Readonly<Record<string, Fault>> = {
  'a message takes its key from x-api-key alone': status(401),
  'a message takes its key from Authorization alone': status(401),
  'of two keys of a message the one in Authorization counts': accepting,
  'an unknown model has the code model_not_found': set('error.code', 'not_found'),
  'a refused message keeps the code of the gateway beside its type': drop('error.code'),
  'every answer names its request in x-request-id': header('x-request-id', 'always the same'),
  'no answer has a header x-ratelimit': header('x-ratelimit-remaining-requests', '5'),
  'a refusal before a stream has a status and no stream': accepting,

  'chat: a message of the assistant, a finish, and counts that add up': set('usage.total_tokens', 1),
  'chat: an id, a time and the model': set('created', 1_700_000_000_000),
  'chat: one choice, with the index 0': set('choices.0.index', 1),
  'chat: logprobs are null when nobody asked for them': drop('choices.0.logprobs'),
  'chat: usage counts the tokens from the cache': drop('usage.prompt_tokens_details'),
  'chat: max_tokens 1 is one token at most, and its finish is length': set('choices.0.finish_reason', 'stop'),
  'chat: max_completion_tokens is the cap where there is no max_tokens': set('usage.completion_tokens', 16),
  'chat: max_tokens wins over max_completion_tokens': set('usage.completion_tokens', 16),
  'chat: max_tokens 0 has the code invalid_output_cap': set('error.code', 'invalid_request'),
  'chat: a field that nobody knows is passed on, not refused': refusing,

  'completions: text, a finish, and counts that add up': drop('choices.0.text'),
  'completions: an id, a time and the model': drop('id'),
  'completions: logprobs are null': drop('choices.0.logprobs'),
  'completions: usage has a receipt': drop('usage.x_market'),
  'completions: an absent prompt counts as an empty one': refusing,
  'completions: logprobs, echo and suffix are accepted and do nothing': set('choices.0.logprobs', {}),
  'completions: max_completion_tokens is the cap where there is no max_tokens': set('usage.completion_tokens', 16),

  'responses: a message in the output, completed or cut, and counts': set('output', []),
  'responses: times in seconds, and an end only of a completed one': set('created_at', LATER),
  'responses: every key is there, null without a value': drop('previous_response_id'),
  'responses: the text is a part of type output_text': set('output.0.content.0.type', 'text'),
  'responses: the id is resp_ and the order': set('id', 'resp_other'),
  'responses: the id of the message is msg_ and the order': set('output.0.id', 'msg_other'),
  'responses: usage has a receipt': drop('usage.x_market'),
  'responses: usage counts the tokens from the cache as part of the input': set(
    'usage.input_tokens_details.cached_tokens',
    9999,
  ),
  'responses: a cut answer is incomplete, because of max_output_tokens': set('status', 'completed'),
  'responses: instructions are echoed': set('instructions', null),
  'responses: without a model the default model answers': at('/v1/responses', set('model', 'other')),
  'responses: metadata is echoed': set('metadata', {}),
  'responses: store is echoed': set('store', true),
  'responses: user is echoed': set('user', null),
  'responses: parallel_tool_calls is echoed': set('parallel_tool_calls', true),
  'responses: the verbosity of the text is echoed': drop('text.verbosity'),
  'responses: the format of the text is text unless another is named': drop('text.format'),
  'responses: tools are accepted and echoed': set('tools', []),
  'responses: tools of other types are dropped': refusing,
  'responses: a choice of a dropped tool is auto': refusing,

  'messages: content, a stop reason, and counts': set('usage.output_tokens', 0),
  'messages: an id, the model, and a stop sequence that is null': drop('stop_sequence'),
  'messages: the id is msg_ and the order': set('id', 'msg_other'),
  'messages: the text is a block of type text': set('content.0.type', 'output_text'),
  'messages: usage counts what was read from a cache': drop('usage.cache_read_input_tokens'),
  'messages: nothing was written to a cache': set('usage.cache_creation_input_tokens', 3),
  'messages: usage has a receipt': drop('usage.x_market.charged_usd'),
  'messages: the stop reason of a cut answer is max_tokens': set('stop_reason', 'end_turn'),
  'messages: keys of a tool that only its vendor knows are dropped': refusing,
  'messages: tokens are counted without an answer': set('input_tokens', 0),
  'messages: a longer text has more tokens': set('input_tokens', 8),
  'messages: counting tokens creates no order': header('x-service-order-id', 'some-order'),
  'messages: without a model the default model answers': at('/v1/messages', set('model', 'other')),

  'chat: chunks in order, one finish, [DONE]': swap(/"role":"assistant",?/, ''),
  'chat: a stream has the type text/event-stream': header('content-type', 'text/plain'),
  'chat: the last line of a stream is [DONE]': swap(/data: \[DONE\]\n\n/, ''),
  'chat: usage in a chunk of its own when asked for, and not otherwise': swap(/"usage":\{.*\}\}/, '"usage":null}'),
  'chat: the usage chunk has the receipt': swap(/"x_market"/, '"receipt"'),
  'chat: a stream names its order in x-service-order-id': header('x-service-order-id', 'another'),
  'chat: the finish of a stream that is cut is length': swap(/"finish_reason":"length"/, '"finish_reason":"stop"'),
  'completions: chunks of text, one finish, [DONE]': swap(/"object":"text_completion"/g, '"object":"completion"'),
  'completions: usage in a chunk of its own when asked for': swap(/"completion_tokens":\d+/, '"completion_tokens":0'),
  'responses: events numbered without a gap, each item from added to done, one end that repeats it all':
    dropFrame('response.output_text.done'),
  'responses: each event repeats its name in its type': swap(/"type":"response.output_text.done"/, '"type":"done"'),
  'responses: events are numbered from 0': swap(/"sequence_number":0,/, '"sequence_number":1,'),
  'responses: nothing comes after the terminal event, no [DONE]': swap(/$/, 'data: [DONE]\n\n'),
  'responses: the events of a text come in their order': dropFrame('response.content_part.added'),
  'responses: the terminal event has usage and the receipt': swap(/"x_market"/, '"receipt"'),
  'responses: a stream that is cut ends with response.incomplete': swap(/response\.incomplete/g, 'response.completed'),
  'messages: blocks one after another between message_start and message_stop': dropFrame('content_block_stop'),
  'messages: each event repeats its name in its type': swap(/"type":"message_stop"/, '"type":"stop"'),
  'messages: the events of a text come in their order': dropFrame('content_block_start'),
  'messages: message_delta has the final usage and the receipt': swap(/"charged_usd"/g, '"charge"'),
  'messages: the stop reason of a stream that is cut is max_tokens': swap(/"max_tokens"/, '"end_turn"'),

  'a request that is sent again with its key has the same answer': later(1, set('created', 1_700_000_000)),
  'another request with the same key is refused': accepting,
  'another request with the same key is 409 idempotency_error': set('error.code', 'conflict'),
  'of ten at once with one key at most one is carried out': later(2, accepting),
  'a stream that is sent again has the same text': later(1, swap(/"content":"\w/, '"content":"Other ')),
  'a response that is sent again has the same answer': later(1, set('created_at', 1_700_000_000)),
  'a message that is sent again has the same answer': later(1, set('stop_reason', 'stop_sequence')),

  'GET /v1/models lists models with their ids': drop('data.0.id'),
  'a model has its type, its time and its owner': drop('data.0.owned_by'),
  'a model has a name to display': drop('data.0.display_name'),
  'a model has the lengths of its context and of its output': set('data.0.max_output_length', null),
  'a model has a ratio of three numbers': drop('data.0.pricing_ratio.output'),
  'every model says whether its price is of a market or fixed': set('data.1.pricing.type', 'free'),
  'a fixed-price model has three prices, which are its ratio': set('data.1.pricing_ratio.cached', 7),
  'the level of a fixed-price model is its prices at the reference mix': set('data.1.pricing.level', 7),
  'a fixed-price model has its prices per token as decimal strings': set('data.1.pricing.prompt', 0.5),
  'the list names its default model, which is in it': set('default', 'nobody'),
  'the list has the shares of the reference mix': set('reference_mix.cached_share', 0.5),
  'models are listed without a key': at('/v1/models', status(401)),
  'a model that is asked for by id is the one in the list': at('/v1/models/tide', set('display_name', 'Other')),
  'GET /openapi.json describes the interface': drop('paths./v1/chat/completions'),
  'GET /api/hello is 200': at('/api/hello', status(503)),
  'HEAD /api/hello is 200 without a body': at('/api/hello', status(405)),
  'GET /v1/limits redirects to the rate limits with 308': at('/v1/limits', status(301)),
  'the limits are published': at('/v1/rate-limits', swap(/.*/s, '{}')),
  'the limits say how long the output of a batch is kept at least': drop('batch.min_retention_days'),
  'health has the database, the market, the queue and the pods': drop('healthy_pods'),
  'health is 200 and ok': set('ok', false),
  'the catalog of partners says of each model whether it is ready': drop('data.0.is_ready'),
  'the catalog of partners says whether data is kept': drop('data.0.compliance.zdr'),
  'the catalog of partners has its prices as decimal strings': swap(/"cost_usd":"([\d.]+)"/, '"cost_usd":$1'),
  'the catalog of partners says until when its prices hold, and for how long each does': header(
    'x-price-valid-until',
    '',
  ),
  'the catalog of partners leaves previews out': at('/partner/v1/models', set('data.0.id', 'surge')),

  'a receipt has its order, its pricing, its level, its bid and its charge': drop('usage.x_market.bid'),
  'the header x-service-order-id names the order of the receipt': header('x-service-order-id', 'another'),
  'the level of a receipt is never above its bid': set('usage.x_market.level_at_execution', 99),
  'the charge of a receipt follows from its level, the ratio and the tokens, to the nano-dollar': set(
    'usage.x_market.charged_usd',
    0.000002969,
  ),
  'a charge has nine decimal places at most': set('usage.x_market.charged_usd', 0.0000029634),
  'the order of an answer is done and has the same charge': set('usage.charged_usd', 1),
  'the balance goes down by what is charged': set('balance_usd', 5),
  'a fixed-price model ignores the price limit, and shows its prices': drop('usage.x_market.usd_per_million'),
  'the level of a fixed-price receipt is its bid, and the level of its listing': set('usage.x_market.bid', 7),
  'a signed receipt verifies with the published keys, and with one digit changed it does not': swap(
    /"jws":"e/,
    '"jws":"f',
  ),

  'the bid of a receipt is the price limit of the request': set('usage.x_market.bid', 1),
  'a price limit may be in X-Price-Limit': set('usage.x_market.bid', 1),
  'the price limit of a message may be in X-Max-Price': set('usage.x_market.bid', 1),
  'the price limit of a response may be in X-Price-Limit': set('usage.x_market.bid', 1),
  'a fixed-price model ignores the price limit of a response': set('usage.x_market.pricing', 'market'),
  'an order may wait as long as max_wait says': set('expires_at', LATER),
  'expires_after is another name of max_wait': set('expires_at', LATER),
  'of both names max_wait wins': set('expires_at', LATER),
  'how long an order may wait can be in X-Expires-After': set('expires_at', LATER),
  'an order may wait ten seconds at least': set('expires_at', LATER),
  'a lock has ten seconds to start, whatever max_wait says': set('expires_at', LATER),
  'a lock bids the quote, or its price limit if that is lower': set('bid', 99),
  'a fixed-price model ignores a lock': (answer) => set('expires_at', JSON.parse(answer.text).created_at)(answer),
  'a detached chat is 202 with its order': status(200),
  'a detached chat says where its result will be': set('result_url', '/v1/results/1'),
  'a detached chat says whether its result is stored, and for how long': drop('result_retention_days'),
  'a detached chat that stores nothing says so in a warning': drop('warning'),
  'store false wins over retention_days': set('result_stored', true),
  'retention_days 0 keeps no result': set('result_stored', true),
  'a result is kept no longer than the account keeps any': set('result_retention_days', 99),
  'the result of a detached chat can be collected': drop('result_expires_at'),
  'a collected result is a chat completion, as its endpoint answers': set('body.object', 'response'),

  'orders are a list that says whether there is more': drop('has_more'),
  'orders are listed newest first': oldestFirst,
  'every order has one of the six statuses': set('data.0.status', 'finished'),
  'an order has a time of its end when it has ended, and not before': set('data', [
    { status: 'done', finished_at: null },
  ]),
  'the cursor of a page leads to the next': set('data.0.id', 'always the same'),
  'the totals of orders stand on the first page when asked for': set('total_orders', null),
  'the totals of orders are null on the next page': set('total_orders', 5),
  'the counts of orders stand on every page when asked for': drop('counts'),
  'orders are selected by status': set('data.0.status', 'error'),
  'orders are selected by kind': set('data.0.kind', 'messages'),
  'orders are selected by model': set('data.0.model', 'harbor'),
  'orders outside of batches are selected by batch=none': empty,
  'orders are found by their id': empty,
  'the bounds of a time are part of it': empty,
  'the totals at bid and saved of an empty set are 0': set('total_at_bid_usd', null),
  'an order has its id, its status and its model': set('status', 'executing'),
  'an order says which endpoint it came in on': set('kind', 'responses'),
  'an order was submitted, admitted and finished in this order': set('admitted_at', LATER),
  'an order that does not wait has no place in the queue': set('queue_position', 1),
  'an order that is done has no error': set('error', 'none'),
  'an order has the bid and the level of its receipt': set('bid', 7),
  'the usage of an order has its tokens and its charge': drop('usage.cached_tokens'),
  'the pricing of an order says whether it is a lock, and of a market': drop('price_lock'),
  'deleting a result answers with the order': set('object', 'order'),
  'deleting a result again answers the same': later(1, set('deleted', false)),
  'repricing answers with the price limit and a count of changes': drop('changed'),
  'repricing an order that does not wait changes nothing: not_queued': set('data.0.code', 'too_large'),
  'repricing an order twice is repricing it once': set('data.1', {}),

  'the account has its type and its id': drop('account_id'),
  'the account has its balance': set('balance_usd', '5'),
  'the default price limits of the account are of markets only': set('default_price_limit', { harbor: 1 }),
  'the account says whether its requests lock the price': set('price_lock', 'never'),
  'the account has an order timeout from 10 seconds to 30 days': set('order_timeout_seconds', 5),
  'the account says how long results are kept, and whether requests are logged': drop('storage.log_payloads'),
  'the account counts its orders that wait and run': drop('orders.executing'),
  'the storage of the account cannot be set here': accepting,
  'a change of the account answers with the account as it is stored': by('PATCH', set('order_timeout_seconds', 11)),
  'usage is a list with its balance and its totals': drop('balance_usd'),
  'a usage record has its order, its tokens, its level and its charge': drop('data.0.order_id'),
  'the usage record of an order has the charge of its receipt': empty,
  'usage is listed newest first': oldestFirst,
  'the totals of usage stand on the first page only': set('total_requests', 5),
  'usage has as many rows as are asked for': set('data.1', {}),
  'usage before all of it is empty': set('data', [{}]),

  'an upload answers with its file': set('object', 'upload'),
  'a file has its size and its name': set('filename', 'file'),
  'a file has its time, and a later one until when it is kept': set('expires_at', null),
  'a file for batches is processed': set('status', 'uploaded'),
  'a file can be read by its id': by('GET', set('bytes', 1)),
  'the content of a file is JSON Lines, with its name': header('content-type', 'text/plain'),
  'the content of a file is what was uploaded': swap(/"custom_id":"one"/, '"custom_id":"two"'),
  'files are a list with its first and its last id': drop('first_id'),
  'files are selected by purpose': set('data.0.purpose', 'batch_output'),
  'files are listed newest first': set('data', [{ created_at: 1 }, { created_at: 2 }]),
  'files after an unknown one are listed from the start': empty,
  'deleting a file answers with it': set('deleted', 'yes'),

  'a new batch is validating': set('status', 'queued'),
  'the id of a batch is batch_ and 24 characters': set('id', 'batch_1'),
  'a batch has its endpoint and its window': drop('completion_window'),
  'a batch that runs has no output yet': set('output_file_id', 'file-1'),
  'a batch has its time and its deadline': set('expires_at', 1_000_000_000),
  'a batch has the metadata that was sent': set('metadata', null),
  'a batch counts what waits, and has its price limit': drop('x_market.bid'),
  'a batch says how long its output is kept': drop('x_retention.output_days'),
  'a batch of a file that nobody uploaded is refused': accepting,
  'a batch completes': set('completed_at', null),
  'a batch counts its lines': set('request_counts.failed', 0),
  'a line of the output has the answer of its endpoint': swap(/"id":"batch_req_/, '"id":"req_'),
  'a line of the output names its order': swap(/"request_id":"\w/, '"request_id":"x'),
  'a line that is refused is in the errors, with its code': swap(/"code":"invalid_request"/, '"code":"wrong"'),
  'the orders of a batch are selected by its id': empty,
  'a batch of a file that is no JSON Lines fails, and says why': set('errors', null),
  'batches are a list, newest first': drop('last_id'),
  'every batch has one of the seven statuses': set('data.0.status', 'done'),
  'a full page of batches says that there may be more': set('has_more', false),
  'batches after an unknown one are listed from the start': at('/v1/batches', empty),

  'the level of a model, with its mode and its time': set('mode', 'open'),
  'a level says whether it is degraded, and whether it is a preview': drop('degraded'),
  'the prices of a level follow from it and the ratio': set('usd_per_million.output', 7),
  'without a model the level is that of the default model': at('/v1/market', set('model', 'surge')),
  'a preview market answers with preview: true': drop('preview'),
  'a preview market is never degraded': set('degraded', true),
  'the levels of all markets have that of the model': at('/v1/market/levels', set('levels.0.model', 'other')),
  'the levels of all markets leave fixed-price models out': at('/v1/market/levels', set('levels.1.model', 'harbor')),
  'a quote has every field': drop('previous_price'),
  'the prices of a quote follow from it and the ratio': set('usd_per_million.cached', 7),
  'a quote holds for a while, and no longer than its window': set('valid_for_ms', 10 ** 9),
  'a lock has ten seconds to start': set('execute_window_seconds', 30),
  'the clear rate is a share, or null': set('clear_rate', 95),
  'the target of the quote is a share': set('target_start_rate', 95),
  'the quote of a preview has no clear rate': set('clear_rate', 1),
  'the history has its range, its bucket, its bounds and its points': set('from', LATER),
  'a point of the history has a time and a level': set('points.0.t', 1_700_000_000),
  'the bounds of the history lie on its bucket': set('from', 1_700_000_001),
  'a range of the history holds about two thousand points': set('bucket_seconds', 60),
  'an unknown range of the history is served as 24h': set('range', 'soon'),
  'candles name the buckets that one may choose': set('bucket_choices', [60, 3600]),
  'the bucket of candles is lowered to a choice': set('bucket_seconds', 1000),
  'a bucket of candles that is too small or none is the smallest': set('bucket_seconds', 7),
  'a candle lies between its low and its high': set('candles.0.high', 0),
  'uptime has its range, its interval and its buckets': drop('checks_running'),
  'the summary of uptime has its counts and its times': drop('summary.max_queue_ms'),
  'the share of uptime follows from its counts, and is null without any': set('summary.uptime_pct', 50),
  'an unknown range of uptime is served as 24h': set('range', 'soon'),
  'uptime without a model is that of all': set('model', 'tide'),
  'token statistics have their range, their bounds and a series for each model': drop('series'),
  'tokens from the cache are part of the input': set('series', [
    { points: [{ input_tokens: 1, cached_tokens: 2, miss_tokens: 0 }] },
  ]),
  'model statistics have the default model and the order of the list': set('models', []),
  'model statistics have a row for each model, with every field': drop('data.0.miss_tokens'),
  'the tokens of a row are its input and its output': set('data.0.total_tokens', 10 ** 9),
  'the top of model statistics is its first row, a market': set('top', 'harbor'),
  'fixed-price models follow the markets, without a level': set('data.2.level', 1),

  'the stream of a market opens with its level': swap(/"updated_at"/, '"at"'),
  'the stream of levels opens with every market': at('/v1/market/levels/stream', swap(/"surge"/, '"tide"')),
  'the stream of quotes opens with the quote': swap(/^data/m, 'event: quote\ndata'),
  'the frames of a preview say that it is one': at('/v1/market/stream', swap(/,"preview":true/, '')),
};

/** The row of a check; one of the two faults that many share where it has none. */
function faultOf({ name }: Check): Fault | undefined {
  if (faults[name]) return faults[name];
  if (/ (?:is|are) 4\d\d\b/.test(name)) return accepting;
  return / (?:is|are) accepted| may be | may have /.test(name) ? refusing : undefined;
}

describe('a check fails when a gateway departs from what it says', { concurrency: 8 }, () => {
  let site: Site;
  let gateway: GatewayProcess;
  let key: string;
  let proxy: Server;
  /** By the first part of the address that a check asks: its fault, and how often each address was asked. */
  const planted = new Map<string, { readonly fault: Fault; readonly seen: Map<string, number> }>();
  before(async () => {
    ({ site, gateway, key } = await checkedSite());
    proxy = createServer(async (request, response) => {
      const { status, headers, text } = await passed(request);
      response.writeHead(status, headers).end(text);
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  });
  after(async () => {
    proxy.closeAllConnections();
    proxy.close();
    await gateway.stop();
    site.remove();
  });

  /** What the gateway answers, spoiled. */
  async function passed(request: IncomingMessage): Promise<Passing> {
    const { method = 'GET', url = '/' } = request;
    const [, name = '', path = ''] = /^\/([^/]+)(.*)$/.exec(url) ?? [];
    const body = Buffer.concat(await request.toArray());
    const { host, connection, 'content-length': length, 'transfer-encoding': encoding, ...sent } = request.headers;
    const init = { method, headers: sent as Record<string, string>, redirect: 'manual' } as const;
    const reply = await fetch(`${gateway.url}${path}`, body.length > 0 ? { ...init, body } : init);
    const text = path.includes('/stream') ? await firstFrame(reply) : await reply.text();
    const { fault, seen } = planted.get(name) ?? { fault: () => ({}), seen: new Map() };
    const place = `${method} ${path.split('?')[0]}`;
    const before = seen.get(place) ?? 0;
    seen.set(place, before + 1);
    const headers = Object.fromEntries([...reply.headers].filter(([header]) => !OF_ITS_BYTES.test(header)));
    const answer = { method, path, before, status: reply.status, headers, text };
    return { ...answer, ...fault(answer) };
  }

  /** What these checks find behind the proxy. */
  const found = (name: string, of: readonly CheckGroup[], apiKey = key) => {
    const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/${name}`;
    const ids = idSource(systemClock);
    return conformanceOf({ url, key: apiKey, model: 'tide', priceLimit: 1, ids, clock: systemClock }, () => {}, of);
  };

  for (const { name: group, checks } of groups) {
    for (const [at, check] of checks.entries()) {
      it(`${group}: ${check.name}`, async () => {
        const fault = faultOf(check);
        assert.ok(fault, 'no fault is planted for it');
        const name = `${group}-${at}`.replaceAll(' ', '-');
        planted.set(name, { fault, seen: new Map() });
        const [outcome] = await found(name, [{ name, checks: [check] }]);
        assert.equal(outcome?.result, 'fails', JSON.stringify(outcome));
      });
    }
  }

  it('without a fault all of them hold behind the proxy', async () => {
    // In an account of its own: the files and orders of the other tests come and go.
    const { apiKey } = await site.openAccount('undisturbed', '10');
    const outcomes = await found('none', groups, apiKey);
    assert.deepEqual(
      outcomes.filter(({ result }) => result !== 'holds'),
      [],
    );
  });

  it('every row of the table is of a check', () => {
    const names = groups.flatMap(({ checks }) => checks.map(({ name }) => name));
    assert.deepEqual(
      Object.keys(faults).filter((name) => !names.includes(name)),
      [],
    );
    assert.equal(new Set(names).size, names.length, 'two checks have the same name');
  });
});

/** Headers that no longer fit what the proxy sends. */
const OF_ITS_BYTES = /^(?:content-length|content-encoding|transfer-encoding|connection|keep-alive|date)$/;

async function firstFrame({ body }: Response): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const bytes of body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    if (/^data:.*\n\n/m.test(text)) break;
  }
  return text;
}
