import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { problemWith } from './conformance.ts';

const json = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'r' };
const levels = (text: string) => ({ status: 200, headers: json, text });

describe('holding an answer against the document', () => {
  it('passes an answer that keeps every promise', () => {
    assert.equal(problemWith('listLevels', 'get', levels('{"levels":[]}')), null);
  });

  it('fails on a planted undocumented status', () => {
    const answer = { status: 418, headers: json, text: '{}' };
    assert.match(problemWith('listLevels', 'get', answer) ?? '', /answered 418, which is not documented/);
  });

  it('fails on a body that breaks its schema, pointing at the field', () => {
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
      headers: { ...json, 'content-type': 'text/event-stream', 'x-service-order-id': 'o' },
      text,
    });
    assert.equal(problemWith('createChatCompletion', 'post', stream(': waiting\ndata: [DONE]\n\n')), null);
    assert.match(
      problemWith('createChatCompletion', 'post', stream('data: {"id":5}\n\n')) ?? '',
      /against the document/,
    );
  });

  it('lets a HEAD answer have no body', () => {
    assert.equal(problemWith('headHello', 'head', { status: 200, headers: json, text: '' }), null);
  });
});
