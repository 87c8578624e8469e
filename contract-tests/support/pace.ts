/** How time passes in contract tests. */

/** How far time moves at once. */
export const STEP_MS = 1000;
/** How far time moves while a commit may begin: well under the second after which the journal counts as stalled. */
export const CHUNK_MS = 250;
/** Real time for sockets after each step of the clock. */
export const SETTLE_MS = 8;
/** How far time moves while the gateway is behind. */
export const RETRY_MS = 50;
