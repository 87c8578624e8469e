/**
 * Sends mail through the operator's SMTP server. Loaded where mail is configured. A mail is plain text and has one link, with which its
 * reader confirms the address or stops the mails. The server's answers are not shown: they may name its network.
 */
import { createTransport } from 'nodemailer';
import { type Clock, waitAtMost } from '#base/clock.ts';
import type { Log } from '#base/log.ts';
import type { DueMessage } from './outbox-store.ts';
import { SEND_MS_MAX, type Sent } from './sender.ts';
import { wordsOf } from './words.ts';

/** Where mail goes out. */
export interface MailSettings {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte, or by STARTTLS; a server of this machine needs none. */
  readonly tls: 'always' | 'starttls' | 'none';
  /** Null for a server that asks for none. */
  readonly login: { readonly user: string; readonly pass: string } | null;
  /** The address of the sender. */
  readonly from: string;
  /** Where the pages of the gateway are for readers, without a slash at its end. */
  readonly pagesUrl: string;
}

const CONNECTIONS_MAX = 4;
/** The server offers no TLS, and is not of this machine. */
const NO_TLS = 'ETLS';
/** The server does not take mail for this address. */
const NO_MAILBOX = [550, 551, 553];
/** It refuses the sender, and not the address. */
const REFUSED_BY_POLICY = /\b5\.7\.\d/;

/** The way to the server. */
export type Mailer = ReturnType<typeof openMailer>;

/** A mail. `link` is what its address knows it by. */
interface Mail {
  readonly to: string;
  readonly link: string;
  readonly message: DueMessage;
}

/** Opens the way to the server; connects with the first mail. */
export function openMailer(settings: MailSettings, { clock, log }: { readonly clock: Clock; readonly log: Log }) {
  const { host, port, tls, login, from, pagesUrl } = settings;
  const transport = createTransport({
    host,
    port,
    secure: tls === 'always',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(login ? { auth: login } : {}),
    pool: true,
    maxConnections: CONNECTIONS_MAX,
    connectionTimeout: SEND_MS_MAX,
    greetingTimeout: SEND_MS_MAX,
    socketTimeout: SEND_MS_MAX,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const closed = Promise.withResolvers<Sent>();
  return {
    /** Never rejects. */
    async send({ to, link, message }: Mail): Promise<Sent> {
      const page = `${pagesUrl}/settings#/mail/${link}`;
      const { title, sentence } = wordsOf(message.body);
      const sending = transport.sendMail({
        from: { name: 'Sluice', address: from },
        to: { name: '', address: to },
        subject: title,
        text: `${sentence}\n\nAllow or stop mails to this address: ${page}\n`,
        // The same for each attempt: a server may drop a repetition.
        messageId: `<${message.eventId}@${new URL(pagesUrl).hostname}>`,
        headers: { 'List-Unsubscribe': `<${page}>`, 'Auto-Submitted': 'auto-generated' },
      });
      const sent = sending.then(
        (): Sent => ({ status: 250 }),
        (error) => failureOf(error, log),
      );
      const outcome = Promise.race([sent, closed.promise]);
      return (await waitAtMost(clock, SEND_MS_MAX, outcome)) ?? { error: 'The mail server did not answer in time.' };
    },
    /** Ends what is under way. */
    close() {
      transport.close();
      closed.resolve({ error: 'The gateway stopped.' });
    },
  };
}

/** What the endpoint shows. The operator's log has what the server said, unless there is no such address. */
function failureOf(error: unknown, log: Log): Sent {
  const { responseCode: status, response, command, code } = error as Readonly<Record<string, unknown>>;
  if (command === 'RCPT TO' && NO_MAILBOX.includes(Number(status)) && !REFUSED_BY_POLICY.test(String(response)))
    return { status: Number(status), isGone: true };
  log.warn({ code, response }, 'The mail server did not take a mail; it is tried again later.');
  if (typeof status === 'number' && code !== NO_TLS) return { status };
  return { error: `The mail server could not be used: ${String(code ?? 'unknown')}.` };
}
