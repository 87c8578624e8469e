/**
 * The bytes of server-sent events. A frame ends with an empty line; a comment is one line and must not be followed by
 * one, because some clients take the empty line for an empty event (trap: keepalive comments break SDKs).
 */

/** A frame without an event name. `json` is one line, as `JSON.stringify` writes it. */
export function dataFrame(json: string): string {
  return `data: ${json}\n\n`;
}

/** A frame with an event name, for shapes whose clients skip frames without one. */
export function eventFrame(event: string, json: string): string {
  return `event: ${event}\ndata: ${json}\n\n`;
}

/** A comment line; `text` has no line breaks. */
export function commentLine(text: string): string {
  return `: ${text}\n`;
}
