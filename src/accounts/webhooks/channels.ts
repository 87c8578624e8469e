/**
 * How the messages of an endpoint are sent: as signed JSON, in the format of Slack's incoming webhooks, or as mail. The outbox
 * stores the same message for all; Slack and mail get it in words.
 */
import type { Mailer } from './mailer.ts';
import type { DueMessage, Receiver } from './outbox-store.ts';
import { type Connections, openConnections, type SenderOptions, type Sent } from './sender.ts';
import { wordsOf } from './words.ts';

/** What messages are sent with. */
export interface ChannelOptions extends SenderOptions {
  /** Null where the gateway sends no mail. */
  readonly mailer: Mailer | null;
}

/** The way to one endpoint, for some messages in a row. */
export interface OpenChannel {
  /** Never rejects. */
  send(message: DueMessage): Promise<Sent>;
  close(): Promise<void>;
}

/** Slack answers so for an incoming webhook that was removed. */
const SLACK_GONE = 404;
const JSON_HEADERS = ['content-type', 'application/json', 'user-agent', 'Sluice'];

/** Opens the way; nothing is connected before the first message. */
export function openChannel(receiver: Receiver, options: ChannelOptions): OpenChannel {
  if (receiver.channel === 'mail') return mailTo(receiver, options.mailer);
  const connections = openConnections(receiver.url, options);
  const send = receiver.channel === 'slack' ? toSlack(connections) : signed(connections, receiver, options);
  return { send, close: () => connections.close() };
}

function mailTo({ id, url, secrets }: Receiver, mailer: Mailer | null): OpenChannel {
  const link = `${id}.${secrets[0] ?? ''}`;
  return {
    async send(message) {
      return mailer ? mailer.send({ to: url, link, message }) : { error: 'This gateway no longer sends mail.' };
    },
    close: async () => {},
  };
}

function signed(connections: Connections, { secrets }: Receiver, { clock }: ChannelOptions): OpenChannel['send'] {
  return async (message) => {
    const { signedHeaders } = await import('./signature.ts');
    return connections.post([...JSON_HEADERS, ...signedHeaders(secrets, message, clock.nowMs())], message.body);
  };
}

function toSlack(connections: Connections): OpenChannel['send'] {
  return async ({ body }) => {
    const { title, sentence } = wordsOf(body);
    const text = `*${forSlack(title)}*\n${forSlack(sentence)}`;
    const sent = await connections.post(JSON_HEADERS, JSON.stringify({ text }));
    return 'status' in sent && sent.status === SLACK_GONE ? { ...sent, isGone: true } : sent;
  };
}

/** Slack reads commands, such as `<!channel>`, between these signs. */
function forSlack(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
