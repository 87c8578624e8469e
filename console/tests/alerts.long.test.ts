import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { assertLooksFine, axeFindings, openWatched, printedLink, type WatchedPage } from '#testing/open-pages.ts';
import { type MailServer, startMailServer } from '#testing/smtp-server.ts';
import { useOwnPages } from '#testing/use-pages.ts';
import { type WebhookReceiver, webhookReceiver } from '#testing/webhook-receiver.ts';

const CONFIGURATION = readFileSync(new URL('../../sluice.yaml', import.meta.url), 'utf8');
const ADDRESS = 'reader@example.com';

describe('alerts in Chromium', () => {
  let mails: MailServer;
  let slack: WebhookReceiver;
  const pages = useOwnPages(
    () => `${CONFIGURATION}
webhooks: {allow: ["${slack.host}"]}
mail: {server: "${mails.url}", from: alerts@example.com, pages_url: "http://localhost:1"}
`,
    async () => {
      [mails, slack] = [await startMailServer(), await webhookReceiver()];
      return {};
    },
  );
  let owner: WatchedPage;
  before(async () => {
    owner = await pages.settings(await printedLink(pages.gateway));
  });
  after(() => Promise.all([mails?.close(), slack?.close()]));

  /** Waits for the mail with this number to the reader. */
  const mail = async (count: number) => {
    await come(() => mails.came.length >= count, `mail ${count}`);
    return mails.came[count - 1];
  };
  /** A minute is far longer than anything takes. */
  const come = async (holds: () => boolean, what: string) => {
    for (let tries = 0; !holds(); tries++) {
      assert.ok(tries < 1200, `${what} did not come: ${pages.gateway.output()}`);
      await owner.page.waitForTimeout(50);
    }
  };

  it('a model leads to its alert, which is mailed once the reader of the address agrees, and stopped by a link', async () => {
    const { page } = owner;
    await page.goto(`${pages.url}/#/model/tide-70b`);
    await page.getByRole('link', { name: 'Alert me' }).click();
    await page.getByRole('heading', { name: 'Alerts', exact: true }).waitFor();
    await page.getByText('No alerts yet.').waitFor();
    await page.getByLabel('E-mail address').fill(ADDRESS);
    await page.getByRole('button', { name: 'Add the target' }).click();
    const target = page.getByRole('region', { name: ADDRESS });
    await target.getByText('Nothing is sent until its reader follows the link in the mail.').waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Model', exact: true }).inputValue(), 'tide-70b');
    const level = page.getByLabel('Level, USD per 1M at the reference mix');
    assert.notEqual(await level.inputValue(), '');
    await level.fill('1000');
    // No key has a budget.
    assert.deepEqual(await page.getByLabel('Watch').getByRole('option').allInnerTexts(), [
      'Price of a model',
      'Balance',
      'Orders that fail',
    ]);
    await page.getByRole('button', { name: 'Add the alert' }).click();
    await page.getByText('tide-70b at or below $1,000').waitFor();
    // Otherwise it might send its message before this test expects it.
    await page.getByRole('button', { name: 'Pause: tide-70b at or below $1,000' }).click();
    await page.getByText('paused', { exact: true }).waitFor();
    const [, link = ''] = /(\/settings#\/mail\/\S+)/.exec((await mail(1))?.text ?? '') ?? [];
    const reader = await openWatched(pages.browser, `${pages.url}${link}`, {});
    await reader.page.getByRole('button', { name: 'Send me alerts' }).click();
    await reader.page.getByText('Alerts are sent to your address from now on.').waitFor();
    assert.deepEqual(await axeFindings(reader.page), []);
    await page.getByRole('button', { name: 'Resume: tide-70b at or below $1,000' }).click();
    assert.match((await mail(2))?.head ?? '', /^Subject: Alert: tide-70b below \$1000\.00$/m);
    await target.getByRole('button', { name: 'Send a test' }).click();
    assert.match((await mail(3))?.head ?? '', /^Subject: A test$/m);
    await target.getByText('webhook.test').waitFor();
    await target.getByText('tide-70b below $1000.00').waitFor();
    await page.getByText('firing since').waitFor();
    await assertLooksFine(page, 'settings-alerts', ['light', 'dark', 'laptop', 'phone', 'zoomed']);
    await reader.page.getByRole('button', { name: 'Stop all mails' }).click();
    await reader.page.getByText('Nothing more is sent to your address.').waitFor();
    await reader.close();
    await target.getByText('Nothing is sent until its reader follows the link in the mail.').waitFor();
  });

  it('Slack gets a test, and its alerts go with it', async () => {
    const { page } = owner;
    await page.getByLabel('Kind').selectOption('slack');
    await page.getByLabel('Address of the incoming webhook').fill('https://10.0.0.1/');
    await page.getByRole('button', { name: 'Add the target' }).click();
    await page.getByText('10.0.0.1 is not a host of the public internet.').waitFor();
    await page.getByLabel('Address of the incoming webhook').fill(slack.url);
    await page.getByRole('button', { name: 'Add the target' }).click();
    const target = page.getByRole('region', { name: `${slack.host} …ooks` });
    await target.getByRole('button', { name: 'Send a test' }).click();
    await come(() => slack.came.length > 0, 'the test');
    assert.deepEqual(slack.came[0]?.body, { text: '*A test*\nAlerts come here.' });
    await page.getByLabel('Watch').selectOption('balance');
    await page.getByLabel('Balance below, USD').fill('2.5');
    await page.getByLabel('Send to').selectOption(`${slack.host} …ooks`);
    await page.getByRole('button', { name: 'Add the alert' }).click();
    const added = page.getByRole('row').filter({ hasText: 'Balance below $2.50' });
    await added.getByText('quiet', { exact: true }).waitFor();
    // As before its first check, which may come at any moment.
    await page.route('**/settings/api/alert-rules', async (route) => {
      const answer = await route.fetch();
      const list = (await answer.json()) as { data: object[] };
      await route.fulfill({ json: { ...list, data: list.data.map((rule) => ({ ...rule, since: null })) } });
    });
    await added.getByText('not checked yet: the first check comes within 15 s').waitFor();
    await page.unroute('**/settings/api/alert-rules');
    await added.getByText('quiet', { exact: true }).waitFor();
    await target.getByRole('button', { name: /^Remove / }).click();
    await target.getByRole('button', { name: 'Remove it' }).click();
    await target.waitFor({ state: 'detached' });
    await page.getByText('Balance below $2.50').waitFor({ state: 'detached' });
    assert.deepEqual(
      pages.unexpected(owner).filter((problem) => !/^Failed to load resource.*\b400\b/.test(problem)),
      [],
    );
  });

  it('the operator adds an address for pods, in the console', async () => {
    const { page, close } = await pages.operator('operator');
    await page.getByRole('link', { name: 'Alerts', exact: true }).click();
    await page.getByText('Nobody gets a message yet.').waitFor();
    await page.getByLabel('E-mail address').fill('ops@example.com');
    await page.getByRole('button', { name: 'Add the target' }).click();
    await page.getByRole('region', { name: 'ops@example.com' }).getByText('mail.confirm').waitFor();
    assert.deepEqual(await axeFindings(page), []);
    await close();
  });
});
