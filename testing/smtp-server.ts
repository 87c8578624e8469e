/** A mail server on a free port of this machine, which keeps what came. It knows no TLS and takes any login. */
import { once } from 'node:events';
import { text as readText } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';

/** A mail as it came. */
export interface ReceivedMail {
  readonly to: string;
  /** All header lines, one after the other. */
  readonly head: string;
  readonly text: string;
}

/** The server. */
export interface MailServer {
  /** `smtp://127.0.0.1:PORT`. */
  readonly url: string;
  readonly came: readonly ReceivedMail[];
  /** The users whose passwords were sent. */
  readonly logins: readonly string[];
  /** Called for each recipient; a sentence that begins with a code of SMTP refuses it. Null takes it, the default. */
  refusal: (to: string) => string | null;
  /** Taken mails are answered after this; null at once. */
  hold: Promise<void> | null;
  close(): Promise<void>;
}

/** Starts one. */
export async function startMailServer(): Promise<MailServer> {
  const came: ReceivedMail[] = [];
  const logins: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    logger: false,
    onAuth({ username = '' }, _session, taken) {
      logins.push(username);
      taken(null, { user: username });
    },
    onRcptTo({ address }, _session, taken) {
      const refusal = mails.refusal(address);
      if (refusal === null) return taken();
      taken(Object.assign(new Error(refusal.slice(4)), { responseCode: Number(refusal.slice(0, 3)) }));
    },
    onData(stream, { envelope }, taken) {
      readText(stream).then(async (raw) => {
        const [head = '', body = ''] = raw.split(/\r\n\r\n(.*)/s);
        const to = envelope.rcptTo.map(({ address }) => address).join();
        came.push({ to, head: head.replace(/\r\n[ \t]+/g, ' '), text: plain(head, body) });
        await mails.hold;
        taken();
      }, taken);
    },
  });
  // What a client breaks off is its own business.
  server.on('error', () => {});
  const listener = server.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const address = listener.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const mails: MailServer = {
    url: `smtp://127.0.0.1:${port}`,
    came,
    logins,
    refusal: () => null,
    hold: null,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  return mails;
}

/** The text behind the encoding that keeps lines short. */
function plain(head: string, body: string): string {
  if (/^content-transfer-encoding: base64/im.test(head)) return Buffer.from(body, 'base64').toString();
  if (!/^content-transfer-encoding: quoted-printable/im.test(head)) return body;
  const bytes = body
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  return Buffer.from(bytes, 'latin1').toString();
}
