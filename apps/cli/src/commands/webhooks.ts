import { type EventType, eventTypes } from '@posthorn/contract';
import { parseUrl } from '@posthorn/platform/network';
import { newWebhookSecret } from '@posthorn/webhooks';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { readLocalService } from '../context.js';
import { CliError } from '../errors.js';
import { followEvents } from '../listen/follow-events.js';
import { openForwarder } from '../listen/open-forwarder.js';
import { printError, printLine } from '../print.js';

type ListenOptions = {
  forward: string;
  url?: string;
  key?: string;
  events?: readonly EventType[];
  secret?: string;
};

export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhooks').description('try webhooks during development');

  webhooks
    .command('listen')
    .description('post new events to a URL on this machine, signed as a webhook would; ends with Ctrl-C')
    .requiredOption('--forward <url>', 'where to post events, such as http://localhost:3000/hook', parseHttpUrl)
    .addOption(
      new Option('--url <url>', 'address of the API (default: that of the npm start of this folder)')
        .env('PUBLIC_URL')
        .argParser((text) => parseHttpUrl(text).replace(/\/+$/, '')),
    )
    .addOption(
      new Option('--key <key>', 'API key with the scope emails:read (default: that of npm start)').env(
        'POSTHORN_API_KEY',
      ),
    )
    .option('--events <types>', 'only these types of events, separated by commas', parseEventTypes)
    .option(
      '--secret <secret>',
      'secret that begins with whsec_ (default: a new one, printed at the start)',
      parseSecret,
    )
    .action((options: ListenOptions, command: Command) => listen(options, command.optsWithGlobals().json === true));
}

async function listen({ forward, url, key, events, secret }: ListenOptions, json: boolean): Promise<void> {
  const local = readLocalService();
  const api = url ?? local.api_url;
  const apiKey = key ?? local.api_key;
  if (!api) throw new CliError('configuration', 'The address of the API is missing. Set --url or PUBLIC_URL.');
  if (!apiKey) throw new CliError('configuration', 'The API key is missing. Set --key or POSTHORN_API_KEY.');
  const usedSecret = secret ?? newWebhookSecret();
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopping.abort());
  const post = openForwarder(forward, usedSecret);
  const onReady = () =>
    printLine(
      { listening_to: api, forwarding_to: forward, ...(secret === undefined && { secret: usedSecret }) },
      { json },
    );
  const onAway = () =>
    printError({ code: 'unavailable', message: `Cannot reach the API at ${api}. Retrying.` }, { json });
  for await (const event of followEvents({ api, apiKey, signal: stopping.signal, onReady, onAway })) {
    if (events && !events.includes(event.type as EventType)) continue;
    printLine(
      { time: event.created_at, type: event.type, email: event.data.email_id, ...(await post(event)) },
      { json },
    );
  }
}

function parseHttpUrl(text: string): string {
  if (/^https?:$/.test(parseUrl(text)?.protocol ?? '')) return text;
  throw new InvalidArgumentError('It must be a URL that begins with http:// or https://.');
}

/** Nothing of the text is repeated, because it may be a real secret with a typing mistake. */
function parseSecret(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be whsec_ and then 24 to 64 bytes in base64.');
}

function parseEventTypes(text: string): EventType[] {
  const types = text.split(',').map((type) => type.trim());
  const unknown = types.find((type) => !eventTypes.some((known) => known === type));
  if (unknown === undefined) return types as EventType[];
  throw new InvalidArgumentError(`Use a comma-separated list of: ${eventTypes.join(', ')}.`);
}
