/** What the WebSocket transport refuses, over real sockets. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { type ClientOptions, WebSocket } from 'ws';
import type { Log } from '#base/log.ts';
import { seededRandom } from '#base/random.ts';
import { faster, until } from '#testing/fast-clock.ts';
import { ManualClock } from '#testing/manual-clock.ts';
import { TcpProxy } from '#testing/tcp-proxy.ts';
import type { PeerMessage } from '../messages.ts';
import type { PeerSession } from '../ports.ts';
import type { PeerRefusal } from './connection.ts';
import { dialerTls } from './peer-tls.ts';
import { greetAsDialer } from './web-socket-greeting.ts';
import { lineOptions, PeerLine } from './web-socket-line.ts';
import { WebSocketPeers, type WebSocketPeersOptions } from './web-socket-peers.ts';

const SECRET = 'a secret of thirty-two characters';
const bind = { host: '127.0.0.1', port: 0 };
const settingsWith = (secret: string, port = 0) => ({ host: '127.0.0.1', port, bind: { ...bind, port }, secret });

/** A gateway whose log and sessions can be looked at. */
class Gateway {
  readonly id: number;
  readonly peers: WebSocketPeers;
  readonly sentences: string[] = [];
  readonly messages: PeerMessage[] = [];
  readonly closings: boolean[] = [];
  session: PeerSession | null = null;
  address = '';
  heardAtMs = 0;

  constructor(id: number, options: Partial<WebSocketPeersOptions> & Pick<WebSocketPeersOptions, 'clock'>) {
    this.id = id;
    const write = (_fields: object, sentence: string) => void this.sentences.push(sentence);
    const log: Log = { debug: () => {}, info: () => {}, warn: write, error: write };
    this.peers = new WebSocketPeers({
      ...{ settings: settingsWith(SECRET), protocol: 1, random: seededRandom(id), log },
      onPeerTime: (nowMs) => {
        this.heardAtMs = nowMs;
      },
      ...options,
    });
  }

  async listen(): Promise<this> {
    this.address = await this.peers.listen();
    return this;
  }

  start(): this {
    this.peers.start(this.id, {
      opened: (session) => {
        this.session = session;
      },
      message: (_session, message) => void this.messages.push(message),
      closed: (_session, refused) => {
        this.session = null;
        this.closings.push(refused);
      },
    });
    return this;
  }
}

/** A world with time, closed at the end. */
function world(what: string, run: (w: World) => Promise<void>): void {
  test(what, async () => {
    const w = new World();
    try {
      await run(w);
    } finally {
      for (const socket of w.sockets) socket.terminate();
      for (const socket of w.raw) socket.destroy();
      await Promise.all(w.gateways.map(({ peers }) => peers.close()));
    }
  });
}

class World {
  readonly clock = new ManualClock();
  readonly step = faster(this.clock);
  readonly gateways: Gateway[] = [];
  readonly sockets: WebSocket[] = [];
  readonly raw: Socket[] = [];

  async gateway(id: number, options: Partial<WebSocketPeersOptions> = {}): Promise<Gateway> {
    const gateway = new Gateway(id, { clock: this.clock, ...options });
    this.gateways.push(gateway);
    return (await gateway.listen()).start();
  }

  meet(): void {
    for (const { peers } of this.gateways) peers.follow(this.gateways);
  }

  until(what: string, holds: () => boolean): Promise<void> {
    return until(this, what, holds);
  }

  pass(ms: number): Promise<void> {
    const untilMs = this.clock.nowMs() + ms;
    return this.until('time', () => this.clock.nowMs() >= untilMs);
  }

  /** A connection that knows the secret and has said nothing; `ended` has the code once it is closed. */
  newcomer(address: string): { socket: WebSocket; ended: { code: number | null } } {
    const options = { ...lineOptions, ...dialerTls(SECRET) };
    const socket = new WebSocket(`wss://${address}/peer`, options as ClientOptions);
    const ended: { code: number | null } = { code: null };
    socket.on('error', () => {});
    socket.on('close', (code) => {
      ended.code = code;
    });
    this.sockets.push(socket);
    return { socket, ended };
  }

  /** A connection that does not know the secret. */
  async stranger(of: Gateway): Promise<{ socket: Socket; ended: { now: boolean } }> {
    const socket = connect({ host: '127.0.0.1', port: of.peers.boundPort });
    const ended = { now: false };
    socket.on('error', () => {});
    socket.on('close', () => {
      ended.now = true;
    });
    await once(socket, 'connect');
    this.raw.push(socket);
    return { socket, ended };
  }

  /** A gateway of a sort: it has greeted, and then says what the test passes. */
  async impostor(of: Gateway, id = 1): Promise<PeerLine> {
    const { socket } = this.newcomer(of.address);
    const line = new PeerLine(socket, this.clock);
    await once(socket, 'open');
    const self = { id, address: '127.0.0.1:1' };
    const identity = { self, protocol: 1, clock: this.clock };
    const greeted = await greetAsDialer(line, identity, of, 'session');
    assert.equal(greeted.type, 'fits');
    await this.until('the session', () => of.session !== null);
    return line;
  }
}

world('a frame carries the time of its sender', async (w) => {
  const [one, two] = [await w.gateway(1), await w.gateway(2)];
  w.meet();
  await w.until('a session', () => one.session !== null && two.session !== null);
  one.session?.send({ type: 'leaving' });
  await w.until('the message', () => two.messages.length === 1);
  assert.ok(two.heardAtMs > 0 && two.heardAtMs <= w.clock.nowMs());
});

const mismatches: readonly { cause: PeerRefusal['cause']; two: (w: World) => object; says: RegExp; both: boolean }[] = [
  {
    cause: 'secret',
    two: () => ({ settings: settingsWith('another secret of so many characters') }),
    says: /^Gateway 2 at 127\.0\.0\.1:\d+ has another SLUICE_PEER_SECRET\. Set the same on all gateways\.$/,
    both: false,
  },
  {
    cause: 'protocol',
    two: () => ({ protocol: 2 }),
    says: /^Gateway \d at .* speaks protocol (2 and this gateway \(1\) 1|1 and this gateway \(2\) 2):/,
    both: true,
  },
  {
    cause: 'clock',
    two: (w) => ({
      clock: {
        nowMs: () => w.clock.nowMs() + 2_500,
        monotonicMs: () => w.clock.monotonicMs(),
        after: (ms: number, run: () => void) => w.clock.after(ms, run),
      },
    }),
    says: /^The clock of gateway \d at .* says 2026-.* and that of this gateway .* 2026-.*: more than 2 s apart\./,
    both: true,
  },
];

for (const { cause, two: other, says, both } of mismatches) {
  world(`another ${cause} ends the session, is said once at ${both ? 'both ends' : 'the dialling end'}`, async (w) => {
    const [one, two] = [await w.gateway(1), await w.gateway(2, other(w))];
    w.meet();
    const refusals = ({ sentences }: Gateway) => sentences.filter((sentence) => says.test(sentence)).length;
    await w.until('a refusal', () => refusals(one) > 0 && (!both || refusals(two) > 0));
    await w.pass(5_000);
    for (const gateway of both ? [one, two] : [one]) assert.equal(refusals(gateway), 1);
    assert.deepEqual([one.session, two.session, one.closings, two.closings], [null, null, [], []]);
    if (!both) assert.deepEqual([refusals(two), two.sentences.length], [0, 1]);
  });
}

world('another gateway at the same address means that the first has ended', async (w) => {
  const proxy = new TcpProxy();
  try {
    const settings = { ...settingsWith(SECRET), port: await proxy.listen() };
    const [one, two] = [await w.gateway(1), await w.gateway(2, { settings })];
    proxy.target = { port: two.peers.boundPort };
    w.meet();
    await w.until('a session', () => one.session !== null);
    const three = await w.gateway(3, { settings });
    proxy.target = { port: three.peers.boundPort };
    proxy.cut();
    // The clock stands still: the first answer says it.
    while (one.closings.length === 0) await new Promise(setImmediate);
    assert.deepEqual(one.closings, [true]);
  } finally {
    await proxy.close();
  }
});

world('a peer that dials before the gateway has started dials again', async (w) => {
  const one = await w.gateway(1);
  const two = new Gateway(2, { clock: w.clock });
  w.gateways.push(two);
  await two.listen();
  one.peers.follow([two]);
  await w.pass(300);
  assert.equal(one.session, null);
  two.start();
  await w.until('a session', () => one.session !== null && two.session !== null);
});

const garbage = [
  'no JSON',
  '{}',
  'null',
  '{"at":1,"messages":{}}',
  '{"at":"1","messages":[]}',
  '{"at":1,"messages":[null]}',
  '{"at":1,"messages":[{"type":"toString"}]}',
  '{"at":1,"messages":[{"type":"resync","model":"tide","epoch":1,"rests":[{}],"holds":[],"last":true}]}',
  '{"at":1,"messages":[{"type":"command","model":"tide","epoch":1,"command":{"type":"rest"}}]}',
  '{"at":1,"messages":[{"type":"event","epoch":1,"event":{"type":"admit","model":"tide"}}]}',
];
for (const text of garbage) {
  world(`a session ends, with one line, when it carries ${text.slice(0, 70)}`, async (w) => {
    const two = await w.gateway(2);
    const line = await w.impostor(two);
    line.send(text);
    line.send('{"at":1,"messages":[{"type":"leaving"}]}');
    await w.until('the end', () => two.closings.length === 1);
    const said = (sentence: string) => two.sentences.filter((each) => each === sentence).length;
    assert.deepEqual([said('Another gateway sent what is no message.'), two.messages], [1, []]);
  });
}

world('a frame above 16 MiB ends the session', async (w) => {
  const two = await w.gateway(2);
  const line = await w.impostor(two);
  line.send(`{"at":1,"messages":["${'x'.repeat(16 * 1024 * 1024)}"]}`);
  await w.until('the end', () => two.closings.length === 1);
});

world('a message that is too large to be sent ends the session, and says so', async (w) => {
  const [one, two] = [await w.gateway(1), await w.gateway(2)];
  w.meet();
  await w.until('a session', () => one.session !== null && two.session !== null);
  one.session?.send({ type: 'call', id: 1, name: 'x'.repeat(17 * 1024 * 1024), params: null });
  await w.until('the end', () => one.closings.length === 1 && two.closings.length === 1);
  assert.ok(one.sentences.includes('A message to another gateway is too large to be sent.'));
});

world('a peer that does not read is closed', async (w) => {
  const two = await w.gateway(2);
  const line = await w.impostor(two);
  w.sockets[0]?.pause();
  const alive = () => line.ping();
  const orders = Array.from({ length: 100_000 }, () => 'an order that will never be read');
  for (let count = 0; count < 30; count++) two.session?.send({ type: 'positions?', id: 1, model: 'tide', orders });
  await w.until('the end', () => {
    alive();
    return two.closings.length === 1;
  });
});

world('strangers get two seconds, a little room, and one line of the log', async (w) => {
  const two = await w.gateway(2);
  const strangers: Awaited<ReturnType<World['stranger']>>[] = [];
  while (strangers.length < 16) strangers.push(await w.stranger(two));
  const last = await w.stranger(two);
  await w.until('room', () => strangers.some(({ ended }) => ended.now));
  assert.equal(strangers.filter(({ ended }) => ended.now).length, 1, 'only the oldest makes room');
  await w.until('their end', () => [...strangers, last].every(({ ended }) => ended.now));
  assert.equal(two.sentences.length, 1);
  await w.impostor(two);
});

world('a stranger without the secret, a certificate or any TLS is closed at once, and learns nothing', async (w) => {
  const two = await w.gateway(2);
  const { port } = { port: two.peers.boundPort };
  for (const text of ['GET /peer HTTP/1.1\r\nhost: x\r\n\r\n', 'x'.repeat(100_000)]) {
    const { socket, ended } = await w.stranger(two);
    let answer = '';
    socket.on('data', (bytes) => {
      answer += bytes;
    });
    socket.write(text);
    await w.until('the end', () => ended.now);
    assert.doesNotMatch(answer, /HTTP|sluice|gateway/i);
  }
  const aborted = await w.stranger(two);
  aborted.socket.write(Buffer.from('1603010200010001fc0303', 'hex'));
  aborted.socket.end();
  await w.until('the end of half a handshake', () => aborted.ended.now);
  const says = async (options: object) => {
    const [error] = await once(connectTls({ host: '127.0.0.1', port, ...options }), 'error');
    assert.match(error.message, /alert/);
  };
  await says({ rejectUnauthorized: false });
  const cut = 'Connections to SLUICE_PEER_ADDRESS ended before their TLS handshake did.';
  assert.deepEqual(two.sentences, [cut]);
  // Not hidden by the others of this minute.
  await says(dialerTls(`${SECRET}!`));
  assert.deepEqual(two.sentences, [cut, 'Connections to SLUICE_PEER_ADDRESS did not know its secret.']);
  assert.equal(two.session, null);
});

for (const [what, text] of [
  ['garbage', 'x'],
  ['a greeting of another sort', '{"type":"greeting","gateway":1}'],
  ['a hello before a greeting', '{"type":"hello","gateway":1,"protocol":1,"nowMs":0}'],
] as const) {
  world(`a newcomer that says ${what} is closed`, async (w) => {
    const two = await w.gateway(2);
    const { socket, ended } = w.newcomer(two.address);
    await once(socket, 'open');
    socket.send(text);
    await w.until('the end', () => ended.code !== null);
    assert.deepEqual([ended.code, two.session, two.closings], [4400, null, []]);
  });
}

for (const [what, path, status] of [
  ['a request', '/', '426'],
  ['a WebSocket elsewhere', '/v1', '404'],
] as const) {
  world(`${what} gets ${status}`, async (w) => {
    const two = await w.gateway(2);
    const socket = connectTls({ host: '127.0.0.1', port: two.peers.boundPort, ...dialerTls(SECRET) });
    const upgrade = 'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n';
    const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n';
    socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${status === '404' ? upgrade + key : ''}\r\n`);
    const [answer] = await once(socket, 'data');
    socket.destroy();
    assert.match(String(answer), new RegExp(`^HTTP/1\\.1 ${status} `));
  });
}

world('an address that is in use stops the start with a sentence', async (w) => {
  const { peers } = await w.gateway(2);
  const third = new Gateway(3, { clock: w.clock, settings: settingsWith(SECRET, peers.boundPort) });
  await assert.rejects(third.peers.listen(), /^Error: SLUICE_PEER_ADDRESS: port \d+ of 127\.0\.0\.1 is in use; choose/);
  const elsewhere = { ...settingsWith(SECRET), bind: { host: '10.254.254.254', port: 0 } };
  const fourth = new Gateway(4, { clock: w.clock, settings: elsewhere });
  await assert.rejects(fourth.peers.listen(), /10\.254\.254\.254 is no address of this machine; correct it, or set/);
});
