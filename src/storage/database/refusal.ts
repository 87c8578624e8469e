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
    const named = who === null ? '' : ` (${who})`;
    super(`another gateway serves it${named}; stop that one, or set DATABASE_URL to another`);
  }
}
