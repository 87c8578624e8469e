/** A new batch: a file that is dropped or chosen, what is wrong with its lines, about what it will cost, and its start. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { costOf } from '../calculator/estimate.ts';
import { answered, api } from '../data/api.ts';
import { type BoardRow, board } from '../data/board.ts';
import { lentFetch } from '../data/lent.ts';
import { sentenceOf } from '../data/polled.ts';
import { countWhole, moneyText } from '../format.ts';
import { Form, useAct } from '../parts/act.tsx';
import { DataTable } from '../parts/table.tsx';
import { checkFile, type FileCheck, type ModelWork } from './batch-file.ts';

/** With how many tokens of output a line counts that has no cap. */
const UNCAPPED_TOKENS = 500;
/** How long a batch may take, in seconds. */
const WINDOWS = { '1 hour': 3_600, '6 hours': 21_600, '24 hours': 86_400, '3 days': 259_200, '7 days': 604_800 };

type Checked = { readonly file: File } & (
  | { readonly share: number }
  | { readonly check: FileCheck }
  | { readonly failure: string }
);

/** The panel. `onCreated` is called when the gateway has a new batch. */
export function BatchUpload({ onCreated }: { readonly onCreated: () => Promise<void> }) {
  const [checked, become] = useState<Checked | null>(null);
  const [said, say] = useState('');
  const stop = useRef(new AbortController());
  useEffect(() => board.start(), []);
  useEffect(() => () => stop.current.abort(), []);
  const look = async (file: File | undefined) => {
    if (!file) return;
    stop.current.abort();
    stop.current = new AbortController();
    const { signal } = stop.current;
    say('');
    become({ file, share: 0 });
    const onProgress = (share: number) => become({ file, share });
    try {
      const check = await checkFile(file, await rulesNow(), { onProgress, signal });
      become({ file, check });
    } catch (error) {
      if (!signal.aborted) become({ file, failure: sentenceOf(error) });
    }
  };
  const drop = () => {
    stop.current.abort();
    become(null);
  };
  return (
    <section
      class="panel"
      aria-label="New batch"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void look(event.dataTransfer?.files[0]);
      }}
    >
      <h2>New batch</h2>
      <label class="field">
        A file of requests, one JSON object a line: choose it or drop it here
        <input
          type="file"
          accept=".jsonl,.ndjson,.txt,application/jsonl"
          // The same file may be chosen again, after it was mended.
          onClick={({ currentTarget }) => {
            currentTarget.value = '';
          }}
          onChange={({ currentTarget }) => void look(currentTarget.files?.[0])}
        />
      </label>
      {checked && 'share' in checked && (
        <p class="row">
          Checking {checked.file.name}
          <progress max={1} value={checked.share} aria-label="Part of the file that is checked" />
          <button type="button" class="plain" onClick={drop}>
            Stop
          </button>
        </p>
      )}
      {checked && 'failure' in checked && (
        <p class="fall" role="alert">
          {checked.failure}
        </p>
      )}
      {checked && 'check' in checked && (
        <Found
          file={checked.file}
          check={checked.check}
          onCreated={async (id) => {
            become(null);
            say(`The batch ${id} is created. Its lines are checked again, then they run.`);
            await onCreated();
          }}
        />
      )}
      <p role="status">{said}</p>
    </section>
  );
}

/** The limits as they are now, and who knows a model. */
async function rulesNow() {
  const { batch } = await answered(api.GET('/v1/rate-limits'));
  return {
    linesMax: batch.requests_per_file_max,
    bytesMax: batch.input_file_bytes_max,
    async modelNamed(model: string) {
      const { data, response } = await api.GET('/v1/models/{model}', { params: { path: { model } } });
      if (response.status === 404) return null;
      // A gateway that does not answer says nothing against a model.
      return data?.x_alias_of ?? data?.id ?? model;
    },
  };
}

interface FoundProps {
  readonly file: File;
  readonly check: FileCheck;
  readonly onCreated: (id: string) => Promise<void>;
}

function Found({ file, check, onCreated }: FoundProps) {
  const [limit, setLimit] = useState('');
  const [tags, setTags] = useState('');
  const [within, chooseWithin] = useState<keyof typeof WINDOWS>('24 hours');
  const { lines, wrongCount, failingCount, refusal, endpoint } = check;
  const start = useAct(async () => {
    const body = {
      ...{ endpoint, max_wait: WINDOWS[within] },
      ...(limit === '' ? {} : { price_limit: Number(limit) }),
      ...(tags.trim() === '' ? {} : { tags: tags.split(/[\s,]+/).filter((tag) => tag !== '') }),
    };
    await onCreated(await created(file, body));
  });
  const isRefused = refusal !== '' || failingCount > 0;
  return (
    <>
      <p>
        <strong>{file.name}</strong>: {countWhole(lines)} lines{endpoint && ` for ${endpoint}`},{' '}
        {wrongCount === 0 ? 'none of them wrong' : <span class="fall">{countWhole(wrongCount)} of them wrong</span>}.
      </p>
      {isRefused && (
        <p class="fall" role="alert">
          {refusal ||
            'The gateway takes no file with such lines. Mend those that fail the whole file, and choose it again.'}
        </p>
      )}
      {wrongCount > 0 && <Wrong check={check} />}
      {!isRefused && (
        <Form act={start}>
          <label>
            Price limit, USD per 1M{' '}
            <input
              type="number"
              min={0}
              step="any"
              placeholder="of the line or the account"
              value={limit}
              onInput={({ currentTarget }) => setLimit(currentTarget.value)}
            />
          </label>
          <label>
            Ends within{' '}
            <select
              value={within}
              onChange={({ currentTarget }) => chooseWithin(currentTarget.value as keyof typeof WINDOWS)}
            >
              {Object.keys(WINDOWS).map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
          <label>
            Tags, for the bill{' '}
            <input
              placeholder="such as search, team:blue"
              maxLength={200}
              value={tags}
              onInput={({ currentTarget }) => setTags(currentTarget.value)}
            />
          </label>
          <button type="submit" class="button primary">
            {start.isBusy
              ? 'Sending …'
              : wrongCount === 0
                ? 'Upload and start'
                : 'Upload and start without those lines'}
          </button>
          <Cost check={check} limit={limit === '' ? null : Number(limit)} />
        </Form>
      )}
    </>
  );
}

function Wrong({ check: { wrong, wrongCount } }: { readonly check: FileCheck }) {
  return (
    <>
      <DataTable
        label="Wrong lines"
        rows={wrong}
        keyOf={({ number }) => String(number)}
        columns={[
          { head: 'Line', cell: ({ number }) => countWhole(number) },
          { head: 'What is wrong', cell: ({ complaint }) => complaint },
          { head: 'Fails', cell: ({ failsFile }) => (failsFile ? 'the whole file' : 'this line') },
        ]}
      />
      {wrongCount > wrong.length && <p class="note">The first {wrong.length} of them are shown.</p>}
    </>
  );
}

/** About what the lines will cost: at the prices now, and at most where there is a limit. */
function Cost({ check: { work }, limit }: { readonly check: FileCheck; readonly limit: number | null }) {
  const rows = new Map((board.asked.value.value ?? []).map((row) => [row.model, row]));
  const known = [...work].flatMap(([model, asked]) => {
    const row = rows.get(model);
    return row ? [{ row, asked }] : [];
  });
  const uncapped = [...work.values()].reduce((sum, { uncapped: lines }) => sum + lines, 0);
  const now = known.reduce((sum, { row, asked }) => sum + costNow(row, asked), 0);
  const most = limit !== null && known.reduce((sum, { row, asked }) => sum + costAt(row, asked, limit), 0);
  if (known.length === 0) return null;
  return (
    <p class="note">
      About <strong>{moneyText(now)}</strong> at the prices now
      {most !== false && (
        <>
          , and <strong>{moneyText(most)}</strong> if all lines were charged their limit
        </>
      )}
      . Tokens of input are estimated from the characters
      {uncapped > 0 &&
        `; ${countWhole(uncapped)} lines without a cap count with ${UNCAPPED_TOKENS} tokens of output each`}
      .
    </p>
  );
}

function costNow({ usd_per_million: prices }: BoardRow, { inputTokens, outputTokens, uncapped }: ModelWork): number {
  const output = outputTokens + uncapped * UNCAPPED_TOKENS;
  return costOf({ input: inputTokens, cachedShare: 0, output }, prices);
}

/** Prices are proportional to the level; a fixed price is no matter of a limit. */
function costAt(row: BoardRow, asked: ModelWork, limit: number): number {
  return row.level ? costNow(row, asked) * (limit / row.level) : costNow(row, asked);
}

/** Uploads a file and makes a batch of it; its id. Rejects with the sentence of the gateway. */
async function created(file: File, fields: object): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'batch');
  form.set('file', file);
  const { id: input_file_id } = await jsonOf(await lentFetch('/v1/files', { method: 'POST', body: form }));
  const body = JSON.stringify({ ...fields, input_file_id });
  return (await jsonOf(await lentFetch('/v1/batches', { method: 'POST', body }))).id;
}

async function jsonOf(response: Response): Promise<{ readonly id: string }> {
  const json = (await response.json()) as { readonly id: string; readonly error?: { readonly message: string } };
  if (!response.ok) throw new Error(json.error?.message ?? `The gateway answered ${response.status}.`);
  return json;
}
