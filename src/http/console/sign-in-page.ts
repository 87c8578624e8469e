/**
 * Where members sign in, with a one-time link or without, at /settings/sign-in. It is three small files without a build:
 * it must work before anything else does. The token of a link is what follows `#`, which browsers send to nobody, and it
 * is used only when somebody presses the button: programs that open the links of mails would use it up otherwise.
 */
import { readFileSync } from 'node:fs';
import { ANSWER_PATH } from '#accounts/members/identities.ts';
import type { RawReply } from '#contract/reply.ts';

/** Scripts, styles and requests of this gateway, and nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The file of the page at this path; null for none. */
export type SignInFile = (method: string, path: string) => RawReply | null;

/** The files of the page, with a button for the identity provider of this name; null for none. */
export function signInFiles(provider: string | null): SignInFile {
  const button = `<p id="provider" hidden><button type="button">Continue with ${escaped(provider ?? '')}</button></p>`;
  const page = textOf('html').replace('PROVIDER\n', () => (provider === null ? '' : `${button}\n`));
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/settings/sign-in': ['text/html', page],
    // Where the provider leads back to.
    ...(provider === null ? {} : { [ANSWER_PATH]: ['text/html', page] }),
    '/settings/sign-in.css': ['text/css', textOf('css')],
    '/settings/sign-in.js': ['text/javascript', textOf('js')],
  };
  return (method, path) => {
    const file = method === 'GET' || method === 'HEAD' ? files[path] : undefined;
    if (!file) return null;
    const [type, raw] = file;
    return {
      status: 200,
      headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': POLICY },
      raw,
    };
  };
}

/** One of the three files beside this one. */
function textOf(kind: 'html' | 'css' | 'js'): string {
  return readFileSync(new URL(`./sign-in.${kind}`, import.meta.url), 'utf8');
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
