/**
 * Texts of the kinds that are sent to models, with the counts of two public tokenizers. The counts were taken once,
 * with gpt-tokenizer 4.0.0, and are facts about the texts: a changed text must be counted again.
 */

/** A text and its counts. */
export interface TokenSample {
  readonly name: string;
  readonly o200k: number;
  readonly cl100k: number;
  readonly text: string;
}

/** One of each kind. */
export const tokenSamples: readonly TokenSample[] = [
  {
    name: 'English prose',
    o200k: 164,
    cl100k: 164,
    text: `The harbour was quiet when the tide turned. Every boat lifted a little on its rope, and the gulls, which had been arguing over a crate of herring since before dawn, fell silent one after another. A woman in a yellow coat walked along the quay with a notebook under her arm. She had come to count the boats, she told the harbourmaster, because somebody in the capital had decided that the number of boats was a number worth knowing.

"And what will they do with it?" he asked.

"Put it in a table, I suppose," she said, "and compare it with the number from last year." He laughed, because last year nobody had counted anything; the man who was sent had stayed in the tavern for three days and then written down the figure that the landlord gave him.`,
  },
  {
    name: 'a technical page',
    o200k: 162,
    cl100k: 162,
    text: `# Rate limits

Budgets start full and refill continuously at the published rate. When a budget is empty, the answer is **429** with a \`Retry-After\` header; its value is the number of seconds after which another token is expected.

| Limit | Value | Applies to |
|---|---|---|
| Inference requests per minute | 1,200 | API key |
| Public requests per minute | 600 | address |
| Open streams | 5 | address |

1. Read the limits from \`GET /v1/rate-limits\`; do not hard-code them.
2. Back off exponentially with jitter when there is no \`Retry-After\`.
3. See [the errors page](https://example.com/docs/errors#429) for what each code means.`,
  },
  {
    name: 'TypeScript',
    o200k: 234,
    cl100k: 231,
    text: `export class PriceLine {
  readonly #levels = new Map<number, Level>();
  #best: Level | null = null;

  /** Adds an order at its price; returns its place from 1. */
  add(order: RestingOrder): number {
    const level = this.#levels.get(order.bid) ?? this.#open(order.bid);
    level.orders.push(order);
    if (this.#best === null || order.bid > this.#best.price) this.#best = level;
    return level.ahead + level.orders.length;
  }

  cancel(orderId: string, { reason = 'canceled' }: { reason?: string } = {}): boolean {
    for (const level of this.#levels.values()) {
      const index = level.orders.findIndex((order) => order.id === orderId);
      if (index < 0) continue;
      level.orders.splice(index, 1);
      if (level.orders.length === 0) this.#levels.delete(level.price);
      this.emit('removed', { orderId, reason, at: Date.now() });
      return true;
    }
    return false;
  }
}`,
  },
  {
    name: 'Python',
    o200k: 253,
    cl100k: 254,
    text: `import asyncio
from dataclasses import dataclass, field


@dataclass
class TokenBucket:
    """Refills continuously; \`take\` never waits."""

    rate_per_second: float
    capacity: int
    tokens: float = field(init=False)
    updated_at: float = 0.0

    def __post_init__(self) -> None:
        self.tokens = float(self.capacity)

    def take(self, now: float, count: int = 1) -> float | None:
        elapsed = max(0.0, now - self.updated_at)
        self.tokens = min(self.capacity, self.tokens + elapsed * self.rate_per_second)
        self.updated_at = now
        if self.tokens >= count:
            self.tokens -= count
            return None
        return (count - self.tokens) / self.rate_per_second


async def main() -> None:
    bucket = TokenBucket(rate_per_second=20.0, capacity=1200)
    for attempt in range(10):
        if (wait := bucket.take(asyncio.get_running_loop().time())) is not None:
            print(f"attempt {attempt}: waiting {wait:.3f}s")
            await asyncio.sleep(wait)


asyncio.run(main())`,
  },
  {
    name: 'a shell session',
    o200k: 225,
    cl100k: 226,
    text: `$ git log --oneline -4
4e1d2aa http: answer 503 while the database is gone
9b07c3f market: freeze the level while no pod is healthy
c44a190 docs: write down the words of the project
7f3e8d2 ledger: round half to even, once per order
$ npm test -- --grep "repriced order"
ok 1 - a repriced order joins behind those already resting
ok 2 - a repriced order keeps its expiry
# tests 2  # pass 2  # fail 0  # duration_ms 184.213
$ curl -sS localhost:8080/healthz | jq '.pods, .level'
4
0.4213
$ ls -la data/
total 1056
drwxr-xr-x  3 sluice sluice    4096 Nov 21 09:14 .
-rw-r--r--  1 sluice sluice 1048576 Nov 21 09:31 sluice.sqlite`,
  },
  {
    name: 'indented JSON',
    o200k: 378,
    cl100k: 377,
    text: `{
  "object": "list",
  "data": [
    {
      "id": "019b76da-a800-7000-8000-000000000001",
      "status": "done",
      "bid": 0.5,
      "kind": "chat",
      "model": "tide-70b",
      "created_at": "2026-01-01T00:00:00.000Z",
      "admitted_at": "2026-01-01T00:00:01.250Z",
      "finished_at": "2026-01-01T00:00:04.031Z",
      "level_at_execution": 0.42,
      "queue_position": null,
      "error": null,
      "usage": {
        "prompt_tokens": 1000,
        "cached_tokens": 700,
        "output_tokens": 50,
        "charged_usd": 0.000841463
      }
    },
    {
      "id": "019b76da-a800-7000-8000-000000000002",
      "status": "expired",
      "bid": 0.1,
      "kind": "messages",
      "model": "tide-70b",
      "created_at": "2026-01-01T00:00:02.000Z",
      "admitted_at": null,
      "finished_at": "2026-01-01T00:10:02.000Z",
      "level_at_execution": null,
      "queue_position": null,
      "error": "order_expired",
      "usage": null
    }
  ],
  "has_more": false,
  "next_cursor": null,
  "total_orders": 2
}`,
  },
  {
    name: 'compact JSON',
    o200k: 224,
    cl100k: 221,
    text: `{"range":"1h","model":"tide-70b","bucket_seconds":60,"current":0.4213,"candles":[{"t":1767225600,"open":0.42,"high":0.44,"low":0.41,"close":0.43,"mean":0.4251},{"t":1767225660,"open":0.43,"high":0.43,"low":0.39,"close":0.4,"mean":0.4102},{"t":1767225720,"open":0.4,"high":0.47,"low":0.4,"close":0.46,"mean":0.4388}],"stations":[{"name":"Reykjavík","country":"Iceland","latitude":64.1466,"longitude":-21.9426,"tags":["harbour","capital"],"open":true},{"name":"Bergen","country":"Norway","latitude":60.3913,"longitude":5.3221,"tags":["harbour","rain"],"open":false}]}`,
  },
  {
    name: 'Chinese',
    o200k: 218,
    cl100k: 308,
    text: `港口在退潮时很安静。每一条船都在缆绳上轻轻浮起,从黎明前就为一箱鲱鱼争吵不休的海鸥,也一只接一只地沉默下来。一位穿黄色外套的女士夹着笔记本沿着码头走来。她告诉港务长,她是来数船的,因为首都有人认为船的数量是一个值得知道的数字。

“他们要拿它做什么?”他问。

“大概是放进表格里,”她说,“再和去年的数字比较一下。”他笑了,因为去年根本没有人数过;派来的人在酒馆里坐了三天,然后写下了店主告诉他的数字。系统会把每个请求当作一个订单:先定价,再排队,然后执行、计费并记录。如果余额不足以支付最坏情况下的费用,请求会被拒绝,不会产生任何费用。`,
  },
  {
    name: 'Japanese',
    o200k: 235,
    cl100k: 313,
    text: `潮が変わるころ、港は静かだった。どの船も綱につながれたまま少しだけ浮き上がり、夜明け前からニシンの箱をめぐって言い争っていたカモメたちも、一羽また一羽と黙っていった。黄色いコートの女性がノートを抱えて岸壁を歩いてきた。彼女は港長に、船を数えに来たのだと言った。首都の誰かが、船の数は知る価値のある数字だと決めたからだ。

「それで、その数字をどうするんです?」と彼は尋ねた。

「表に入れて、去年の数字と比べるのでしょう」と彼女は答えた。リクエストはすべて注文として扱われ、価格が決まり、順番を待ち、実行され、課金されます。残高が足りない場合、リクエストは拒否され、料金は発生しません。`,
  },
  {
    name: 'Korean',
    o200k: 207,
    cl100k: 341,
    text: `물때가 바뀔 무렵 항구는 조용했다. 배들은 모두 밧줄에 묶인 채 조금씩 떠올랐고, 새벽 전부터 청어 한 상자를 두고 다투던 갈매기들도 하나둘 조용해졌다. 노란 외투를 입은 여자가 공책을 끼고 부두를 따라 걸어왔다. 그녀는 항만장에게 배를 세러 왔다고 말했다. 수도의 누군가가 배의 수는 알아 둘 만한 숫자라고 결정했기 때문이다.

"그 숫자로 무엇을 하려는 겁니까?" 그가 물었다.

"아마 표에 넣고 작년 숫자와 비교하겠지요." 그녀가 대답했다. 모든 요청은 주문이 되어 가격이 정해지고 대기열에 들어간 뒤 실행되고 요금이 청구됩니다. 잔액이 부족하면 요청은 거부되며 요금은 발생하지 않습니다.`,
  },
  {
    name: 'Chinese about code',
    o200k: 101,
    cl100k: 108,
    text: `要限制并发,可以用一个简单的信号量:

\`\`\`ts
const slots = new Semaphore(8);
await slots.run(async () => fetchPage(url));
\`\`\`

注意 \`run\` 在任务抛出异常时也会释放名额。如果队列长度超过 2000,请返回 429,并在 \`Retry-After\` 里写明秒数。上线前请在 Node.js 24 上运行 \`npm test\`,确认所有测试都通过。`,
  },
  {
    name: 'German and French',
    o200k: 148,
    cl100k: 164,
    text: `Der Hafen war still, als die Flut kam. Jedes Boot hob sich ein wenig an seinem Seil, und die Möwen, die sich seit der Morgendämmerung um eine Kiste Heringe gestritten hatten, verstummten eine nach der anderen. Eine Frau im gelben Mantel ging mit einem Notizbuch unter dem Arm den Kai entlang.

Le port était calme lorsque la marée a tourné. Chaque bateau se soulevait un peu au bout de son amarre, et les mouettes, qui se disputaient une caisse de harengs depuis l'aube, se turent l'une après l'autre. Une femme en manteau jaune longeait le quai, un carnet sous le bras.`,
  },
];
