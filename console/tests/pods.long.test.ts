import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { cannedReply, type MockBackend, startMockBackend } from '#testing/mock-backend.ts';
import { assertLooksFine, axeFindings, picture, type WatchedPage } from '#testing/open-pages.ts';
import { useOwnPages } from '#testing/use-pages.ts';

const ANSWERED = { status: 200, error: null };
const HARBOR = {
  ...{ id: 'harbor-8b', type: 'fixed', context_length: 8192, max_output_length: 1024 },
  usd_per_million: { cached: 0.02, uncached: 0.1, output: 0.4 },
};

describe('the pods in the console, in Chromium', () => {
  let pods: Held[] = [];
  let operator: WatchedPage;
  let key: string;
  after(() => {
    // Before the gateway ends, which would wait for their orders.
    for (const { answer } of pods) answer();
  });
  const pages = useOwnPages(
    () => configured(2),
    async () => {
      pods = await Promise.all(['gpu-1', 'gpu-2', 'gpu-3'].map(startHeld));
      return {};
    },
  );
  before(async () => {
    const account = await pages.site.command('account', 'create', 'Buyer', '--credit', '100');
    key = String((await pages.site.command('key', 'create', String(account.json.account_id))).json.api_key);
    operator = await signedIn('operator');
  });
  after(() => Promise.all(pods.map(({ mock }) => mock.close())));

  /** The file with so many pods. A probe would be one more order on the pods, whose requests are counted. */
  const configured = (count: number) => {
    const listed = pods.slice(0, count).map(({ id, mock }) => ({ id, url: mock.url, slots: 4 }));
    const models = [{ ...HARBOR, pods: listed }];
    return JSON.stringify({ probes: { enabled: false }, default_model: 'harbor-8b', models });
  };
  const signedIn = async (role: string) => {
    const opened = await pages.operator(role);
    await opened.page.getByRole('link', { name: 'Pods' }).click();
    await row(opened, 'gpu-1').getByText('healthy').waitFor();
    return opened;
  };
  const row = ({ page }: WatchedPage, pod: string) => page.getByRole('row').filter({ hasText: pod });
  const send = async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ model: 'harbor-8b', messages: [{ role: 'user', content: 'Hello' }] });
    const answer = await fetch(`${pages.url}/v1/chat/completions`, { method: 'POST', headers, body });
    const { error = null } = (await answer.json()) as { error?: unknown };
    return { status: answer.status, error };
  };

  it('drains a pod under a running order: that finishes, and the pod takes no more until it is resumed', async () => {
    const { page } = operator;
    const first = send();
    const busy = await Promise.race(pods.slice(0, 2).map((pod) => pod.mock.requested(1).then(() => pod)));
    const [other] = pods.slice(0, 2).filter((pod) => pod !== busy);
    assert.ok(other);
    await row(operator, busy.id).getByText('1 busy of 4').waitFor();
    await page.getByRole('button', { name: `Drain ${busy.id}` }).click();
    await page.getByText('The order that runs there now will finish.').waitFor();
    await page.locator('button:focus', { hasText: 'Keep it' }).waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: 'Drain it' }).click();
    await row(operator, busy.id).getByText('draining', { exact: true }).waitFor();
    await page.getByText('1 of 2 get orders').waitFor();
    await picture(page, 'console-pods-draining');
    const later = [send(), send(), send()];
    await other.mock.requested(3);
    busy.answer();
    assert.deepEqual(await first, ANSWERED);
    await row(operator, busy.id).getByText('drained', { exact: true }).waitFor();
    assert.equal(busy.mock.requests.length, 1, 'it took no more');
    assert.deepEqual(await axeFindings(page), []);
    await page.getByRole('button', { name: `Resume ${busy.id}` }).click();
    await page.getByRole('button', { name: 'Resume it' }).click();
    await page.getByText('2 of 2 get orders').waitFor();
    // The other pod has three.
    assert.deepEqual(await send(), ANSWERED);
    assert.equal(busy.mock.requests.length, 2, 'it takes orders again');
    other.answer();
    assert.deepEqual(
      await Promise.all(later),
      later.map(() => ANSWERED),
    );
    assert.deepEqual(pages.unexpected(operator), []);
  });

  it('sets slots, and goes back to those of the file', async () => {
    const { page } = operator;
    await page.getByRole('button', { name: 'Set slots of gpu-2' }).click();
    await page.getByLabel('New slots of gpu-2').fill('9');
    assert.deepEqual(await axeFindings(page), []);
    await page.keyboard.press('Enter');
    await row(operator, 'gpu-2').getByText('busy of 9').waitFor();
    await page.getByRole('button', { name: 'Set slots of gpu-2' }).click();
    await page.getByRole('button', { name: 'As in the file' }).click();
    await row(operator, 'gpu-2').getByText('busy of 4').waitFor();
    assert.deepEqual(pages.unexpected(operator), []);
  });

  it('takes a pod that was added to the file, and lets one go that was removed', async () => {
    const { page } = operator;
    const file = join(pages.site.folder, 'sluice.yaml');
    const reload = async () => {
      await page.getByRole('button', { name: 'Read the file again' }).click();
      await page.getByRole('button', { name: 'Read it' }).click();
    };
    writeFileSync(file, configured(3));
    await reload();
    await page.getByText('In force now:').waitFor();
    await row(operator, 'gpu-3').getByText('healthy').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'console-pods-added');
    writeFileSync(file, 'models: [');
    await reload();
    await page.getByRole('alert').getByText('sluice.yaml').waitFor();
    assert.match(operator.problems.splice(0).join(), /\b400\b/);
    await page.getByRole('button', { name: 'Not now' }).click();
    writeFileSync(file, configured(2));
    await reload();
    await row(operator, 'gpu-3').waitFor({ state: 'detached' });
    assert.deepEqual(pages.unexpected(operator), []);
  });

  it('adds a pod after a test call, says why one that does not answer is not added, and removes it', async () => {
    const { page, problems } = operator;
    const added = await startMockBackend();
    await page.getByRole('button', { name: 'Add pod' }).click();
    const form = page.getByRole('region', { name: 'Add pod' });
    await form.getByLabel('Name', { exact: true }).fill('gpu-4');
    await form.getByLabel('Address').fill('http://127.0.0.1:9/v1');
    assert.deepEqual(await axeFindings(page), []);
    await picture(page, 'console-add-pod');
    await form.getByRole('button', { name: 'Test and add' }).click();
    await form
      .getByRole('alert')
      .getByText(/nothing listens|refuses/i)
      .waitFor();
    assert.match(problems.splice(0).join(), /\b400\b/);
    await form.getByLabel('Address').fill(added.url);
    await form.getByRole('button', { name: 'Test and add' }).click();
    await page.getByRole('status').getByText('gpu-4 is added and gets orders.').waitFor();
    await row(operator, 'gpu-4').getByText('added here').waitFor();
    await row(operator, 'gpu-4').getByText('healthy').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Remove gpu-1' }).count(), 0, 'those of the file stay');
    await page.getByRole('button', { name: 'Remove gpu-4' }).click();
    await page.getByRole('button', { name: 'Remove it' }).click();
    await row(operator, 'gpu-4').waitFor({ state: 'detached' });
    await added.close();
    assert.deepEqual(pages.unexpected(operator), []);
  });

  it('names a drained pod on the overview with its model and since when, and resumes it there', async () => {
    const { page } = operator;
    await page.getByRole('button', { name: 'Drain gpu-2' }).click();
    await page.getByRole('button', { name: 'Drain it' }).click();
    await page.getByText('1 drained by an operator').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    const card = page.getByRole('region', { name: 'gpu-2 of harbor-8b' });
    await card.getByText('gpu-2 of harbor-8b is drained').waitFor();
    await card.getByText(/^Since .* ago\./).waitFor();
    await assertLooksFine(page, 'console-alarm', ['light', 'dark', 'laptop', 'phone', 'zoomed']);
    await card.getByRole('button', { name: 'Resume gpu-2' }).click();
    await card.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Pods' }).click();
    await page.getByText('2 of 2 get orders').waitFor();
    assert.deepEqual(pages.unexpected(operator), []);
  });

  it('says what the gateway refused', async () => {
    const { page, problems } = operator;
    await page.route('**/console/api/pods/*/drain', (route) =>
      route.continue({ headers: { ...route.request().headers(), 'x-csrf-token': 'forged' } }),
    );
    await page.getByRole('button', { name: 'Drain gpu-2' }).click();
    await page.getByRole('button', { name: 'Drain it' }).click();
    assert.match((await page.getByRole('alert').innerText()).trim(), /^[A-Z].{10,}\.$/);
    await page.unroute('**/console/api/pods/*/drain');
    assert.match(problems.splice(0).join(), /\b403\b/);
    await page.getByRole('button', { name: 'Keep it' }).click();
    await page.getByText('2 of 2 get orders').waitFor();
  });

  it('lets finance and viewers look, and change nothing', async () => {
    for (const role of ['finance', 'viewer']) {
      const other = await signedIn(role);
      assert.equal(await other.page.getByRole('button', { name: /drain|slots|add pod/i }).count(), 0);
      assert.deepEqual(pages.unexpected(other), []);
      await other.close();
    }
  });

  // Last: a reload does not take models away.
  it('folds many models, and unfolds those in trouble and those that are looked for', async () => {
    const { page } = operator;
    const address = (at: number) => (at === 7 ? 'http://127.0.0.1:9/v1' : (pods[0]?.mock.url ?? ''));
    const others = Array.from({ length: 12 }, (_, at) => ({
      ...{ ...HARBOR, id: `brook-${at}b` },
      pods: [{ id: `brook-${at}`, url: address(at), slots: 1 }],
    }));
    const file = JSON.parse(configured(2));
    const text = JSON.stringify({ ...file, models: [...file.models, ...others] });
    writeFileSync(join(pages.site.folder, 'sluice.yaml'), text);
    await page.getByRole('button', { name: 'Read the file again' }).click();
    await page.getByRole('button', { name: 'Read it' }).click();
    await page.getByText('In force now:').waitFor();
    await page.reload();
    // At first no pod has answered, and a model that was in trouble stays open until the page is loaded again.
    await page.waitForResponse(async (answer) => {
      if (!answer.url().endsWith('/console/api/pods')) return false;
      const { data } = (await answer.json()) as { data: { healthy: boolean }[] };
      return data.filter(({ healthy }) => !healthy).length === 1;
    });
    await page.reload();
    await row(operator, 'brook-7').getByText('unhealthy').waitFor();
    assert.equal(await page.locator('details[open]').count(), 1, 'only the one in trouble');
    assert.match(await page.locator('summary').first().innerText(), /brook-7b/);
    assert.deepEqual(await axeFindings(page), []);
    const search = page.getByLabel('Search models and pods');
    await search.fill('gpu-2');
    await row(operator, 'gpu-2').waitFor();
    assert.equal(await page.locator('summary').count(), 1);
    await search.fill('none');
    await page.getByText('No model or pod has such a name.').waitFor();
    assert.deepEqual(pages.unexpected(operator), []);
  });
});

/** A pod that answers only when the test says so. */
interface Held {
  readonly id: string;
  readonly mock: MockBackend;
  readonly answer: () => void;
}

async function startHeld(id: string): Promise<Held> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const mock = await startMockBackend({ reply: () => ({ ...cannedReply(), headAfter: promise }) });
  return { id, mock, answer: () => resolve() };
}
