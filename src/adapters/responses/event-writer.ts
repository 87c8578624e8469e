/** Numbers and writes the events of a Responses stream. Spec 6.3. */
import type { JsonObject } from '#orders/request.ts';
import { eventFrame } from '../common/envelope.ts';

/** The events of one stream; the first has the number 0, and the event line repeats the type in the JSON. */
export class EventWriter {
  #sequence = 0;

  event(type: string, fields: JsonObject): string {
    return this.prebuilt(type, JSON.stringify(fields).slice(1, -1));
  }

  /** Takes numbers without writing their events. */
  skip(count: number): void {
    this.#sequence += count;
  }

  /** For events that are written for every token: `fields` is JSON without its braces. */
  prebuilt(type: string, fields: string): string {
    return eventFrame(type, `{"type":"${type}","sequence_number":${this.#sequence++},${fields}}`);
  }
}
