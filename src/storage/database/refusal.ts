/** Why a gateway must not serve a database that it can reach. */

/** The gateway does not start. `reason` is the end of a sentence, without a period: what is wrong, and what to do. */
export class DatabaseRefused extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`The database cannot be used: ${reason}.`);
    this.reason = reason;
  }
}

/** Another gateway serves the database. */
export class DatabaseInUse extends DatabaseRefused {
  /** `who` names that gateway, such as `process 4711 on web-1`; null when it is not known. */
  constructor(who: string | null = null) {
    super(`another gateway serves it${named(who)}; stop that one, or set DATABASE_URL to another`);
  }
}

/** The database, or the log of its last commits, is not at its path any more. A restart does not help. */
export class DatabaseMissing extends DatabaseRefused {}

/** The server takes only messages of less than `bytesMin`: its limit is `bytes`. */
export class MessagesTooShort extends DatabaseRefused {
  constructor(bytes: number, bytesMin: number) {
    super(
      `its max_allowed_packet is ${bytes} bytes, and ${bytesMin} (16 MiB) or more are needed; ` +
        'set max_allowed_packet = 16M under [mysqld] in the configuration of the server and restart it',
    );
  }
}

/** One of two gateways would serve alone, and the other not. */
export class DatabaseInOtherUse extends DatabaseRefused {
  /** `how`: how the gateway serves that is there already. */
  constructor(who: string | null, how: 'alone' | 'with others') {
    super(`another gateway serves it ${how}${named(who)}; set SLUICE_PEER_ADDRESS for both, or stop that one`);
  }
}

function named(who: string | null): string {
  return who === null ? '' : ` (${who})`;
}
