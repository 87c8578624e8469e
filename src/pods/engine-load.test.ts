/** Pages of metrics as the engines write them, and pages that are not to be believed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engineLoadOf } from './engine-load.ts';

/** vLLM 0.12, with two parts of one engine; between them lines of other names, as its page has hundreds. */
const VLLM = `# HELP python_gc_objects_collected_total Objects collected during gc
# TYPE python_gc_objects_collected_total counter
python_gc_objects_collected_total{generation="0"} 9934.0
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="Qwen/Qwen3-27B"} 24.0
vllm:num_requests_running{engine="1",model_name="Qwen/Qwen3-27B"} 20.0
# HELP vllm:num_requests_waiting Number of requests waiting to be processed.
# TYPE vllm:num_requests_waiting gauge
vllm:num_requests_waiting{engine="0",model_name="Qwen/Qwen3-27B"} 3.0
vllm:num_requests_waiting{engine="1",model_name="Qwen/Qwen3-27B"} 0.0
# TYPE vllm:num_requests_waiting_by_reason gauge
vllm:num_requests_waiting_by_reason{engine="0",model_name="Qwen/Qwen3-27B",reason="capacity"} 3.0
# HELP vllm:kv_cache_usage_perc KV-cache usage. 1 means 100 percent usage.
# TYPE vllm:kv_cache_usage_perc gauge
vllm:kv_cache_usage_perc{engine="0",model_name="Qwen/Qwen3-27B"} 0.3412
vllm:kv_cache_usage_perc{engine="1",model_name="Qwen/Qwen3-27B"} 0.8125
# TYPE vllm:cache_config_info gauge
vllm:cache_config_info{block_size="16",note="a \\"quoted\\" } value"} 1.0
# TYPE vllm:e2e_request_latency_seconds histogram
vllm:e2e_request_latency_seconds_bucket{engine="0",le="+Inf",model_name="Qwen/Qwen3-27B"} 10432.0
vllm:e2e_request_latency_seconds_sum{engine="0",model_name="Qwen/Qwen3-27B"} 1.789056823729462e+09
`;
const SGLANG = `# HELP sglang:prompt_tokens_total Number of prefill tokens processed.
# TYPE sglang:prompt_tokens_total counter
sglang:prompt_tokens_total{model_name="meta-llama/Llama-3.1-8B-Instruct"} 8.128902e+06
# HELP sglang:token_usage The token usage
# TYPE sglang:token_usage gauge
sglang:token_usage{model_name="meta-llama/Llama-3.1-8B-Instruct"} 0.28
# HELP sglang:num_running_reqs The number of running requests
# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{model_name="meta-llama/Llama-3.1-8B-Instruct"} 162.0
# HELP sglang:num_queue_reqs The number of requests in the waiting queue
# TYPE sglang:num_queue_reqs gauge
sglang:num_queue_reqs{model_name="meta-llama/Llama-3.1-8B-Instruct",priority=""} 2826.0
sglang:num_queue_reqs{model_name="meta-llama/Llama-3.1-8B-Instruct",priority="1"} 2800.0
`;
const LLAMA_CPP = `# HELP llamacpp:prompt_tokens_total Number of prompt tokens processed.
# TYPE llamacpp:prompt_tokens_total counter
llamacpp:prompt_tokens_total 512
# HELP llamacpp:predicted_tokens_seconds Average generation throughput in tokens/s.
# TYPE llamacpp:predicted_tokens_seconds gauge
llamacpp:predicted_tokens_seconds nan
# HELP llamacpp:requests_processing Number of requests processing.
# TYPE llamacpp:requests_processing gauge
llamacpp:requests_processing 2
# HELP llamacpp:requests_deferred Number of requests deferred.
# TYPE llamacpp:requests_deferred gauge
llamacpp:requests_deferred 6
`;

test('the parts of a vLLM are added, and its fullest cache counts', () => {
  assert.deepEqual(engineLoadOf(VLLM), { running: 44, waiting: 3, cache: 0.8125 });
  const older = VLLM.replaceAll('kv_cache_usage', 'gpu_cache_usage');
  assert.deepEqual(engineLoadOf(older), { running: 44, waiting: 3, cache: 0.8125 });
});

test('what waits in an SGLang is counted once, not for each priority again', () => {
  assert.deepEqual(engineLoadOf(SGLANG), { running: 162, waiting: 2826, cache: 0.28 });
});

test("llama.cpp's server says nothing of its cache", () => {
  assert.deepEqual(engineLoadOf(LLAMA_CPP), { running: 2, waiting: 6, cache: null });
});

test('line ends of Windows, timestamps, tabs and a last line without an end are read', () => {
  const page = 'llamacpp:requests_processing\t2 1789056823729\r\nllamacpp:requests_deferred 6e0  \r\n';
  assert.deepEqual(engineLoadOf(page.trimEnd()), { running: 2, waiting: 6, cache: null });
});

const pageOf = (value: string) => LLAMA_CPP.replace('_processing 2', `_processing ${value}`);
const BAD: Readonly<Record<string, string>> = {
  'no page at all': '',
  'a page of something else': '<html><body>llamacpp:requests_processing 2</body></html>',
  'no number of what waits': LLAMA_CPP.replace('requests_deferred 6', 'requests_delayed 6'),
  'no number where one belongs': pageOf('many'),
  'no value at all': pageOf(''),
  'not a number': pageOf('NaN'),
  'infinitely many': pageOf('+Inf'),
  'fewer than none': pageOf('-3'),
  'more than any engine runs': pageOf('1e300'),
  'a number that overflows': pageOf('1e999'),
  'a number of another base': pageOf('0x10'),
  'a cache fuller than full': VLLM.replace('0.8125', '55.0'),
  'one part with a number and one without': VLLM.replace('20.0', 'NaN'),
};
for (const [what, page] of Object.entries(BAD)) {
  test(`a page is not used with ${what}`, () => assert.equal(engineLoadOf(page), null));
}

test('a page of four mebibytes in one line, of braces or of blanks is read like any other', () => {
  for (const filler of ['{', ' ', 'a{b="', '\n', 'vllm:num_requests_running{']) {
    const long = filler.repeat(Math.ceil((4 * 1024 * 1024) / filler.length));
    assert.ok([null, 2].includes(engineLoadOf(`${long}\n${LLAMA_CPP}`)?.running ?? null));
  }
});

test('a page of four megabytes that says one thing 200,000 times is read, and ends nothing', () => {
  const cache = 'sglang:token_usage 0.5\n'.repeat(180_000);
  const page = `sglang:num_running_reqs 1\nsglang:num_queue_reqs 0\n${cache}`;
  assert.deepEqual(engineLoadOf(page), { running: 1, waiting: 0, cache: 0.5 });
});
