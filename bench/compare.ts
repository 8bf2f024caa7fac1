import { join, resolve } from 'node:path';
import { usEach } from './support/cpu.js';
import { type Figure, median, medianWithRange } from './support/figure.js';
import { report } from './support/report.js';
import { startSink } from './support/smtp-sink.js';
import { openVersion, type Version } from './support/version.js';

/**
 * Compares two versions, to see what a change costs. In turns, each accepts emails for a few seconds, and then one
 * worker delivers them. Each version has servers and a schema of its own.
 */
const ROUNDS = Number(process.env.ROUNDS ?? 7);
const SECONDS = Number(process.env.SECONDS ?? 4);
const CONNECTIONS = Number(process.env.CONNECTIONS ?? 50);
/** Rounds that V8 gets to compile the hot code. */
const WARM_UP_ROUNDS = 2;

const OURS = join(import.meta.dirname, '..');
const OTHER = process.env.OTHER;
if (!OTHER) throw new Error('Set OTHER to the folder of another version in which `npm ci && npm run build` has run.');

const titles = {
  accepted: 'accepted/s',
  api: 'API us',
  postgresAccepting: 'Postgres us',
  delivered: 'delivered/s',
  worker: 'worker us',
  postgresDelivering: 'Postgres us, delivering',
} as const;
type Name = keyof typeof titles;
const names = Object.keys(titles) as Name[];
type Compared = { readonly name: string; readonly version: Version; readonly figures: Record<Name, number[]> };

const sink = await startSink();
const other = await open('other', resolve(OTHER));
const ours = await open('ours', OURS);
const compared = [other, ours];
for (let round = -WARM_UP_ROUNDS; round < ROUNDS; round += 1)
  for (const each of round % 2 === 0 ? compared : compared.toReversed()) await measure(each, round >= 0);
for (const { version } of compared) await version.close();
await sink.stop();

report('compare', 'versions', {
  rows: compared.map(({ name, figures }) => ({
    version: name,
    ...mapFigures((each) => medianWithRange(figures[each])),
  })),
  ratios: mapFigures((each) => (median(ours.figures[each]) / median(other.figures[each])).toFixed(3)),
  settings: { ROUNDS, SECONDS, CONNECTIONS },
});

function mapFigures<Value extends Figure | string>(toValue: (name: Name) => Value): Record<string, Value> {
  return Object.fromEntries(names.map((name) => [titles[name], toValue(name)]));
}

async function open(name: string, checkout: string): Promise<Compared> {
  const version = await openVersion(checkout, { smtpUrl: sink.url });
  const noFigures = { accepted: [], api: [], postgresAccepting: [], delivered: [], worker: [], postgresDelivering: [] };
  return { name, version, figures: noFigures };
}

async function measure({ version, figures }: Compared, counts: boolean): Promise<void> {
  const before = version.cpu();
  const { emails, perSecond } = await version.accept({ seconds: SECONDS, connections: CONNECTIONS });
  const accepting = usEach(before, version.cpu(), emails);
  const from = version.cpu();
  const seconds = await version.drain();
  const delivering = usEach(from, version.cpu(), emails);
  await version.vacuum();
  if (!counts) return;
  figures.accepted.push(perSecond);
  figures.api.push(accepting.api);
  figures.postgresAccepting.push(accepting.postgres);
  figures.delivered.push(emails / seconds);
  figures.worker.push(delivering.worker);
  figures.postgresDelivering.push(delivering.postgres);
}
