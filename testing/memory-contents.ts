/** File contents in memory, with a disk that fails when a test sets it to. */
import { Fault } from '#base/fault.ts';
import type { FileContents, FileDraft } from '#batches/file.ts';

const CHUNK_BYTES = 1000;

/** Contents by file id. Like a disk, they survive a killed gateway. */
export class MemoryContents implements FileContents {
  readonly bytes = new Map<string, Buffer>();
  /** Nothing can be written. */
  full = false;
  /** Nothing can be read. */
  unreadable = false;
  /** The next write reaches the disk, but its writer gets no answer. */
  hangAfterNextAppend = false;

  draft(_fileId: string): Promise<FileDraft> {
    throw new Error('nothing is uploaded here');
  }

  async *read(fileId: string, { end = Infinity } = {}): AsyncGenerator<Uint8Array> {
    if (this.unreadable) throw new Fault('unavailable', { cause: new Error('no such device') });
    const bytes = this.bytes.get(fileId)?.subarray(0, end);
    if (!bytes) throw new Fault('unavailable', { cause: Object.assign(new Error('no such file'), { code: 'ENOENT' }) });
    for (let start = 0; start < bytes.length; start += CHUNK_BYTES) yield bytes.subarray(start, start + CHUNK_BYTES);
  }

  async append(fileId: string, offset: number, bytes: Uint8Array): Promise<void> {
    const before = this.bytes.get(fileId) ?? Buffer.alloc(0);
    if (before.length < offset) throw new Error(`${fileId} is shorter than ${offset} bytes`);
    const room = this.full ? Math.floor(bytes.length / 2) : bytes.length;
    this.bytes.set(fileId, Buffer.concat([before.subarray(0, offset), bytes.subarray(0, room)]));
    if (this.full) throw new Fault('unavailable', { cause: new Error('no space left on device') });
    if (!this.hangAfterNextAppend) return;
    this.hangAfterNextAppend = false;
    await new Promise(() => {});
  }

  async delete(fileId: string): Promise<void> {
    this.bytes.delete(fileId);
  }

  /** The lines of a file, parsed. */
  lines(fileId: string): Record<string, unknown>[] {
    const text = this.bytes.get(fileId)?.toString() ?? '';
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line));
  }
}
