/** A receiver of webhooks on a free port of this machine: it verifies with the official library and keeps what came. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { listening } from './listening.ts';

/** A message as it came. */
export interface ReceivedMessage {
  readonly id: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly body: {
    readonly type: string;
    readonly timestamp: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** The receiver. */
export interface WebhookReceiver {
  readonly url: string;
  /** `127.0.0.1:port`, to be allowed. */
  readonly host: string;
  /** Every message, also those that it did not take. */
  readonly came: readonly ReceivedMessage[];
  /** Answers from now on; the default takes everything with 204. */
  answer: (message: ReceivedMessage, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** Starts one. */
export async function webhookReceiver(): Promise<WebhookReceiver> {
  const came: ReceivedMessage[] = [];
  const server = createServer((request, response) => {
    const { url: path = '', headers } = request;
    readText(request)
      .then((text) => {
        const message = { id: String(headers['webhook-id']), path, headers, text, body: JSON.parse(text) };
        came.push(message);
        receiver.answer(message, response);
      })
      .catch(() => response.destroy());
  });
  const { port, close } = await listening(server);
  const host = `127.0.0.1:${port}`;
  const receiver: WebhookReceiver = {
    url: `http://${host}/hooks`,
    host,
    came,
    answer: (_message, response) => response.writeHead(204).end(),
    close,
  };
  return receiver;
}

/** Whether the signature is of this secret. The library compares with the time of the machine, which a test's is not. */
export function isSignedWith(secret: string, { id, headers, text }: ReceivedMessage): boolean {
  const at = new Date(Number(headers['webhook-timestamp']) * 1000);
  return String(headers['webhook-signature'])
    .split(' ')
    .includes(new Webhook(secret).sign(id, at, text));
}
