import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseReport } from '@posthorn/feedback';
import { seededRandom } from '../rig/seeded-random.js';
import { mutate } from './mutate.js';

const SAMPLES = join(import.meta.dirname, '../../packages/feedback/test/samples');
const ADDRESS = /[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(?:\.[\w-]+)+/g;
/** The provider hid the recipient (RFC 6590), and what is left looks like an address. */
const HIDDEN = ['redacted@example.net', 'rl8cbkdmwla/2x0e8d0xqeym=@example.net'];
/** Our return path. A line that moved can put it where a recipient belongs, but no recipient of an email has it. */
const RETURN_PATH = 'b+token@bounces.example.com';
const MEASURE_EVERY = 1_000;

type Sample = {
  readonly name: string;
  readonly raw: Buffer;
  /** Addresses in the message that the report is not about. */
  readonly others: ReadonlySet<string>;
};

export type MutationRun = {
  readonly reports: number;
  /** How many could still be read as a bounce or a complaint. */
  readonly read: number;
  readonly slowestMs: number;
  /** The size of the heap after garbage was collected, if Node was started with --expose-gc. */
  readonly heapMb: readonly number[];
  /** What went wrong, with the sample and the number of the report. */
  readonly failures: string[];
};

/**
 * Reads reports that were changed at random. None may crash the parser, or be read as a report about an address that is
 * only mentioned elsewhere in the message.
 */
export async function readMutatedReports({ seed, reports }: { seed: number; reports: number }): Promise<MutationRun> {
  const samples = readSamples();
  const random = seededRandom(seed);
  const failures: string[] = [];
  const heapMb: number[] = [];
  let [read, slowestMs] = [0, 0];
  for (let number = 0; number < reports; number += 1) {
    const sample = samples[number % samples.length] as Sample;
    const started = performance.now();
    try {
      const about = await addressesIn(mutate(sample.raw, random));
      if (about.length > 0) read += 1;
      const wrong = about.filter((address) => sample.others.has(address));
      if (wrong.length > 0) failures.push(`${sample.name}, report ${number}: it is not about ${wrong.join(', ')}`);
    } catch (error) {
      if (!isLimit(error)) failures.push(`${sample.name}, report ${number}: ${error}`);
    }
    slowestMs = Math.max(slowestMs, performance.now() - started);
    if (number % MEASURE_EVERY === 0 && globalThis.gc) {
      globalThis.gc();
      heapMb.push(Math.round(process.memoryUsage().heapUsed / 1e6));
    }
  }
  return { reports, read, slowestMs: Math.round(slowestMs), heapMb, failures };
}

/** The parser refuses headers that are too long and parts that are nested too deeply, which is what it should do. */
function isLimit(error: unknown): boolean {
  return error instanceof Error && /exceeded/i.test(error.message);
}

/** The recipients that bounced or complained, in lower case. */
async function addressesIn(raw: Buffer): Promise<string[]> {
  const report = await parseReport(raw);
  if (report.kind === 'feedback_report') return [...report.addresses];
  if (report.kind !== 'dsn') return [];
  const failed = report.recipients.filter(({ action }) => action === 'failed');
  return failed.flatMap(({ address, originalAddress }) => [address, originalAddress].filter((each) => each !== null));
}

function readSamples(): Sample[] {
  const names = readdirSync(SAMPLES).filter((name) => name.endsWith('.eml'));
  return names.map((name) => {
    const raw = readFileSync(join(SAMPLES, name));
    const { recipients, complaint_recipients: complained } = JSON.parse(
      readFileSync(join(SAMPLES, name.replace('.eml', '.json')), 'utf8'),
    );
    const about = new Set<string>([...complained, ...HIDDEN, RETURN_PATH]);
    for (const { address, original } of recipients) for (const each of [address, original]) about.add(each);
    const text = raw.toString('latin1').toLowerCase();
    // If a message contains a report about somebody else, moving one line can turn the message into that report.
    const fields = text.match(/^(?:(?:final|original)-recipient|original-rcpt-to):.*$/gm) ?? [];
    for (const address of fields.join(' ').match(ADDRESS) ?? []) about.add(address);
    const mentioned = text.match(ADDRESS) ?? [];
    return { name, raw, others: new Set(mentioned.filter((address) => !about.has(address))) };
  });
}
