/**
 * A remote exchange: the order service's end and the exchange's end of a link over a faulty connection. To the order
 * service it is an `ExchangePort` like the local one, only slower. It proves that order service and exchange need
 * nothing from each other but plain messages, delivered once and in order.
 */
import type { Clock } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { Command, ExchangeEvent, ExchangePort } from '#market/ports.ts';
import { Link } from './exchange-link.ts';
import { type Faults, faultyConnection } from './faulty-channel.ts';

type Question = { readonly type: 'positions?'; readonly id: number; readonly model: string; readonly orders: string[] };
type Answer = { readonly type: 'positions'; readonly id: number; readonly places: (number | null)[] };

const LIMITS = { repeatMs: 50, windowMax: 256, backlogMax: 1_000_000 };
const FAULTS: Faults = { lost: 0.1, repeated: 0.1, delayMsMax: 20 };

/** `exchange` as seen remotely; everything goes over `clock`'s timers and is replayed by the seed of `random`. */
export function linkedExchange(
  exchange: ExchangePort,
  { clock, random, faults = FAULTS }: { clock: Clock; random: Random; faults?: Faults },
): ExchangePort & { close(): void } {
  const connection = faultyConnection<Command | Question, ExchangeEvent | Answer>(clock, random, faults);
  const far = new Link({ ...LIMITS, clock, channel: connection.two });
  const orderService = new Link({ ...LIMITS, clock, channel: connection.one });
  const asked = new Map<number, (places: (number | null)[]) => void>();
  let questions = 0;
  let listener: ((event: ExchangeEvent) => void) | null = null;

  orderService.listen((message) => {
    if (message.type !== 'positions') {
      listener?.(message);
      return;
    }
    asked.get(message.id)?.(message.places);
    asked.delete(message.id);
  });
  far.listen((message) => {
    if (message.type !== 'positions?') exchange.send(message);
    else void answer(message);
  });
  async function answer({ id, model, orders }: Question): Promise<void> {
    far.send({ type: 'positions', id, places: await exchange.positions(model, orders) });
  }

  return {
    send: (command) => orderService.send(command),
    positions: (model, orders) =>
      new Promise((resolve) => {
        const id = ++questions;
        asked.set(id, resolve);
        orderService.send({ type: 'positions?', id, model, orders: [...orders] });
      }),
    listen(onEvent) {
      listener = onEvent;
      exchange.listen((event) => far.send(event));
    },
    close() {
      orderService.close();
      far.close();
    },
  };
}
