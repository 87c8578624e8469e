/** The section `webhooks`: the hosts that may be told although they are not of the public internet. */
import type { Section } from './section.ts';

const HOST = {
  pattern: /^[a-z0-9_.:-]{1,255}$/,
  expected: 'a host in lower case, with a port if need be, such as hooks.internal or 10.0.0.7:8443',
};

/** Reads `webhooks: {allow}`. */
export function readWebhooks(section: Section): { readonly allow: readonly string[] } {
  const settings = { allow: section.texts('allow', HOST) };
  section.finish();
  return settings;
}
