/** Numbers the events of one stream and writes them: the name on the event line is the type in the JSON. Spec 6.3. */
import type { JsonObject } from '#orders/request.ts';
import { eventFrame } from '../sse.ts';

/** Writes one stream's events; the first has number 0. */
export class EventWriter {
  #sequence = 0;

  event(type: string, fields: JsonObject): string {
    return this.prebuilt(type, JSON.stringify(fields).slice(1, -1));
  }

  /** For the events that there is one of for every token: `fields` is JSON without its braces. */
  prebuilt(type: string, fields: string): string {
    return eventFrame(type, `{"type":"${type}","sequence_number":${this.#sequence++},${fields}}`);
  }
}
