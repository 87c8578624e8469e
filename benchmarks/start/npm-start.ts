/**
 * A gateway started as a user starts it, by `npm start`: how long until it answers, what that took of the processor,
 * and its memory. npm stays its parent, so its process is found below npm's.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processorTimeUs } from '../http/processor-time.ts';

/** A gateway that has answered. */
export interface Started {
  readonly url: string;
  /** From the start of npm to the first answer. */
  readonly firstAnswerMs: number;
  /** What the gateway's process took until then; npm is not in it. */
  readonly processorMs: number;
  /** Resident memory now, and the most it ever was, in MiB. */
  resident(): { readonly now: number; readonly highest: number };
  /** Ends it as an operator does, so that what it compiled is kept. */
  stop(): Promise<void>;
}

const ROOT = join(import.meta.dirname, '../..');
const ASK_AGAIN_MS = 4;

/** Runs `npm start`; `environment` has its PORT. Rejects when it ends before it answers. */
export async function npmStart(environment: NodeJS.ProcessEnv): Promise<Started> {
  const beginMs = performance.now();
  const npm = spawn('npm', ['start'], { cwd: ROOT, env: environment, stdio: 'ignore' });
  const url = `http://127.0.0.1:${environment.PORT}`;
  while (!(await isAnswering(url))) {
    if (npm.exitCode !== null) throw new Error(`npm start ended with ${npm.exitCode}; run it by hand to see why.`);
    await pause(ASK_AGAIN_MS);
  }
  const firstAnswerMs = performance.now() - beginMs;
  const pid = lastBelow(npm.pid ?? 0);
  return {
    url,
    firstAnswerMs,
    processorMs: Number(processorTimeUs(pid) ?? Number.NaN) / 1000,
    resident: () => residentMib(pid),
    stop: () => stopped(npm, pid),
  };
}

function isAnswering(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(`${url}/healthz`, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('error', () => resolve(false));
  });
}

/** The process that has no child: npm starts a shell, or what the shell became. */
function lastBelow(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return child === undefined ? pid : lastBelow(Number(child));
}

function residentMib(pid: number): { now: number; highest: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: mib('VmRSS'), highest: mib('VmHWM') };
}

async function stopped(npm: ChildProcess, pid: number): Promise<void> {
  const ended = once(npm, 'exit');
  process.kill(pid, 'SIGTERM');
  await ended;
}
