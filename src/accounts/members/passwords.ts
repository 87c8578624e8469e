/**
 * Passwords, hashed with Argon2id. A hash takes some ten milliseconds of a core and 19 MiB on purpose, so few run at once
 * and few may wait. The library is loaded by the first password: most gateways never see one.
 */
import { Fault } from '#base/fault.ts';
import { Semaphore } from '#base/semaphore.ts';

/** The parameters that OWASP recommends first; a hash contains those that it was made with. */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
const AT_ONCE = 2;
const WAITING_MAX = 50;
/** The hash of nothing that can be typed: it makes an unknown address take as long as a wrong password. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$mWp3hvY/zlovHP2L/bGi7g$YGp6PZMbA6MplJ2dj594YSD2VSrszhVLdYPARbVsaCk';

/** Hashes and verifies passwords. */
export class Passwords {
  readonly #turns = new Semaphore(AT_ONCE);
  #waiting = 0;

  /** The hash to store. Throws Fault unavailable when too many wait. */
  hash(password: string): Promise<string> {
    return this.#inTurn(async () => (await import('@node-rs/argon2')).hash(written(password), COST));
  }

  /** Whether the hash is of this password; false for no hash, after the same time. Throws Fault unavailable. */
  async verify(hash: string | null, password: string): Promise<boolean> {
    const isRight = await this.#inTurn(async () =>
      (await import('@node-rs/argon2')).verify(hash ?? NOBODY, written(password)),
    );
    return isRight && hash !== null;
  }

  async #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.#waiting >= WAITING_MAX) throw new Fault('unavailable', { retryAfterS: 1 });
    this.#waiting++;
    try {
      return await this.#turns.run(work);
    } finally {
      this.#waiting--;
    }
  }
}

/** The same letters typed on different keyboards are the same password. */
function written(password: string): string {
  return password.normalize('NFKC');
}
