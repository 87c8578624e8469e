/** Checks bodies and answers against the interface document in tests without a server. */
import assert from 'node:assert/strict';
import { assertValid } from '#adapters/common/validation.ts';
import { responseBodies, streamFrames } from '#generated/response-validators.js';
import type { Validator } from '#generated/validators.js';

/** Validates a body as the gateway does before it reads one, and returns it. Throws the Fault of an invalid one. */
export function validated<Body>(isBody: Validator<Body>, body: unknown): Body {
  assertValid(isBody, body);
  return body;
}

/** Asserts that `json` is what the operation and status of `name`, such as `getOrder 200`, promise; returns it. */
export function conforming<Json>(name: keyof typeof responseBodies, json: Json): Json {
  const validate = responseBodies[name];
  assert.ok(validate(json), `${name}: ${JSON.stringify(validate.errors)}`);
  return json;
}

/** Asserts that each JSON frame of a stream's text is one of the operation's frames; returns the text. */
export function conformingFrames(operationId: keyof typeof streamFrames, text: string): string {
  const validate = streamFrames[operationId];
  for (const [, json = ''] of text.matchAll(/^data: (\{.*)$/gm))
    assert.ok(validate(JSON.parse(json)), `${json}: ${JSON.stringify(validate.errors)}`);
  return text;
}
