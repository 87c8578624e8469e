import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemWith } from './conformance.ts';

const json = {
  'content-type': 'application/json; charset=utf-8',
  'x-request-id': 'r',
  'cache-control': 'public, max-age=1',
  etag: '"e"',
};
const levels = (text: string) => ({ status: 200, headers: json, text });

describe('checking an answer against the document', () => {
  it('passes an answer that keeps every promise', () => {
    assert.equal(problemWith('listLevels', 'get', levels('{"levels":[]}')), null);
  });

  it('fails on an undocumented status', () => {
    const answer = { status: 418, headers: json, text: '{}' };
    assert.match(problemWith('listLevels', 'get', answer) ?? '', /answered 418, which is not documented/);
  });

  it('fails on a body that breaks its schema, naming the field', () => {
    const answer = levels('{"levels":[{"model":"tide","level":"cheap"}]}');
    assert.match(problemWith('listLevels', 'get', answer) ?? '', /\/levels\/0\/level must be number/);
  });

  it('fails on a body that is not JSON, that is empty, or of a type that is not documented', () => {
    assert.match(problemWith('listLevels', 'get', levels('{"levels":')) ?? '', /not JSON/);
    assert.match(problemWith('listLevels', 'get', levels('')) ?? '', /empty body/);
    const html = { status: 200, headers: { ...json, 'content-type': 'text/html' }, text: '<p>' };
    assert.match(problemWith('listLevels', 'get', html) ?? '', /"text\/html", which is not documented/);
  });

  it('fails on a frame of a stream that breaks its schema, and knows [DONE]', () => {
    const stream = (text: string) => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream', 'x-request-id': 'r', 'x-service-order-id': 'o' },
      text,
    });
    assert.equal(problemWith('createChatCompletion', 'post', stream(': waiting\ndata: [DONE]\n\n')), null);
    assert.match(
      problemWith('createChatCompletion', 'post', stream('data: {"id":5}\n\n')) ?? '',
      /against the document/,
    );
  });

  it('fails on an undocumented field at any depth, in a body and in a frame', () => {
    const answer = levels('{"levels":[{"model":"tide","level":1,"mood":"calm"}]}');
    assert.match(
      problemWith('listLevels', 'get', answer) ?? '',
      /the field \/levels\/0\/mood, which is not documented/,
    );
    const headers = { 'content-type': 'text/event-stream', 'x-request-id': 'r', 'x-service-order-id': 'o' };
    const error = { message: 'm', type: 't', param: null, code: 'c' };
    const stream = (frame: object) => ({ status: 200, headers, text: `data: ${JSON.stringify(frame)}\n\n` });
    assert.equal(problemWith('createChatCompletion', 'post', stream({ error })), null);
    const strayed = problemWith('createChatCompletion', 'post', stream({ error: { ...error, mood: 'calm' } }));
    assert.match(strayed ?? '', /the field \/error\/mood, which is not documented/);
  });

  it('checks a body that has several forms against its own form', () => {
    const headers = { ...json, 'x-price-valid-until': '2026-01-01T00:00:00.000Z', 'x-price-window-seconds': '10' };
    const catalog = (entry: object) =>
      problemWith('getPartnerCatalog', 'get', { status: 200, headers, text: JSON.stringify({ data: [entry] }) });
    const common = { id: 'tide', name: 'Tide', created: 1, is_ready: true };
    const pricing = { prompt: '1', completion: '1', image: '0', request: '0', input_cache_read: '1' };
    const lengths = {
      context_length: 1,
      max_output_length: 1,
      supported_sampling_parameters: [],
      supported_features: [],
    };
    const flat = { ...common, ...lengths, input_modalities: ['text'], output_modalities: ['text'], pricing };
    assert.equal(catalog(flat), null);
    assert.match(catalog({ ...flat, compliance: { zdr: true } }) ?? '', /the field \/data\/0\/compliance/);
    assert.match(catalog({ ...flat, input_modalities: [{ type: 'text' }] }) ?? '', /against the document/);
  });

  it('fails on a header that is undocumented, missing, or not an integer where one is required', () => {
    const answer = levels('{"levels":[]}');
    const planted = { ...answer, headers: { ...json, 'x-mood': 'calm' } };
    assert.match(problemWith('listLevels', 'get', planted) ?? '', /the header x-mood, which is not documented/);
    const { 'x-request-id': _, ...rest } = json;
    const bare = { ...answer, headers: rest };
    assert.match(problemWith('listLevels', 'get', bare) ?? '', /without the header x-request-id/);
    const text = JSON.stringify({ error: { message: 'm', type: 't', param: null, code: 'c' } });
    const common = { 'content-type': 'application/json', 'x-request-id': 'r' };
    const refused = (after: string) =>
      problemWith('listLevels', 'get', { status: 429, headers: { ...common, 'retry-after': after }, text });
    assert.equal(refused('1'), null);
    for (const wrong of ['0', '1.5', 'soon']) assert.match(refused(wrong) ?? '', /in retry-after, an integer from 1/);
  });

  it('accepts an answer to HEAD without a body', () => {
    assert.equal(problemWith('headHello', 'head', { status: 200, headers: { 'x-request-id': 'r' }, text: '' }), null);
  });
});
