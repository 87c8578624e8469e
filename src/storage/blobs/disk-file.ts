/** An open file on a disk that may hang: it is closed only when its last call has come back, whoever waits for that. */
import type { FileHandle } from 'node:fs/promises';
import type { DiskAccess } from './disk-calls.ts';

/** An open file whose calls come one after the other. It must be ended. */
export class DiskFile {
  readonly #handle: FileHandle;
  readonly #disk: DiskAccess;
  #busy = false;
  #failed = false;
  /** What is to be done when the call that hangs has come back. */
  #rest: (() => void) | null = null;

  constructor(handle: FileHandle, disk: DiskAccess) {
    this.#handle = handle;
    this.#disk = disk;
  }

  /** `DiskAccess.inTime`, with the file. */
  async call<Answer>(work: (handle: FileHandle, proceed: () => void) => Promise<Answer>): Promise<Answer> {
    try {
      return await this.#disk.inTime((proceed) => this.#work(() => work(this.#handle, proceed)));
    } catch (error) {
      this.#failed = true;
      throw error;
    }
  }

  async #work<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#busy = true;
    try {
      return await work();
    } finally {
      this.#busy = false;
      this.#rest?.();
    }
  }

  /**
   * Closes the file, then does `rest`. Never rejects. After a call that failed it is not waited for: whoever made that
   * call may have waited as long as anybody should.
   */
  async end(rest: () => Promise<void> = async () => {}): Promise<void> {
    const closeAndRest = async () => {
      await this.#handle.close();
      await rest();
    };
    // What even then cannot be deleted is swept at the next start.
    const end = () => this.#disk.eventually(closeAndRest).catch(() => {});
    if (this.#busy) this.#rest = () => void end();
    else if (this.#failed) void end();
    else await end();
  }
}
