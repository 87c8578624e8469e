/** A mock backend in a process of its own, for what is measured in front of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { freePort } from '#testing/free-port.ts';
import { untilOpen } from './until-open.ts';

const MOCK = join(import.meta.dirname, '../../testing/mock-backend.ts');

/** How a mock backend answers. */
export interface Answering {
  readonly chunks: number;
  readonly write: 'together' | 'each';
  /** Between two writes of an answer; default: nothing. */
  readonly delayMs?: number;
  /** Default: mock. */
  readonly model?: string;
}

/** Starts one and adds it to `children`, who are ended by the caller. Resolves with its address, which ends in /v1. */
export async function startBackend(
  children: ChildProcess[],
  { chunks, write, delayMs = 0, model = 'mock' }: Answering,
): Promise<string> {
  const port = await freePort();
  const answers = ['--chunks', String(chunks), '--write', write, '--delay-ms', String(delayMs)];
  const flags = ['--port', String(port), '--model', model, ...answers];
  children.push(spawn(process.execPath, [MOCK, ...flags], { stdio: 'ignore' }));
  const url = `http://127.0.0.1:${port}/v1`;
  await untilOpen(`${url}/models`);
  return url;
}
