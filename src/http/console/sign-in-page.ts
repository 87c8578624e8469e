/**
 * The page behind a one-time link, at /settings/sign-in. It is three small files without a build: it must work before
 * anything else does. The token is what follows `#`, which browsers send to nobody, and it is used only when somebody
 * presses the button: programs that open the links of mails would use it up otherwise.
 */
import type { RawReply } from '#handlers/call.ts';

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
<h1>Sluice</h1>
<p id="state" role="status">This page needs JavaScript to sign you in.</p>
<form id="link" hidden><button>Sign in</button></form>
<form id="password" hidden>
<label>E-mail <input name="email" type="email" autocomplete="username" maxlength="254" required></label>
<label>Password <input name="password" type="password" autocomplete="current-password" maxlength="200" required></label>
<button>Sign in</button>
</form>
<div id="inside" hidden>
<form id="choose" hidden>
<label>A password, to sign in again without a link (12 characters or more)
<input name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required></label>
<button>Set the password</button>
</form>
<p id="settings" hidden><a href="/settings">Go to the settings</a></p>
<p id="console" hidden><a href="/console">Go to the console</a></p>
<p><button id="out" type="button">Sign out</button></p>
</div>
</main>
</body>
</html>
`;

const STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; }
main { max-width: 26rem; margin: 15vh auto 0; padding: 0 1.5rem; }
h1 { font-size: 1.25rem; }
button, input { font: inherit; padding: 0.4rem 0.9rem; }
label { display: block; margin: 0 0 0.75rem; }
label input { display: block; width: 100%; box-sizing: border-box; }
`;

const SCRIPT = `'use strict';
const show = (text) => { document.getElementById('state').textContent = text; };
const toggle = (id, on) => { document.getElementById(id).hidden = !on; };
let csrf = '';

async function call(method, path, body) {
  const headers = { 'x-csrf-token': csrf, ...(body ? { 'content-type': 'application/json' } : {}) };
  const answer = await fetch('/settings/api/' + path, { method, headers, body: body && JSON.stringify(body) });
  const value = answer.status === 204 ? null : await answer.json();
  return { ok: answer.ok, status: answer.status, value };
}

function inside(session) {
  csrf = session.csrf_token;
  history.replaceState(null, '', location.pathname);
  const where = session.account ? 'of the account ' + session.account.name : 'with the operator';
  show('You are signed in as ' + session.email + ', ' + session.role + ' ' + where + '.');
  toggle('link', false);
  toggle('password', false);
  toggle('choose', !session.has_password);
  toggle(session.account ? 'settings' : 'console', true);
  toggle('inside', true);
}

function outside(text) {
  const token = location.hash.slice(1);
  show(text || (token ? 'This link signs you in once.' : 'Sign in, or open the link that you were given.'));
  toggle('link', Boolean(token));
  toggle('password', !token);
  toggle('inside', false);
}

async function enter(path, body) {
  const { ok, value } = await call('POST', path, body);
  if (!ok) outside(value.detail);
  else location.replace(value.account ? '/settings' : '/console');
}

function unreachable() { show('The gateway does not answer. Try again shortly.'); }

document.getElementById('link').addEventListener('submit', (event) => {
  event.preventDefault();
  enter('sign-in/link', { token: location.hash.slice(1) }).catch(unreachable);
});
document.getElementById('password').addEventListener('submit', (event) => {
  event.preventDefault();
  const { email, password } = event.target.elements;
  enter('sign-in/password', { email: email.value, password: password.value }).catch(unreachable);
});
document.getElementById('choose').addEventListener('submit', (event) => {
  event.preventDefault();
  const password = event.target.elements.password.value;
  call('PUT', 'password', { password })
    .then(({ ok, value }) => {
      toggle('choose', !ok);
      show(ok ? 'The password is set.' : value.detail);
    })
    .catch(unreachable);
});
document.getElementById('out').addEventListener('click', () => {
  call('DELETE', 'session').then(() => outside('You are signed out.'), unreachable);
});
addEventListener('hashchange', () => outside());
call('GET', 'session')
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

const FILES: Readonly<Record<string, readonly [type: string, text: string]>> = {
  '/settings/sign-in': ['text/html', PAGE],
  '/settings/sign-in.css': ['text/css', STYLE],
  '/settings/sign-in.js': ['text/javascript', SCRIPT],
};

/** The file of the page at this path; null for none. */
export function signInFile(method: string, path: string): RawReply | null {
  const file = method === 'GET' || method === 'HEAD' ? FILES[path] : undefined;
  if (!file) return null;
  const [type, raw] = file;
  return { status: 200, headers: { 'content-type': `${type}; charset=utf-8`, 'content-security-policy': POLICY }, raw };
}
