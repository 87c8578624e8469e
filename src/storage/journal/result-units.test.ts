/** The units of results: what they change, when they change nothing, and that they may be applied twice. */
import {
  changed,
  done,
  failed,
  kept,
  keptBody,
  order,
  resultRemoved,
  resultStored,
  running,
  stale,
} from '#testing/order-units.ts';
import { type CasesOfKind, describeUnits, type ResultUnitKind } from '#testing/unit-suite.ts';

const cases: Readonly<Record<ResultUnitKind, CasesOfKind>> = {
  'result-stored': {
    applied: {
      'it was promised': async (bench) => ({
        unit: resultStored(await done(bench, { resultState: 'promised' }, kept)),
        result: changed,
      }),
    },
    refused: {
      'it is stored, with another size': async (bench) => {
        const made = await done(bench, { resultState: 'promised' }, kept);
        await bench.write(resultStored(made, 9));
        return { unit: resultStored(made, 10), result: changed };
      },
      'its order runs': async (bench) => ({
        unit: resultStored(await running(bench, { resultState: 'promised' })),
        result: stale,
      }),
      'its order failed': async (bench) => ({
        unit: resultStored(await failed(bench, { resultState: 'promised' })),
        result: stale,
      }),
      'it was never promised': async (bench) => ({ unit: resultStored(await done(bench)), result: stale }),
      'it was removed': async (bench) => {
        const made = await done(bench, { resultState: 'promised' }, kept);
        await bench.write(resultRemoved(made));
        return { unit: resultStored(made), result: stale };
      },
      'its order is unknown': async (bench) => ({ unit: resultStored(await order(bench)), result: stale }),
    },
  },

  'result-removed': {
    applied: {
      'its body is a row': async (bench) => ({
        unit: resultRemoved(await done(bench, { resultState: 'promised' }, keptBody)),
        result: changed,
      }),
      'its body is a file': async (bench) => {
        const made = await done(bench, { resultState: 'promised' }, kept);
        await bench.write(resultStored(made));
        return { unit: resultRemoved(made), result: changed };
      },
      'its body never came': async (bench) => ({
        unit: resultRemoved(await done(bench, { resultState: 'promised' }, kept)),
        result: changed,
      }),
    },
    refused: {
      'its order runs': async (bench) => ({
        unit: resultRemoved(await running(bench, { resultState: 'promised' })),
        result: stale,
      }),
      'nothing was ever kept': async (bench) => ({ unit: resultRemoved(await done(bench)), result: stale }),
      'its order is unknown': async (bench) => ({ unit: resultRemoved(await order(bench)), result: stale }),
    },
  },
};

describeUnits('units of results', cases);
