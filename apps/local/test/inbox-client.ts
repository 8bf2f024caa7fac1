import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type OutgoingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { type InboxOptions, type RunningInbox, startInbox } from '../src/inbox/start-inbox.js';

export type TestInbox = RunningInbox & { readonly folder: string };

/** Starts an inbox on free ports, in a new folder unless one is given. */
export async function openTestInbox(options: Partial<InboxOptions> = {}): Promise<TestInbox> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'posthorn-inbox-')));
  const inbox = await startInbox({ smtpPort: 0, httpPort: 0, ...options, folder });
  return { ...inbox, folder };
}

export async function closeTestInbox(inbox: TestInbox): Promise<void> {
  await inbox.close();
  await rm(inbox.folder, { recursive: true });
}

export type Mail = { readonly from?: string; readonly to?: readonly string[]; readonly raw: string };

/** Sends messages over one SMTP connection (RFC 5321). @returns the reply to the final dot of each message */
export async function sendMail(inbox: RunningInbox, ...mails: Mail[]): Promise<string[]> {
  const { hostname, port } = new URL(inbox.smtpUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const lastLine = async (): Promise<string> => {
    const { value } = await lines.next();
    return value === undefined || /^\d{3} /.test(value) ? (value ?? '') : lastLine();
  };
  const sendCommand = (command: string) => {
    socket.write(`${command}\r\n`);
    return lastLine();
  };

  await lastLine();
  await sendCommand('EHLO client.example');
  const replies: string[] = [];
  for (const { from = 'shop@acme.example', to = ['ada@example.com'], raw } of mails) {
    await sendCommand(`MAIL FROM:<${from}>`);
    for (const address of to) await sendCommand(`RCPT TO:<${address}>`);
    await sendCommand('DATA');
    const content = raw.replace(/\r?\n/g, '\r\n').replace(/^\./gm, '..');
    replies.push(await sendCommand(`${content}\r\n.`));
  }
  await sendCommand('QUIT');
  socket.destroy();
  return replies;
}

export function compose(headers: Readonly<Record<string, string>>, content = 'Hello.'): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return `${lines.join('\n')}\n\n${content}`;
}

type RequestOptions = { readonly method?: string; readonly headers?: OutgoingHttpHeaders; readonly body?: string };
type TestResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
};

/** Unlike `fetch`, this can send any `Host` and `Sec-Fetch-Site` header. */
export async function sendRequest(
  inbox: RunningInbox,
  path: string,
  options: RequestOptions = {},
): Promise<TestResponse> {
  const { method = 'GET', headers, body = '' } = options;
  const length = { 'Content-Length': Buffer.byteLength(body) };
  const sent = request(inbox.url, { path, method, headers: { ...length, ...headers }, agent: false }).end(body);
  const [response] = await once(sent, 'response');
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

/** The IDs of all messages, newest first. */
export async function listIds(inbox: RunningInbox): Promise<string[]> {
  const { body } = await sendRequest(inbox, '/api/v1/messages?limit=1000');
  return JSON.parse(body).messages.map(({ ID }: { ID: string }) => ID);
}
