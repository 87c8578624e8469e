/**
 * An exchange at the other end of a slow connection. To the order service it is an `ExchangePort` like the local one. It
 * proves that order service and exchange need nothing from each other but plain messages, delivered once and in order,
 * which the sessions between gateways promise.
 */
import type { Clock } from '#base/clock.ts';
import type { Random } from '#base/random.ts';
import type { ExchangePort } from '#market/ports.ts';

const DELAY_MS_MAX = 80;

/** `exchange` as seen from afar. Each message takes a time that the seed of `random` decides, on the timers of `clock`. */
export function slowExchange(
  exchange: ExchangePort,
  { clock, random }: { clock: Clock; random: Random },
): ExchangePort {
  const [toward, back] = [slowWay(clock, random), slowWay(clock, random)];
  return {
    send: (command) => toward(command, (copy) => exchange.send(copy)),
    positions: (...asked) =>
      new Promise((resolve) => {
        toward(asked, async (copy) => back(await exchange.positions(...copy), resolve));
      }),
    listen: (onEvent) => exchange.listen((event) => back(event, onEvent)),
  };
}

/** Carries copies of messages in their order, so that only plain data can pass. */
function slowWay(clock: Clock, random: Random) {
  let lastMs = 0;
  return <Message>(message: Message, arrive: (copy: Message) => void): void => {
    const copy = structuredClone(message);
    lastMs = Math.max(lastMs, clock.nowMs() + Math.ceil(random.next() * DELAY_MS_MAX));
    clock.after(lastMs - clock.nowMs(), () => arrive(copy));
  };
}
