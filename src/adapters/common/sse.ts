/**
 * The text of server-sent events. A frame ends with an empty line; a comment is one line without an empty line after
 * it, because some clients take that for an empty event and fail.
 */

/** A frame without an event name. `json` is one line, as from `JSON.stringify`. */
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
