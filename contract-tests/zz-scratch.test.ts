import { after, before, describe, it } from 'node:test';
import { chunkOf, DONE_FRAME, errorReply, type MockBackend, type MockReply, startMockBackend, streamOf, usageOf, frameOf } from '#testing/mock-backend.ts';
import { TestServer } from './support/server.ts';
import { batchOf, ended, entriesOf, line } from './support/batches.ts';

describe('scratch', () => {
  let backend: MockBackend; let server: TestServer; let answer: MockReply;
  const fin = (r = 'stop') => chunkOf({}, { finish_reason: r });
  const use = { choices: [], usage: usageOf({ prompt: 1000, cached: 0, output: 6 }) };
  const ok = () => streamOf([chunkOf({ role: 'assistant', content: 'Calm.' }), fin(), use]);
  before(async () => {
    backend = await startMockBackend({ reply: () => answer });
    answer = ok();
    const pod = (id: string, more = {}) => ({ id, url: backend.url, slots: 8, ...more });
    const usd_per_million = { cached: 0.1, uncached: 1, output: 4 };
    server = new TestServer({
      default_model: 'deep',
      models: [
        { id: 'deep', type: 'fixed', context_length: 131072, max_output_length: 32768, usd_per_million, accepts_images: true, pods: [pod('deep-1')] },
        { id: 'cust', type: 'fixed', context_length: 131072, max_output_length: 32768, usd_per_million, custom_tools: 'as_functions', pods: [pod('cust-1', { cap_field: 'max_completion_tokens' })] },
      ],
      responses: { background: false },
    });
    await server.start();
  });
  after(async () => { await server.close(); await backend.close(); });
  const ask = (id: any, body: object, headers: Record<string, string> = {}, api = server.api) => server.passTimeUntil(server.api.call(id, { body, headers, key: (api as any).key }), 1000);
  const show = (what: string, r: any) => console.log(`## ${what}: ${r.status} ${r.text.replace(/\s+/g, ' ').slice(0, 330)}`);
  const sent = () => { const b: any = backend.requests.at(-1)?.body; return b; };
  const user = (content: unknown) => [{ role: 'user', content }];

  it('1', async () => {
    answer = ok();
    const cyr = 'Прилив бывает дважды в день. '.repeat(7000);
    const code = 'const tide = (hour: number) => { return hour % 12; };\n'.repeat(7000);
    for (const [what, p] of [['cyr', cyr], ['code', code]] as const) {
      for (const [id, body] of [['createChatCompletion', { messages: user([{ type: 'text', text: p }]) }], ['createCompletion', { prompt: [p] }], ['createResponse', { input: [{ role: 'user', content: [{ type: 'input_text', text: p }] }], instructions: 'x' }]] as const) {
        const r = await ask(id, body); console.log('## 1', what, id, r.status, p.length, sent()?.max_tokens, r.status === 200 ? '' : r.text.slice(0, 200));
      }
    }
    const tools = Array.from({ length: 300 }, (_, i) => ({ type: 'function', function: { name: `f${i}`, description: 'Looks at the sea. '.repeat(30), parameters: { type: 'object', properties: { at: { type: 'string' } } } } }));
    const r = await ask('createChatCompletion', { messages: user('Hi'), tools }); console.log('## 1 tools', r.status, sent()?.max_tokens);
    const hist = Array.from({ length: 60 }, (_, i) => [{ type: 'function_call', call_id: `c${i}`, name: 'shell', arguments: '{"cmd":"ls"}' }, { type: 'function_call_output', call_id: `c${i}`, output: 'total 48 drwxr-xr-x file.ts\n'.repeat(160) }]).flat();
    const c = await ask('createResponse', { input: hist, stream: true }); console.log('## 1 codex', c.status, sent()?.max_tokens, /incomplete/.test(c.text));
  });
  it('2', async () => {
    const poor = (await server.createAccount({ creditUsd: 2 })).key;
    const big = 'A'.repeat(1_000_000);
    for (const part of [{ type: 'file', file: { file_data: `data:application/pdf;base64,${big}` } }, { type: 'video_url', video_url: { url: `data:video/mp4;base64,${big}` } }, { type: 'audio_url', audio_url: { url: big } }, { type: 'image_embeds', image_embeds: big }, { type: 'input_audio', input_audio: { data: big, format: 'wav' } }, { type: 'image_url', image_url: { url: `data:image/png;base64,${big}` } }, { image_url: { url: big } }, { type: 'input_image', image_url: big }]) {
      const r = await server.passTimeUntil(server.api.as(poor).call('createChatCompletion', { body: { messages: user([{ type: 'text', text: 'what' }, part]), max_tokens: 10 } }), 1000);
      console.log('## 2', part.type, r.status, r.text.slice(0, 150));
    }
    const t = await server.passTimeUntil(server.api.as(poor).call('createChatCompletion', { body: { messages: user('The tide comes in. '.repeat(47_000)) } }), 1000); show('2 text', t);
    const m = await server.passTimeUntil(server.api.as(poor).call('createMessage', { body: { max_tokens: 5, messages: user('The tide comes in. '.repeat(47_000)) } }), 1000); show('2 messages', m);
    // without usage
    answer = streamOf([chunkOf({ role: 'assistant', content: 'Calm.' }), fin()]);
    const v = await ask('createChatCompletion', { messages: [{ role: 'user', content: 'x' }, { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }] }, { role: 'tool', tool_call_id: 'a', content: [{ type: 'image_url', image_url: { url: `data:image/png;base64,${big}` } }] }] }); show('2 tool image', v);
    answer = ok();
  });
  it('3', async () => {
    const u = (more: object) => ({ choices: [], usage: { prompt_tokens: 1000, completion_tokens: 6, ...more } });
    for (const [what, more] of Object.entries({ flat: { cached_tokens: 900 }, ds: { prompt_cache_hit_tokens: 900, prompt_cache_miss_tokens: 100 }, nullnest: { prompt_tokens_details: { cached_tokens: null }, cached_tokens: 900 }, nullnest2: { prompt_tokens_details: null, prompt_cache_hit_tokens: 900 }, zero: { prompt_tokens_details: { cached_tokens: 0 }, cached_tokens: 900 }, emptynest: { prompt_tokens_details: {}, cached_tokens: 900 }, anth: { cache_read_input_tokens: 900 }, mistral: { num_cached_tokens: 900 } })) {
      answer = streamOf([chunkOf({ content: 'Calm.' }), fin(), u(more)]);
      const r = JSON.parse((await ask('createResponse', { input: 'Hi' })).text);
      console.log('## 3', what, JSON.stringify(r.usage));
    }
    answer = streamOf([chunkOf({ content: 'Calm.' }), { ...(fin() as any), choices: [{ ...(fin() as any).choices[0], usage: { prompt_tokens: 1000, completion_tokens: 6, cached_tokens: 900 } }] }]);
    show('3 in choice', await ask('createMessage', { max_tokens: 9, messages: user('Hi') }));
    for (const none of [{}, null, [], { prompt_tokens: null, completion_tokens: null }, { total_tokens: 3 }]) {
      answer = streamOf([chunkOf({ content: 'Calm.' }), fin(), u({}), { choices: [], usage: none }]);
      const r = JSON.parse((await ask('createChatCompletion', { messages: user('Hi') })).text); console.log('## 3 none', JSON.stringify(none), r.usage.prompt_tokens);
    }
    answer = ok();
  });
  const call = (index: number, id: string | null, name: string | null, args: string | null) => chunkOf({ tool_calls: [{ index, ...(id ? { id } : {}), function: { ...(name ? { name } : {}), ...(args === null ? {} : { arguments: args }) } }] });
  it('4 5 14', async () => {
    const S = '{"at":"sea"}', K = '{"at":"sky"}';
    const rows: Record<string, object[]> = {
      'index2/1': [call(2, 'a', 'f', ''), call(1, null, null, '{"at":'), call(1, null, null, '"sea"}')],
      'two off': [call(2, 'a', 'f', ''), call(1, null, null, S), call(4, 'b', 'g', ''), call(3, null, null, K)],
      'both opened then args off by one': [call(1, 'a', 'f', ''), call(2, 'b', 'g', ''), call(0, null, null, S), call(1, null, null, K)],
      'twice': [call(0, 'a', 'f', S), call(0, 'a', 'f', S)],
      'braces first': [call(0, 'a', 'f', '{}'), call(0, null, null, '{"at":'), call(0, null, null, '"sea"}')],
      'braces, then both': [call(0, 'a', 'f', '{}'), call(1, 'b', 'g', '{}'), call(0, null, null, S), call(1, null, null, K)],
      'spaced braces': [call(0, 'a', 'f', '{ }'), call(0, null, null, S)],
      'whole at end in finish': [call(0, 'a', 'f', '{"at"'), call(0, null, null, ':"sea"}'), chunkOf({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: S } }] }, { finish_reason: 'tool_calls' })],
      'no args': [call(0, 'a', 'f', null)],
      'orphan': [chunkOf({ content: 'x' }), call(0, null, null, S)],
      'three in turns': [call(0, 'a', 'f', ''), call(1, 'b', 'g', ''), call(2, 'c', 'h', ''), call(2, null, null, '{"at"'), call(0, null, null, '{"at":'), call(1, null, null, K), call(0, null, null, '"sea"}'), call(2, null, null, ':1}')],
      'text between': [call(0, 'a', 'f', '{"at":'), chunkOf({ content: 'hm' }), call(0, null, null, '"sea"}')],
      'string arg json': [call(0, 'a', 'f', JSON.stringify(S))],
    };
    for (const [what, chunks] of Object.entries(rows)) {
      answer = streamOf([...chunks, fin('tool_calls'), use]);
      const c = await ask('createChatCompletion', { messages: user('Hi') });
      const m = await ask('createMessage', { max_tokens: 99, messages: user('Hi'), stream: true });
      const r = await ask('createResponse', { input: 'Hi', stream: true });
      const s = await ask('createChatCompletion', { messages: user('Hi'), stream: true });
      const calls = c.status === 200 ? JSON.parse(c.text).choices[0].message.tool_calls?.map((t: any) => [t.id, t.function.name, t.function.arguments]) : c.text.slice(0, 150);
      const mm = [...m.text.matchAll(/partial_json":("(?:[^"\\]|\\.)*")/g)].map((x: any) => JSON.parse(x[1])).join('|');
      const rr = [...r.text.matchAll(/call_arguments.done.*?"arguments":("(?:[^"\\]|\\.)*")/g)].map((x: any) => JSON.parse(x[1])).join('|');
      const order = [...s.text.matchAll(/"tool_calls":\[\{"index":(\d)/g)].map((x: any) => x[1]).join('');
      console.log('## 4', what, JSON.stringify(calls), 'M', mm, 'R', rr, 'S', order);
    }
    answer = { writes: [frameOf(call(0, 'a', 'f', S)), DONE_FRAME] }; show('14', await ask('createResponse', { input: 'Hi' }));
    answer = { writes: [frameOf(chunkOf({ content: 'Let me look.' })), frameOf(call(0, 'a', 'f', S)), frameOf(use), DONE_FRAME] }; show('14b', await ask('createMessage', { max_tokens: 9, messages: user('Hi') }));
    answer = { writes: [frameOf(call(0, 'a', 'f', '')), DONE_FRAME] }; show('14c no args', await ask('createChatCompletion', { messages: user('Hi') }));
    answer = ok();
  });
  it('6 13 15', async () => {
    for (const r of ['max_tokens', 'MAX_TOKENS', 'Length', 'max_output_tokens', 'token_limit', 'model_length', 'insufficient_system_resource', 'network_error', 'engine_overloaded', 'eos', 'STOP', 'end_turn', 'weird', '  stop ', 'MALFORMED_FUNCTION_CALL', 'load']) {
      answer = streamOf([chunkOf({ content: 'Calm.' }), fin(r), use]);
      const c = await ask('createChatCompletion', { messages: user('Hi') }); const m = await ask('createMessage', { max_tokens: 99, messages: user('Hi') });
      console.log('## 6', r, c.status, /finish_reason":"(\w+)/.exec(c.text)?.[1], m.status, /stop_reason":"(\w+)/.exec(m.text)?.[1]);
    }
    const rows: Record<string, string[]> = {
      'empty data': ['data:\n\n', frameOf(chunkOf({ content: 'Calm.' })), 'data: \n\n', frameOf(fin()), frameOf(use), DONE_FRAME],
      'done spaces': [frameOf(chunkOf({ content: 'Calm.' })), frameOf(fin()), frameOf(use), 'data: [DONE] \n\n'],
      'done lower': [frameOf(chunkOf({ content: 'Calm.' })), frameOf(fin()), frameOf(use), 'data: [done]\n\n'],
      'quoted done': [frameOf(chunkOf({ content: 'Calm.' })), frameOf(fin()), frameOf(use), 'data: "[DONE]"\n\n'],
      'late error': [frameOf(chunkOf({ content: 'Calm.' })), frameOf(fin()), frameOf(use), 'data: {"error":{"message":"x"}}\n\n'],
      'junk before': ['data: {}\n\n', 'data: []\n\n', frameOf(chunkOf({ content: 'Calm.' })), frameOf(fin()), frameOf(use), DONE_FRAME],
      'event error after': [frameOf(chunkOf({ content: 'Calm.' })), frameOf(fin()), frameOf(use), 'event: error\ndata: boom\n\n'],
      'html after': [frameOf(chunkOf({ content: 'Calm.' })), frameOf(fin()), frameOf(use), '<html>\n\n'],
      'usage null choices null': [frameOf(chunkOf({ content: 'Calm.' })), 'data: {"choices":null,"usage":null}\n\n', frameOf(fin()), frameOf(use), DONE_FRAME],
      'error null': [frameOf({ ...chunkOf({ content: 'Calm.' }), error: null }), frameOf({ ...(fin() as object), error: '' }), frameOf(use), DONE_FRAME],
    };
    for (const [what, writes] of Object.entries(rows)) {
      answer = { writes }; const n = backend.requests.length;
      const c = await ask('createResponse', { input: 'Hi' }); console.log('## 13', what, c.status, /"text":"([^"]*)"/.exec(c.text)?.[1], backend.requests.length - n, c.status !== 200 ? c.text.slice(0, 200) : '');
    }
    for (const content of [[{ type: 'text', text: 'Calm.' }], [{ type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] }, { type: 'text', text: 'Calm.' }], { type: 'text', text: 'Calm.' }, [{ type: 'thinking', thinking: [{ type: 'reference', reference_ids: [1] }, { type: 'text', text: 'hm' }], closed: true }, { type: 'text', text: 'Calm.' }], [{ type: 'image_url', image_url: 'x' }, { type: 'text', text: 'Calm.' }], [{ type: 'output_text', text: 'Calm.' }], [{ type: 'text', text: { value: 'Calm.' } }]]) {
      answer = streamOf([chunkOf({ content }), fin(), use]);
      const c = await ask('createChatCompletion', { messages: user('Hi') }); console.log('## 15', JSON.stringify(content), c.status, c.status === 200 ? JSON.stringify(JSON.parse(c.text).choices[0].message) : c.text.slice(0, 100));
    }
    answer = ok();
  });
  it('7', async () => {
    for (const [st, msg] of [[400, "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens"], [400, 'the request exceeds the available context size, try increasing it'], [500, 'Context size has been exceeded.'], [400, 'Requested token count exceeds the model\'s maximum context length of 131072 tokens. You requested a total of 140000 tokens: 139000 tokens from the input messages and 1000 tokens for the completion.'], [422, 'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`'], [400, 'Prompt length 140000 exceeds max_model_len 131072'], [413, 'Input too long'], [400, 'The input (140000 tokens) is longer than the model\'s context length (131072 tokens).'], [400, 'input is too long for requested model'], [400, 'max_tokens must be at least 1, got -20'], [400, 'prompt tokens (140000) exceed n_ctx (131072)']] as const) {
      answer = errorReply(st, msg);
      const c = await ask('createChatCompletion', { messages: user('Hi') }); const m = await ask('createMessage', { max_tokens: 99, messages: user('Hi') }); const r = await ask('createResponse', { input: 'Hi', stream: true });
      console.log('## 7', st, msg.slice(0, 60), c.status, /"code":"(\w+)/.exec(c.text)?.[1], /message":"([^"]{0,70})/.exec(m.text)?.[1], '| R', /"code":"(\w+)","message":"([^"]{0,60})/.exec(r.text)?.slice(1).join(' '));
    }
    answer = ok();
  });
  it('8-12 17', async () => {
    const H = 'cut \ud83d';
    for (const [id, body] of [
      ['createChatCompletion', { messages: [{ role: 'system', content: H }, { role: 'user', content: [{ type: 'text', text: H }], name: 'n\udc00' }], tools: [{ type: 'function', function: { name: 'f', description: H, parameters: { type: 'object', properties: { ['k\ud800']: { enum: [H] } } } } }], response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { description: H } } }, user: H, metadata: { [H]: H } }],
      ['createResponse', { instructions: H, input: [{ type: 'reasoning', content: [{ type: 'reasoning_text', text: H }], summary: [] }, { type: 'function_call', call_id: H, name: 'f', arguments: '{"a":"\\ud83d"}' }, { type: 'function_call_output', call_id: H, output: H }] }],
      ['createMessage', { max_tokens: 9, system: [{ type: 'text', text: H }], messages: [{ role: 'user', content: [{ type: 'text', text: H }] }, { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: { [H]: H } }] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: H }] }] }],
    ] as const) { const c = await ask(id, body); console.log('## 8', id, c.status, /\\ud83d(?!\\u)|\\udc00|\\ud800/i.test(backend.requests.at(-1)?.text ?? ''), backend.requests.at(-1)?.text.slice(0, 420)); }
    for (const [id, body] of [['createChatCompletion', { messages: [{ role: 'developer', content: 'Be brief' }] }], ['createResponse', { input: [{ role: 'developer', content: 'Be brief' }] }], ['createChatCompletion', { messages: [{ role: 'developer', content: [{ type: 'text', text: 'a' }] }, ...user('x'), { role: 'developer', content: 'b' }] }]] as const) { await ask(id, body); console.log('## 9', JSON.stringify(sent().messages)); }
    for (const item of [{ type: 'function_call_output', name: 'f', output: 'out' }, { type: 'function_call_output', call_id: null, name: 'f', output: [{ type: 'input_text', text: 'out' }] }, { type: 'function_call_output', call_id: '', name: 'f', output: 'out' }, { type: 'function_call_output', output: 'out' }, { type: 'custom_tool_call_output', name: 'p', output: 'out' }]) { const c = await ask('createResponse', { input: [{ role: 'user', content: 'x' }, item] }); console.log('## 10', c.status, c.status === 200 ? JSON.stringify(sent().messages) : c.text.slice(0, 160)); }
    const tc = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })) });
    const out = (id: string) => ({ role: 'tool', tool_call_id: id, content: `o-${id}` });
    for (const messages of [[...user('q'), tc('a'), { role: 'developer', content: 'note' }, out('a')], [...user('q'), tc('a', 'b'), out('b'), ...user('mid'), out('a')], [...user('q'), tc('a', 'b'), out('a'), ...user('go on')], [...user('q'), out('zzz'), tc('a')], [...user('q'), tc('a'), tc('b'), out('a'), out('b')]]) { await ask('createChatCompletion', { messages }); console.log('## 11', sent().messages.map((m: any) => m.role + (m.tool_call_id ?? '')).join(',')); }
    await ask('createMessage', { max_tokens: 9, messages: [...user('q'), { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }, { type: 'tool_use', id: 'b', name: 'f', input: {} }] }, { role: 'system', content: 'note' }, { role: 'user', content: [{ type: 'text', text: 'hm' }, { type: 'tool_result', tool_use_id: 'b', content: 'o' }] }] }); console.log('## 11 M', sent().messages.map((m: any) => m.role + (m.tool_call_id ?? '')).join(','));
    for (const [id, body] of [['createChatCompletion', { messages: [...user('q'), { role: 'assistant', content: 'x', reasoning_content: 'hm' }, ...user('r')] }], ['createChatCompletion', { messages: [...user('q'), { role: 'assistant', content: 'x', reasoning: 'hm' }, ...user('r')] }], ['createResponse', { input: [{ role: 'user', content: 'q' }, { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] }, { role: 'assistant', content: 'x' }, { role: 'user', content: 'r' }] }], ['createMessage', { max_tokens: 9, messages: [...user('q'), { role: 'assistant', content: [{ type: 'thinking', thinking: 'hm', signature: 's' }, { type: 'text', text: 'x' }] }, ...user('r')] }]] as const) { await ask(id, body); console.log('## 12', JSON.stringify(sent().messages[1])); }
    const tools = [{ type: 'function', name: 'f', parameters: {} }];
    for (const tool_choice of [{ type: 'function', function: { name: 'f' } }, { type: 'function', function: { name: 'nope' } }, { type: 'function', function: {} }, 'required', { type: 'allowed_tools', mode: 'required', tools: [] }, { type: 'weird' }, 'weird']) { const c = await ask('createResponse', { input: 'x', tools, tool_choice }); console.log('## 17', JSON.stringify(tool_choice), c.status, JSON.stringify(sent().tool_choice), c.status === 200 ? '' : c.text.slice(0, 150)); }
    await ask('createMessage', { max_tokens: 9, messages: user('q'), output_format: { type: 'json_schema', schema: { type: 'object' } } }); console.log('## 17 of', JSON.stringify(sent().response_format));
    for (const bom of ['\ufeff', '\ufeff \n']) { const c = await server.api.call('createMessage', { raw: `${bom}${JSON.stringify({ max_tokens: 9, messages: user('q') })}` }); console.log('## 17 bom', c.status); }
  });
  it('16 18 19', async () => {
    await ask('createChatCompletion', { model: 'cust', messages: user('q'), max_tokens: 7 }); console.log('## 16', sent().max_tokens, sent().max_completion_tokens);
    await ask('createMessage', { model: 'cust', messages: user('q'), max_tokens: 7 }); console.log('## 16', sent().max_tokens, sent().max_completion_tokens);
    answer = streamOf([call(0, 'a', 'apply_patch', '{"input":"*** Begin"}'), fin('tool_calls'), use]);
    for (const more of [{}, { stream: true }]) show('18', await ask('createResponse', { model: 'cust', input: 'x', tools: [{ type: 'custom', name: 'apply_patch', description: 'd', format: { type: 'grammar', syntax: 'lark', definition: 'start: x' } }], tool_choice: { type: 'custom', name: 'apply_patch' }, ...more }));
    console.log('## 18', JSON.stringify(sent().tools), JSON.stringify(sent().tool_choice));
    answer = ok();
    for (const body of [{ background: true }, { background: true, store: true }, { background: true, stream: true }, { background: 'true' }, { background: false }, { background: null }]) show('19 ' + JSON.stringify(body), await ask('createResponse', { input: 'x', ...body }));
  });
});
