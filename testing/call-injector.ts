/**
 * Makes one call fail: of everything that it wraps or patches, the n-th call throws or rejects before it has any effect.
 * A test that runs the same course with n = 1, 2, 3 … until no call is left has tried a failure at every point of it.
 */

/** Which call fails, from 1. `rejects`: how calls fail that return a promise; all others throw. */
export interface Failure {
  readonly call: number;
  readonly rejects: boolean;
}

/** What calls of a target return: 'promises', 'values', or 'async' for a function that can only reject. */
type Returns = 'promises' | 'values' | 'async';

/** Counts calls while it is armed, and fails one of them. */
export class CallInjector {
  readonly #failure: Failure;
  readonly #restore: (() => void)[] = [];
  #calls = 0;
  #armed = false;
  /** The call that failed; null while none has. */
  failed: string | null = null;

  constructor(failure: Failure) {
    this.#failure = failure;
  }

  /** Counts from now on. */
  arm(): void {
    this.#armed = true;
  }

  disarm(): void {
    this.#armed = false;
  }

  /** Runs this without counting its calls. */
  spare<Answer>(run: () => Answer): Answer {
    const armed = this.#armed;
    this.#armed = false;
    try {
      return run();
    } finally {
      this.#armed = armed;
    }
  }

  /** `target`, with every method counted. */
  wrap<Target extends object>(name: string, target: Target, returns: Returns = 'values'): Target {
    return new Proxy(target, {
      get: (_target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) =>
          this.#call(`${name}.${String(key)}`, returns, () => Reflect.apply(value, target, given));
      },
    });
  }

  /** Counts every method, and with `getters` every getter, of `target` itself, until `restore`. */
  patch(name: string, target: object, { getters = false } = {}): void {
    for (const [key, own] of Object.entries(Object.getOwnPropertyDescriptors(target))) {
      if (key === 'constructor' || !own.configurable) continue;
      const { get, value } = own;
      const counted = (run: (...given: unknown[]) => unknown, injector: CallInjector) =>
        function (this: unknown, ...given: unknown[]) {
          const returns = run.constructor.name === 'AsyncFunction' ? 'async' : 'values';
          return injector.#call(`${name}.${key}`, returns, () => Reflect.apply(run, this, given));
        };
      if (get && getters) Object.defineProperty(target, key, { ...own, get: counted(get, this) });
      else if (typeof value === 'function') Object.defineProperty(target, key, { ...own, value: counted(value, this) });
      this.#restore.push(() => Object.defineProperty(target, key, own));
    }
  }

  /** Undoes every patch. */
  restore(): void {
    for (const undo of this.#restore.splice(0)) undo();
  }

  #call(name: string, returns: Returns, run: () => unknown): unknown {
    if (!this.#armed || ++this.#calls !== this.#failure.call) return run();
    this.failed = name;
    const error = new Error(`planted in ${name}`);
    if (returns === 'async' || (returns === 'promises' && this.#failure.rejects)) return Promise.reject(error);
    throw error;
  }
}
