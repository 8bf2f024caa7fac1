import { createServer, type IncomingMessage } from 'node:http';
import { groupCalls } from '@posthorn/platform/batching';
import { newId } from '@posthorn/platform/values';
import pg from 'pg';

/**
 * The minimum cost of accepting durably: a bare node:http server that returns 202 once Postgres has the email. It
 * inserts into one plain table, in groups as the accept transaction does, but without keys, validation, limits,
 * counters or Redis.
 */
type EmailBody = { to: string[]; subject: string; html: string; text: string };

/** As in packages/domain/src/accepting/commit-request.ts. */
const MAX_PER_GROUP = 50;

const TABLE = `create table if not exists floor_emails (
  id uuid primary key, recipient text, subject text, html text, "text" text
)`;
const INSERT = `insert into floor_emails select * from json_to_recordset($1::json) as mail (
  id uuid, recipient text, subject text, html text, "text" text
)`;

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
await pool.query(TABLE);

const store = groupCalls(
  async (bodies: EmailBody[]) => {
    const rows = bodies.map(({ to: [recipient], subject, html, text }) => ({
      id: newId(),
      recipient,
      subject,
      html,
      text,
    }));
    await pool.query({ name: 'insert', text: INSERT, values: [JSON.stringify(rows)] });
    return rows.map(({ id }) => id);
  },
  { max: MAX_PER_GROUP },
);

createServer(async (request, response) => {
  const id = await store(JSON.parse(await readBody(request)));
  response
    .writeHead(202, { 'Content-Type': 'application/json' })
    .end(`{"object":"email","id":"${id}","status":"queued"}`);
}).listen(Number(process.env.PORT), '127.0.0.1', () => process.send?.('ready'));

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(Buffer.concat(chunks).toString()));
    request.on('error', reject);
  });
}
