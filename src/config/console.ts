/** The settings of the pages that people sign in to: whether they are served at all, and whether without TLS. */
import type { Section } from './section.ts';

/** `console:` of the file, decided for where the gateway listens. */
export interface ConsoleSettings {
  /** Whether there are pages at all. The market needs no login, and so no TLS. */
  readonly enabled: boolean;
  /** Whether the settings and the console exist. */
  readonly served: boolean;
  /** Whether a session may be carried without TLS from another machine. */
  readonly insecure: boolean;
}

/**
 * Reads `console: {enabled, insecure}`. Served unless switched off; on an address that other machines reach, only with a
 * trusted proxy in front, which can say that a connection has TLS, or where that is not wanted.
 */
export function readConsole(section: Section, at: { readonly loopback: boolean; readonly proxied: boolean }) {
  const enabled = section.flag('enabled', true);
  const insecure = section.flag('insecure', false);
  section.finish();
  return { enabled, served: enabled && (at.loopback || at.proxied || insecure), insecure } satisfies ConsoleSettings;
}
