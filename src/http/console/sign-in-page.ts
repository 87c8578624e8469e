/**
 * Where members sign in, with a one-time link or without, at /settings/sign-in. It is three small files without a build:
 * it must work before anything else does. The token of a link is what follows `#`, which browsers send to nobody, and it
 * is used only when somebody presses the button: programs that open the links of mails would use it up otherwise.
 */
import { ANSWER_PATH } from '#accounts/members/identities.ts';
import type { RawReply } from '#contract/reply.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in to Sluice</title>
<link rel="stylesheet" href="/settings/sign-in.css">
<script src="/settings/sign-in.js" defer></script>
</head>
<body>
<main>
<h1><a href="/">Sluice</a></h1>
<p id="state" role="status">This page needs JavaScript to sign you in.</p>
<form id="link" hidden><button>Sign in</button></form>
<form id="password" hidden>
<label>E-mail <input name="email" type="email" autocomplete="username" maxlength="254" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" maxlength="200" required></label>
<button>Sign in</button>
</form>
<p id="passkey" hidden><button type="button">Use a passkey</button></p>
PROVIDER
<div id="inside" hidden>
<p><a href="/settings#/security">Passkeys, password and sessions</a></p>
<p id="settings" hidden><a href="/settings">Go to the settings</a></p>
<p id="console" hidden><a href="/console">Go to the console</a></p>
<p><button id="out" type="button">Sign out</button></p>
</div>
</main>
</body>
</html>
`;

/** The colours are those of console/src/style.css. */
const STYLE = `:root {
  color-scheme: light dark;
  --ground: light-dark(#f7f8f8, #101415);
  --panel: light-dark(#ffffff, #171c1e);
  --line: light-dark(#dfe3e4, #2a3236);
  --ink: light-dark(#16191a, #e6eaeb);
  --accent: light-dark(#0b6e75, #4cc2c9);
}
html { background: var(--ground); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
body { margin: 0; }
main {
  box-sizing: border-box; max-width: 25rem; margin: 12vh auto 0; padding: 1.25rem 1.5rem;
  background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
}
@media (max-width: 27rem) { main { margin: 1rem; } }
h1 { font-size: 1.15rem; margin: 0 0 0.75rem; }
h1 a { color: inherit; text-decoration: none; }
a { color: var(--accent); text-underline-offset: 2px; }
button, input {
  box-sizing: border-box; width: 100%; font: inherit; padding: 0.4rem 0.75rem; border: 1px solid var(--line);
  border-radius: 6px; background: var(--panel); color: var(--ink);
}
button { cursor: pointer; }
button:hover { border-color: var(--accent); }
form button { border-color: var(--accent); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
label { display: block; margin: 0 0 0.75rem; }
#state { overflow-wrap: anywhere; }
#passkey, #provider { margin: 0.75rem 0 0; }
`;

const SCRIPT = `'use strict';
const show = (text) => { document.getElementById('state').textContent = text; };
const toggle = (id, on) => {
  const element = document.getElementById(id);
  if (element) element.hidden = !on;
};
let csrf = '';
// Addresses without a name have no passkeys, nor has a browser that cannot read the question.
const hasPasskeys = 'PublicKeyCredential' in window && 'parseRequestOptionsFromJSON' in PublicKeyCredential
  && !/^(?:\\[.*\\]|[\\d.]+)$/.test(location.hostname);

async function call(method, path, body) {
  const headers = { 'x-csrf-token': csrf, ...(body ? { 'content-type': 'application/json' } : {}) };
  const answer = await fetch('/settings/api/' + path, { method, headers, body: body && JSON.stringify(body) });
  const value = answer.status === 204 ? null : await answer.json();
  return { ok: answer.ok, status: answer.status, value };
}

function inside(session, before = '') {
  csrf = session.csrf_token;
  history.replaceState(null, '', location.pathname);
  const where = session.account ? 'of the account ' + session.account.name : 'with the operator';
  show(before + 'You are signed in as ' + session.email + ', ' + session.role + ' ' + where + '.');
  for (const id of ['link', 'password', 'passkey', 'provider']) toggle(id, false);
  toggle(session.account ? 'settings' : 'console', true);
  toggle('inside', true);
}

function outside(text) {
  const token = location.hash.slice(1);
  show(text || (token ? 'This link signs you in once.' : 'Sign in, or open the link that you were given.'));
  toggle('link', Boolean(token));
  toggle('password', !token);
  toggle('passkey', !token && hasPasskeys);
  toggle('provider', !token);
  toggle('inside', false);
}

async function enter(path, body) {
  const { ok, value } = await call('POST', path, body);
  arrived(ok, value);
}

function arrived(ok, value) {
  if (!ok) outside(value.detail);
  else location.replace(value.return_to || (value.account ? '/settings' : '/console'));
}

const SPENT = 'This link does not work any more: each signs in once, within 24 hours, and a newer one replaces it. ';

// What to do next depends on whether this browser has been let in already, by this link or otherwise.
async function enterByLink(token) {
  const { ok, status, value } = await call('POST', 'sign-in/link', { token });
  if (ok || status !== 401) return arrived(ok, value);
  const { ok: isInside, value: session } = await call('GET', 'session');
  if (isInside) return inside(session, SPENT);
  history.replaceState(null, '', location.pathname);
  outside(SPENT + 'Sign in with your passkey or password if you have one. Otherwise ask whoever invited you for a new link; '
    + 'whoever has a shell on the gateway gets one with npx sluice member invite.');
}

async function usePasskey() {
  const { ok, value } = await call('POST', 'sign-in/passkey/question');
  if (!ok) return outside(value.detail);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(value.public_key);
  const used = await navigator.credentials.get({ publicKey }).catch(() => null);
  if (!used) return outside('The browser used no passkey: it has none for this gateway, or was refused, or took too long.');
  const email = document.querySelector('#password [name=email]').value;
  await enter('sign-in/passkey', { credential: used.toJSON(), ...(email ? { email } : {}) });
}

async function visitProvider() {
  const wanted = new URLSearchParams(location.search).get('return');
  const { ok, value } = await call('POST', 'sign-in/provider', wanted ? { return_to: wanted } : {});
  if (ok) location.assign(value.url);
  else outside(value.detail);
}

// The code in the address is for this browser and for now: it is taken out, and used once.
function backFromProvider(parameters) {
  history.replaceState(null, '', '/settings/sign-in');
  show('Signing you in …');
  enter('sign-in/provider/answer', { parameters }).catch(unreachable);
}

function unreachable() { show('The gateway does not answer. Try again shortly.'); }

document.getElementById('link').addEventListener('submit', (event) => {
  event.preventDefault();
  enterByLink(location.hash.slice(1)).catch(unreachable);
});
document.getElementById('password').addEventListener('submit', (event) => {
  event.preventDefault();
  const { email, password } = event.target.elements;
  enter('sign-in/password', { email: email.value, password: password.value }).catch(unreachable);
});
document.getElementById('passkey').addEventListener('click', ({ target }) => {
  if (target.tagName === 'BUTTON') usePasskey().catch(unreachable);
});
document.getElementById('provider')?.addEventListener('click', ({ target }) => {
  if (target.tagName === 'BUTTON') visitProvider().catch(unreachable);
});
document.getElementById('out').addEventListener('click', () => {
  call('DELETE', 'session').then(() => outside('You are signed out.'), unreachable);
});
addEventListener('hashchange', () => outside());
if (location.pathname.endsWith('/provider') && location.search) backFromProvider(location.search.slice(1));
else call('GET', 'session')
  .then(({ ok, status, value }) => {
    if (ok && !location.hash) inside(value);
    else outside(ok || status === 401 ? '' : value.detail);
  })
  .catch(unreachable);
`;

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
  const page = PAGE.replace('PROVIDER\n', () => (provider === null ? '' : `${button}\n`));
  const files: Readonly<Record<string, readonly [type: string, text: string]>> = {
    '/settings/sign-in': ['text/html', page],
    // Where the provider leads back to.
    ...(provider === null ? {} : { [ANSWER_PATH]: ['text/html', page] }),
    '/settings/sign-in.css': ['text/css', STYLE],
    '/settings/sign-in.js': ['text/javascript', SCRIPT],
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

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
