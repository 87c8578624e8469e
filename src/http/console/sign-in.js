const show = (text) => {
  document.getElementById('state').textContent = text;
};
const toggle = (id, on) => {
  const element = document.getElementById(id);
  if (element) element.hidden = !on;
};
let csrf = '';
// Addresses without a name have no passkeys, nor has a browser that cannot read the question.
const hasPasskeys =
  'PublicKeyCredential' in window &&
  'parseRequestOptionsFromJSON' in PublicKeyCredential &&
  !/^(?:\[.*\]|[\d.]+)$/.test(location.hostname);

async function call(method, path, body) {
  const headers = { 'x-csrf-token': csrf, ...(body ? { 'content-type': 'application/json' } : {}) };
  const answer = await fetch(`/settings/api/${path}`, { method, headers, body: body && JSON.stringify(body) });
  const value = answer.status === 204 ? null : await answer.json();
  return { ok: answer.ok, status: answer.status, value };
}

function inside(session, before = '') {
  csrf = session.csrf_token;
  history.replaceState(null, '', location.pathname);
  const where = session.account ? `of the account ${session.account.name}` : 'with the operator';
  show(`${before}You are signed in as ${session.email}, ${session.role} ${where}.`);
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

// Where the reader was when it had to sign in, also after a visit to the identity provider. Only pages behind a sign-in.
const RETURN = 'sluice-return';
const asked = new URLSearchParams(location.search).get('return') ?? '';
if (/^\/(?:settings|console)(?:[#?]|$)/.test(asked)) sessionStorage.setItem(RETURN, asked);

function arrived(ok, value) {
  if (!ok) return outside(value.detail);
  const back = sessionStorage.getItem(RETURN);
  sessionStorage.removeItem(RETURN);
  location.replace(back || (value.account ? '/settings' : '/console'));
}

const SPENT = 'This link does not work any more: each signs in once, within 24 hours, and a newer one replaces it. ';

// What to do next depends on whether this browser has been let in already, by this link or otherwise.
async function enterByLink(token) {
  const { ok, status, value } = await call('POST', 'sign-in/link', { token });
  if (ok || status !== 401) return arrived(ok, value);
  const { ok: isInside, value: session } = await call('GET', 'session');
  if (isInside) return inside(session, SPENT);
  history.replaceState(null, '', location.pathname);
  outside(
    SPENT +
      'Sign in with your passkey or password if you have one. Otherwise ask whoever invited you for a new link; ' +
      'whoever has a shell on the gateway gets one with npx sluice member invite.',
  );
}

async function usePasskey() {
  const { ok, value } = await call('POST', 'sign-in/passkey/question');
  if (!ok) return outside(value.detail);
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(value.public_key);
  const used = await navigator.credentials.get({ publicKey }).catch(() => null);
  if (!used)
    return outside('The browser used no passkey: it has none for this gateway, or was refused, or took too long.');
  const email = document.querySelector('#password [name=email]').value;
  await enter('sign-in/passkey', { credential: used.toJSON(), ...(email ? { email } : {}) });
}

async function visitProvider() {
  const { ok, value } = await call('POST', 'sign-in/provider', {});
  if (ok) location.assign(value.url);
  else outside(value.detail);
}

// The code in the address is for this browser and for now: it is taken out, and used once.
function backFromProvider(parameters) {
  history.replaceState(null, '', '/settings/sign-in');
  show('Signing you in …');
  enter('sign-in/provider/answer', { parameters }).catch(unreachable);
}

function unreachable() {
  show('The gateway does not answer. Try again shortly.');
}

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
else
  call('GET', 'session')
    .then(({ ok, status, value }) => {
      if (ok && !location.hash) inside(value);
      else outside(ok || status === 401 ? '' : value.detail);
    })
    .catch(unreachable);
