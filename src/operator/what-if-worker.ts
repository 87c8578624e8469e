/** The thread of one question to `what-if-thread.ts`. */
import { parentPort, workerData } from 'node:worker_threads';
import { type WhatIf, whatIf } from './played-market.ts';

const question: WhatIf = workerData;
parentPort?.postMessage(whatIf(question));
