import { type FeedbackKind, feedbackKinds } from '@posthorn/contract';
import { operator } from '@posthorn/domain/audit-log';
import {
  addRelay,
  EXPECTED_RATE,
  EXPECTED_SOURCE,
  EXPECTED_WARM_UP,
  findRelayByName,
  formatRate,
  parseRate,
  parseSource,
  parseWarmUp,
  type Rate,
  type Relay,
  type RelayChange,
  readFeedbackState,
  readRelays,
  readWarmUpDay,
  removeRelay,
  setRelayPaused,
  updateRelay,
} from '@posthorn/domain/relays';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CliContext, type RunAction, readLocalService } from '../command-line/context.js';
import { CliError } from '../command-line/errors.js';
import { NONE, orNone, parseCount, parseDomain } from '../command-line/options.js';
import { pick } from '../command-line/print.js';

export function addRelayCommands(relay: Command, run: RunAction): void {
  const named = (name: string, description: string) =>
    relay.command(name).description(description).argument('<name>', 'its name; env-1 is the first server of SMTP_URL');

  addOptions(relay.command('add').description('add a way out, which routes can name').argument('<name>')).action(
    (name, options) => run((ctx) => add(ctx, name, options)),
  );
  addOptions(named('update', 'change a relay; workers follow within two seconds'))
    .option('--feedback-reset', 'forget the confirmed SNS topic, and end replaced feedback secrets at once')
    .action((name, options) => run((ctx) => update(ctx, name, options)));
  relay
    .command('list')
    .description('list the relays, the servers of SMTP_URL too')
    .action(() => run(async (ctx) => (await readRelays(ctx.db)).map((each) => toListed(ctx, each))));
  named('show', 'show a relay').action((name) => run((ctx) => show(ctx, name)));
  named('pause', 'give a relay no new mail; what waits for it goes to the next one').action((name) =>
    run((ctx) => setPaused(ctx, name, true)),
  );
  named('resume', 'give a relay mail again').action((name) => run((ctx) => setPaused(ctx, name, false)));
  named('remove', 'remove a relay; routes keep its name, and its feedback is taken for 30 days more').action((name) =>
    run((ctx) => remove(ctx, name)),
  );
}

type Options = {
  url?: string;
  connections?: number | typeof NONE;
  rate?: Rate | typeof NONE;
  warmUp?: number[] | typeof NONE;
  feedback?: FeedbackKind | typeof NONE;
  feedbackSecret?: string;
  feedbackReset?: boolean;
  rewritesIds?: boolean;
  source?: ReturnType<typeof parseSource> | typeof NONE;
  ehlo?: string;
};

function addOptions(command: Command): Command {
  return command
    .option('--url <url>', "smtp://user:password@host:587, smtps://..., or mx: for the recipients' own servers")
    .option('--connections <n>', 'sessions of all workers together, or none for no limit', orNone(parseCount))
    .option(
      '--rate <rate>',
      'recipients of all workers together, such as 100/min, or none',
      expect(parseRate, EXPECTED_RATE),
    )
    .option(
      '--warm-up <counts>',
      'recipients of the first, second, ... day, or none',
      expect(parseWarmUp, EXPECTED_WARM_UP),
    )
    .addOption(
      new Option('--feedback <kind>', 'the provider whose events it gets, or none').choices([...feedbackKinds, NONE]),
    )
    .option(
      '--feedback-secret <secret>',
      "what the provider's events are verified with; the old one is valid for a day",
    )
    .option('--rewrites-ids', 'it replaces Message-ID and Date, so they are not signed')
    .option('--no-rewrites-ids', 'it leaves them as they are')
    .option(
      '--source <addresses>',
      'where its connections come from: IPv4[,IPv6], or none',
      expect(parseSource, EXPECTED_SOURCE),
    )
    .option('--ehlo <name>', 'how we greet, or none for the name of the machine', orNone(parseDomain));
}

function expect<Value>(parse: (text: string) => Value | null, expected: string): (text: string) => Value | typeof NONE {
  return orNone((text) => {
    const value = parse(text);
    if (value === null) throw new InvalidArgumentError(expected);
    return value;
  });
}

function toChange({ connections, rate, warmUp, feedback, source, ehlo, ...others }: Options): RelayChange {
  return {
    ...others,
    ...(connections !== undefined && { connections: orNull(connections) }),
    ...(rate !== undefined && { rate: orNull(rate) }),
    ...(warmUp !== undefined && { warmUp: orNull(warmUp) }),
    ...(feedback !== undefined && { feedback: orNull(feedback) }),
    ...(source !== undefined && { source: orNull(source) ?? { ipv4: null, ipv6: null } }),
    ...(ehlo !== undefined && { ehlo: orNull(ehlo) }),
  };
}

function orNull<Value>(value: Value | typeof NONE): Value | null {
  return value === NONE ? null : value;
}

async function add(ctx: CliContext, name: string, { url, ...options }: Options) {
  if (url === undefined) throw new CliError('usage', 'The URL of the relay is missing. Set --url.');
  const relay = await addRelay(ctx, operator, { ...toChange(options), name, url });
  return { relayId: relay.id, feedbackUrl: toFeedbackUrl(ctx, relay) };
}

async function update(ctx: CliContext, name: string, options: Options) {
  return toShown(ctx, await updateRelay(ctx, operator, name, toChange(options)));
}

async function show(ctx: CliContext, name: string) {
  const relay = await findRelayByName(ctx.db, name);
  if (relay === null)
    throw new CliError('not_found', 'No relay has this name. posthorn relay list prints all of them.');
  return { ...toShown(ctx, relay), ...(await readUse(ctx, relay)) };
}

/** What has happened with the relay, as far as it has a warm-up or feedback. */
async function readUse({ db }: CliContext, { id, warmUp, feedback }: Relay) {
  const { day, recipients } = warmUp === null ? {} : await readWarmUpDay(db, id);
  return {
    ...(day !== undefined && { warmUpDay: day, warmUpRecipientsToday: recipients }),
    ...(feedback !== null && (await readFeedbackState(db, id))),
  };
}

async function setPaused(ctx: CliContext, name: string, paused: boolean) {
  const { id } = await setRelayPaused(ctx, operator, name, paused);
  return { relayId: id, name, paused };
}

async function remove(ctx: CliContext, name: string) {
  const { id } = await removeRelay(ctx, operator, name);
  return { relayId: id, name, removed: true };
}

function toListed(ctx: CliContext, relay: Relay) {
  const { rate, warmUp, isPaused: paused } = relay;
  return {
    ...pick(relay, ['name', 'address']),
    trouble: relay.trouble && `${relay.trouble.at.toISOString()} ${relay.trouble.why}`,
    paused,
    connections: relay.connections,
    rate: rate && formatRate(rate),
    warmUp: warmUp?.join() ?? null,
    feedback: relay.feedback,
    feedbackUrl: toFeedbackUrl(ctx, relay),
  };
}

function toShown(ctx: CliContext, relay: Relay) {
  const { id: relayId, rewritesIds, source, ehlo, createdAt } = relay;
  const addresses = [source.ipv4, source.ipv6].filter((address) => address !== null);
  return { relayId, ...toListed(ctx, relay), rewritesIds, source: addresses.join() || null, ehlo, createdAt };
}

/** @returns null if no provider reports to it */
function toFeedbackUrl({ config, env }: CliContext, { feedback, feedbackToken }: Relay): string | null {
  if (feedback === null) return null;
  const publicUrl = env.PUBLIC_URL === undefined ? (readLocalService().api_url ?? config.publicUrl) : config.publicUrl;
  return `${publicUrl}/feedback/${feedbackToken}`;
}
