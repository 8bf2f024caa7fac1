import { startOnFreePort } from '@posthorn/servers';
import { startHttpServer } from './http-server.js';
import { loadMailbox } from './mailbox.js';
import { startSmtpServer } from './smtp-server.js';

const HOST = '127.0.0.1';
const SMTP_PORT = 1025;
const HTTP_PORT = 8025;

export type InboxOptions = {
  readonly folder: string;
  /** Preferred ports. If one is in use, the next free port is used; 0 means any free port. */
  readonly smtpPort?: number;
  readonly httpPort?: number;
  readonly log?: (line: string) => void;
};

export type RunningInbox = { readonly smtpUrl: string; readonly url: string; close(): Promise<void> };

/** Starts an SMTP server that stores every message and delivers none, and a web server that shows the messages. */
export async function startInbox(options: InboxOptions): Promise<RunningInbox> {
  const { folder, smtpPort = SMTP_PORT, httpPort = HTTP_PORT, log = () => {} } = options;
  const mailbox = await loadMailbox(folder);
  const smtp = await startOnFreePort({ name: "the inbox's SMTP server", preferred: smtpPort, log }, async (port) => ({
    close: await startSmtpServer(mailbox, HOST, port),
    url: `smtp://${HOST}:${port}`,
  }));
  try {
    const http = await startOnFreePort({ name: 'the inbox', preferred: httpPort, log }, async (port) => ({
      close: await startHttpServer({ mailbox, smtpUrl: smtp.url }, HOST, port),
      url: `http://${HOST}:${port}`,
    }));
    const close = async () => void (await Promise.all([smtp.close(), http.close()]));
    return { smtpUrl: smtp.url, url: http.url, close };
  } catch (error) {
    await smtp.close();
    throw error;
  }
}
