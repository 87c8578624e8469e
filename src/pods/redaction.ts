/**
 * Which of a backend's own words may be repeated. Error messages of backends quote requests, keys and addresses: a
 * caller must not learn where a model runs, and a log must not learn what callers write. docs/sell/incidents.md.
 */
import type { GenerationRequest } from '#orders/request.ts';
import type { PodConfig } from './pod.ts';

const REDACTED = '[redacted]';
/** In UTF-16 units. Shorter pieces of what was sent are ordinary words. */
const PIECE_LENGTH = 8;
const LOGGED_LENGTH = 200;
const ANSWERED_LENGTH = 500;

/** For the caller, at most 500 characters: the model by the name of its listing, without keys and addresses. */
export function forCaller(message: string, { upstreamModel, apiKey, url }: PodConfig, model: string): string {
  const theirName = new RegExp(`(?<![\\w-])${RegExp.escape(upstreamModel)}(?![\\w-])`, 'g');
  const named = withoutKey(message, apiKey).replace(theirName, () => model);
  return withoutPlaces(named, url).slice(0, ANSWERED_LENGTH);
}

/**
 * For the log, at most 200 characters: without keys, and without any piece of the request. If the request is no longer
 * known, the whole message is withheld.
 */
export function forLog(message: string, config: PodConfig, generation: GenerationRequest | null): string {
  if (!generation) return REDACTED;
  const sent = textsOf(generation.body).join('\n').replace(/\s+/gu, ' ');
  return withoutPieces(withoutKey(message.slice(0, LOGGED_LENGTH), config.apiKey), sent);
}

/** Without the key, and without recognizable parts of it: backends quote keys cut. */
function withoutKey(message: string, key: string | null): string {
  return key === null ? message : withoutPieces(message.replaceAll(key, REDACTED), key);
}

/** Without the longest pieces, from PIECE_LENGTH on, that are part of `sent`. */
function withoutPieces(message: string, sent: string): string {
  let rest = '';
  let start = 0;
  while (start < message.length) {
    const end = endOfPiece(message, start, sent);
    rest += end > start ? REDACTED : message.charAt(start);
    start = Math.max(end, start + 1);
  }
  return rest;
}

/** Where the piece of `sent` ends that begins at `start`; `start` for none. */
function endOfPiece(message: string, start: number, sent: string): number {
  let end = start + PIECE_LENGTH;
  if (end > message.length || !sent.includes(message.slice(start, end))) return start;
  while (end < message.length && sent.includes(message.slice(start, end + 1))) end++;
  return end;
}

/** Every string of a JSON value, keys of objects excepted: those are the protocol's. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(textsOf);
}

/** Ends of names that belong to machines and not to fields such as `messages.0.content`. */
const ENDINGS = [
  ...['local', 'localdomain', 'internal', 'intranet', 'lan', 'corp', 'home', 'svc', 'cluster', 'arpa', 'test'],
  ...['com', 'net', 'org', 'io', 'dev', 'ai', 'cloud', 'app', 'tech', 'co', 'eu', 'uk', 'us', 'de', 'fr', 'cn'],
];

/** URLs, IP addresses, names of machines, and names with a port. */
const PLACES = new RegExp(
  [
    '\\b[a-z][a-z0-9+.-]*://[^\\s"\'<>)\\]}]+',
    '\\b(?:\\d{1,3}\\.){3}\\d{1,3}(?::\\d+)?\\b',
    '(?<![\\w:.])\\[?(?:(?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?|::[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)(?:\\](?::\\d+)?)?(?![\\w:])',
    `(?<![\\w.-])(?:[a-z0-9-]+\\.)+(?:${ENDINGS.join('|')})(?::\\d+)?(?![\\w-])`,
    '(?<![\\w.-])localhost(?::\\d+)?(?![\\w.-])',
    '(?<![\\w.-])(?=[a-z0-9.-]*[a-z])(?=[a-z0-9-]*[\\d.-])[a-z0-9][a-z0-9.-]*:\\d{2,5}(?![\\w.])',
  ].join('|'),
  'giu',
);

function withoutPlaces(message: string, url: string | null): string {
  const host = url === null ? null : URL.parse(url)?.hostname;
  const rest = message.replace(PLACES, REDACTED);
  return host ? rest.replaceAll(host, REDACTED) : rest;
}
