/** Holds answers against the interface document in tests that know no server. */
import assert from 'node:assert/strict';
import { responseBodies, streamFrames } from '#generated/response-validators.js';

/** Asserts that `json` is what the operation and status of `name` promise, such as `getOrder 200`; gives it back. */
export function conforming<Json>(name: keyof typeof responseBodies, json: Json): Json {
  const validate = responseBodies[name];
  assert.ok(validate(json), `${name}: ${JSON.stringify(validate.errors)}`);
  return json;
}

/** Asserts that each JSON frame of a stream's text is one of the operation's frames; gives the text back. */
export function conformingFrames(operationId: keyof typeof streamFrames, text: string): string {
  const validate = streamFrames[operationId];
  for (const [, json = ''] of text.matchAll(/^data: (\{.*)$/gm))
    assert.ok(validate(JSON.parse(json)), `${json}: ${JSON.stringify(validate.errors)}`);
  return text;
}
