/** The order book alone: each operation, and a mix of them. */
import { seededRandom } from '#base/random.ts';
import { NOT_RESTING, OrderBook, type Ranked } from '#market/book/order-book.ts';
import { tellFigure } from '../targets/figures.ts';
import { at, bytes, bytesOfAnId, memory, type Part, perSecondText, price, rate } from './orders.ts';

/** Its orders are referred to directly, not by id. */
export function benchBook({ resting, ids, report }: Part): void {
  const random = seededRandom(1);
  const before = memory();
  const book = new OrderBook<BenchOrder>();
  const orders = ids.slice(0, resting).map((id, seq) => new BenchOrder(id, price(random), seq));
  const perSecond = rate(orders.length, (index) => book.insert(at(orders, index)));
  const size = (memory() - before) / resting + bytesOfAnId();
  tellFigure('book: bytes', size);
  report('book: bytes an order, its id counted', bytes(size), '≤ 300');
  report('book: insert while growing', perSecond);

  let seq = resting;
  const any = () => at(orders, Math.floor(random.next() * orders.length));
  const move = (order: BenchOrder | null) => {
    if (!order) return;
    book.remove(order);
    order.price = price(random);
    order.seq = seq++;
    book.insert(order);
  };
  // The operation, its frequency in the mix, and the number of operations it counts as.
  const operations = [
    { name: 'reprice (remove and insert)', share: 3, counts: 2, run: () => move(any()) },
    { name: 'take best, and insert again', share: 5, counts: 2, run: () => move(book.best()) },
    { name: 'position of any order', share: 8, counts: 1, run: () => book.position(any()) },
    { name: 'k-th best price', share: 4, counts: 1, run: () => book.at(Math.ceil(random.next() * resting))?.price },
  ];
  for (const { name, run } of operations) report(`book: ${name}`, rate(resting, run));
  const wheel = operations.flatMap((operation) => Array.from({ length: operation.share }, () => operation));
  let done = 0;
  const startMs = performance.now();
  for (let round = 0; round < resting; round++) {
    const { run, counts } = at(wheel, Math.floor(random.next() * wheel.length));
    run();
    done += counts;
  }
  const mixed = (done * 1000) / (performance.now() - startMs);
  tellFigure('book: mixed operations a second', mixed);
  report('book: mixed operations, position included', perSecondText(mixed), '≥ 500,000/s');
}

class BenchOrder implements Ranked {
  readonly id: string;
  price: number;
  seq: number;
  slot = NOT_RESTING;

  constructor(id: string, price: number, seq: number) {
    this.id = id;
    this.price = price;
    this.seq = seq;
  }
}
