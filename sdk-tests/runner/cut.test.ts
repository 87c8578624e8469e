import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { listening } from '#testing/listening.ts';
import { CommandFailed } from './command.ts';
import { follow, openCuttingProxy } from './cut.ts';

const BODY = 'x'.repeat(5000);

/** Runs `act` with the address of a server that answers with five thousand letters. */
async function served(act: (url: string) => Promise<void>): Promise<void> {
  const { url, close } = await listening(createServer((_, response) => response.end(BODY)));
  try {
    await act(url);
  } finally {
    await close();
  }
}

describe('a proxy that cuts', () => {
  it('cuts the first stream and passes on everything else', () =>
    served(async (url) => {
      const proxy = await openCuttingProxy(url);
      const read = async (path: string) => (await fetch(proxy.url + path)).text();
      try {
        assert.equal(await read('/v1/orders/1'), BODY);
        await assert.rejects(read('/v1/orders/1/stream?starting_after=2'), TypeError);
        assert.equal(await read('/v1/orders/1/stream'), BODY);
        assert.equal(proxy.cuts, 1);
      } finally {
        await proxy.close();
      }
    }));
});

describe('a program that follows', () => {
  /** One that reads a stream until it gets all of it, and then prints these lines. */
  const program = (lines: readonly string[], path = '/stream') => {
    const read = `curl --silent --fail "$SLUICE_URL${path}" > /dev/null`;
    const line = ['sh', '-c', `${read} || ${read}; printf '%s\\n' "$@"`, 'sh', ...lines] as const;
    return { line, folder: '/' };
  };

  it('has printed each event once and in order, although the first stream was cut', () =>
    served((url) => follow(program(['hello', '0 {"a": 1}', '1 [DONE]']), url)));

  it('fails when an event is missing or there twice, or the last is', () =>
    served(async (url) => {
      const wrong = [['0 {}', '2 [DONE]'], ['0 {}', '0 {}', '1 [DONE]'], ['0 {}', '1 {}'], []];
      for (const lines of wrong) await assert.rejects(follow(program(lines), url), CommandFailed);
    }));

  it('fails when its stream was not cut', () =>
    served((url) => assert.rejects(follow(program(['0 {}', '1 [DONE]'], '/other'), url), /was not cut/)));
});
