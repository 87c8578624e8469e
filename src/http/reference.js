// Starts the reference in the browser: Swagger UI, in the colors that the reader prefers, and with the key of a signed-in member.

/** Swagger UI has dark colors of its own behind this class. */
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

const reference = SwaggerUIBundle({
  url: '/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  validatorUrl: null,
});

/** For members of an account, who left a note in this browser: the settings write it in console/src/remembered.ts. */
const button = document.getElementById('own-key');
button.hidden = JSON.parse(localStorage.getItem('sluice-member') ?? 'null')?.address !== '/settings';
button.addEventListener('click', async () => {
  button.disabled = true;
  button.textContent = await useOwnKey().catch(() => 'The gateway cannot be reached.');
});

/** Fills in the key of the playground, which the gateway lends for an hour. Resolves with the outcome as a sentence. */
async function useOwnKey() {
  const session = await fetch('/settings/api/session');
  if (!session.ok) return 'Your session has ended. Sign in and load this page again.';
  const { csrf_token: token } = await session.json();
  const answer = await fetch('/settings/api/playground/key', { method: 'POST', headers: { 'x-csrf-token': token } });
  const { api_key: key, detail } = await answer.json();
  if (!answer.ok) return detail;
  reference.preauthorizeApiKey('bearerAuth', key);
  return 'Your playground key is filled in for an hour';
}
