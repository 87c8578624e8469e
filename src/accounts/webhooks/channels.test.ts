/** Messages to Slack and by mail, to receivers that misbehave. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { silentLog } from '#base/log.ts';
import { freePort } from '#testing/free-port.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { type MailServer, startMailServer } from '#testing/smtp-server.ts';
import { type WebhookReceiver, webhookReceiver } from '#testing/webhook-receiver.ts';
import { type ChannelOptions, openChannel } from './channels.ts';
import { type MailSettings, openMailer } from './mailer.ts';
import type { DueMessage, Receiver } from './outbox-store.ts';
import { SEND_MS_MAX, type Sent } from './sender.ts';
import { aboutOf } from './words.ts';

const PRICE = { subject: 'price', direction: 'below', bound: 0.0000004, value: 0.25 };
const clock = new ManualClock();

function message(type: string, data: object = {}): DueMessage {
  return { seq: 1, eventId: 'evt_1', type, body: JSON.stringify({ type, data }), attempts: 0, firstAtMs: null };
}

async function send(
  to: Pick<Receiver, 'channel' | 'url'>,
  what: DueMessage,
  more: Partial<ChannelOptions>,
): Promise<Sent> {
  const receiver = { id: 'end', accountId: 'acc', secrets: ['secret'], ...to };
  const channel = openChannel(receiver, { clock, allow: [], mailer: null, ...more });
  try {
    return await channel.send(what);
  } finally {
    await channel.close();
  }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

test('a message in a list is named by its model, key or pod, and not by an id', () => {
  const about = (object: string, data: object) => aboutOf(message('x', { ...data, object, id: 'id' }).body);
  assert.equal(about('order', { model: 'tide-70b' }), 'tide-70b');
  assert.equal(about('price', { model: 'tide-70b', threshold_usd: 0.4 }), 'tide-70b at $0.40');
  assert.equal(about('balance', { below_usd: 5 }), 'balance below $5.00');
  assert.equal(about('key', { name: 'laptop' }), 'key laptop');
  assert.equal(about('pod', {}), 'pod id');
  assert.equal(about('alert', { ...PRICE, subject: 'errors', bound: 0.5 }), '50 % of orders fail');
  assert.equal(about('batch', {}), null);
});

describe('a message to Slack', () => {
  let receiver: WebhookReceiver;
  before(async () => {
    receiver = await webhookReceiver();
  });
  after(() => receiver.close());
  const toSlack = (what = message('webhook.test'), url = receiver.url, more: Partial<ChannelOptions> = {}) =>
    send({ channel: 'slack', url }, what, { allow: [receiver.host], ...more });

  test('is its text, in which no name gives Slack a command, unsigned', async () => {
    const name = '<!channel> & *tide*\u202e\n';
    assert.deepEqual(await toSlack(message('alert.fired', { ...PRICE, model: name })), { status: 204 });
    const came = receiver.came.at(-1);
    assert.deepEqual(came?.body, {
      text:
        '*Alert: &lt;!channel&gt; &amp; *tide*   below $0.0000004*\n' +
        'The level of &lt;!channel&gt; &amp; *tide*   is $0.25 per 1M input tokens at the reference mix.',
    });
    assert.equal(came?.headers['webhook-signature'], undefined);
  });

  test('is not taken by 4xx and 5xx, and 404 says that there will be no receiver again', async () => {
    for (const [status, sent] of [
      [404, { status: 404, isGone: true }],
      [403, { status: 403 }],
      [429, { status: 429 }],
      [500, { status: 500 }],
    ] as const) {
      receiver.answer = (_, response) => response.writeHead(status).end('no_service');
      assert.deepEqual(await toSlack(), sent);
    }
  });

  test('follows no redirect to a private address, and goes to none', async () => {
    receiver.answer = (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end();
    assert.deepEqual(await toSlack(), { status: 307 });
    const cameBefore = receiver.came.length;
    const rebound = await toSlack(message('webhook.test'), 'https://hooks.example.com/', {
      resolve: async () => ['10.0.0.1'],
    });
    assert.deepEqual(rebound, { error: 'hooks.example.com has an address that is not public.' });
    const own = await toSlack(message('webhook.test'), receiver.url, { allow: [] });
    assert.match('error' in own ? own.error : '', /not a host of the public internet/);
    assert.equal(receiver.came.length, cameBefore);
  });

  test('waits ten seconds for an answer that never comes', async () => {
    const cameBefore = receiver.came.length;
    receiver.answer = () => {};
    const sent = toSlack();
    await until(() => receiver.came.length > cameBefore);
    await clock.advance(SEND_MS_MAX);
    assert.deepEqual(await sent, { error: 'There was no answer within 10 s.' });
  });
});

describe('a message by mail', () => {
  let mails: MailServer;
  before(async () => {
    mails = await startMailServer();
  });
  after(() => mails.close());
  beforeEach(() => {
    mails.refusal = () => null;
  });
  const mail = async (what: DueMessage, more: Partial<MailSettings> = {}) => {
    const port = Number(new URL(mails.url).port);
    const settings = { host: '127.0.0.1', port, tls: 'none', login: null, from: 'alerts@example.com' } as const;
    const mailer = openMailer(
      { ...settings, pagesUrl: 'https://gateway.example.com', ...more },
      { clock, log: silentLog },
    );
    try {
      return await send({ channel: 'mail', url: 'ada@example.com' }, what, { mailer });
    } finally {
      mailer.close();
    }
  };

  test('is plain text with the link of its reader, and no name makes another header or recipient of it', async () => {
    const name = 'tide\r\nBcc: eve@example.com\r\n\r\n<b>';
    assert.deepEqual(await mail(message('alert.fired', { ...PRICE, model: name })), { status: 250 });
    const [came] = mails.came;
    assert.equal(came?.to, 'ada@example.com');
    assert.doesNotMatch(came?.head ?? '', /^bcc/im);
    assert.match(came?.head ?? '', /^Subject: Alert: tide {2}Bcc: eve@example\.com {4}<b> below \$0\.0000004$/m);
    assert.match(came?.head ?? '', /^Content-Type: text\/plain/m);
    assert.match(came?.head ?? '', /^Message-ID: <evt_1@gateway\.example\.com>$/m);
    const link = 'https://gateway.example.com/settings#/mail/end.secret';
    assert.ok(came?.head.includes(`List-Unsubscribe: <${link}>`));
    assert.ok(came?.text.includes(link));
  });

  test('is refused for an address that does not exist, and tried again where the server refuses the sender', async () => {
    for (const [refusal, sent] of [
      ['550 5.1.1 no such user', { status: 550, isGone: true }],
      ['550 5.7.1 relay denied', { status: 550 }],
      ['450 4.2.1 busy', { status: 450 }],
    ] as const) {
      mails.refusal = () => refusal;
      assert.deepEqual(await mail(message('webhook.test')), sent);
    }
  });

  test('cannot be sent where no server listens, and none is configured', async () => {
    const sent = await mail(message('webhook.test'), { port: await freePort() });
    assert.match('error' in sent ? sent.error : '', /^The mail server could not be used: E[A-Z]+\.$/);
    const none = await send({ channel: 'mail', url: 'ada@example.com' }, message('webhook.test'), {});
    assert.deepEqual(none, { error: 'This gateway no longer sends mail.' });
  });

  test('goes to no server without TLS that is not of this machine, and neither does the password', async () => {
    const cameBefore = mails.came.length;
    const login = { user: 'ops', pass: 'hush' };
    for (const tls of ['starttls', 'always'] as const) {
      const sent = await mail(message('webhook.test'), { tls, login });
      assert.match(
        'error' in sent ? sent.error : '',
        /^The mail server could not be used: E[A-Z]+\.$/,
        JSON.stringify(sent),
      );
    }
    assert.equal(mails.came.length, cameBefore);
    assert.deepEqual(mails.logins, []);
  });

  test('waits ten seconds for a server that says nothing', async () => {
    let asked = false;
    const release = Promise.withResolvers<void>();
    mails.refusal = () => {
      asked = true;
      return null;
    };
    mails.hold = release.promise;
    const sent = mail(message('webhook.test'));
    await until(() => asked);
    await clock.advance(SEND_MS_MAX);
    assert.deepEqual(await sent, { error: 'The mail server did not answer in time.' });
    release.resolve();
    mails.hold = null;
  });
});
