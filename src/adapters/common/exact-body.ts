/** The form of a validated request whose parts are forwarded. */
import { exactly } from '#base/exact-json.ts';
import { extensionFields } from './extensions.ts';

/** The fields at the top of a request whose numbers the gateway reads, in any shape. */
const READ = [
  ...extensionFields(['price_limit', 'max_price']),
  ...['max_tokens', 'max_completion_tokens', 'max_output_tokens'],
] as const;

/**
 * The body with numbers that a double cannot keep as they were written, where they are forwarded; the same object when
 * it has none. A validator must have seen `body` itself, in which all numbers are plain.
 */
export function forwardable<Body>(body: Body): Body {
  const exact = exactly(body);
  if (exact === body) return body;
  const plain = Object.entries(body ?? {}).filter(([name]) => READ.includes(name));
  return { ...exact, ...Object.fromEntries(plain) };
}
