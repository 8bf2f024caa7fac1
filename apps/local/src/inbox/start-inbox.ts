import { startOnFreePort } from '@posthorn/servers';
import { startHttpServer } from './http-server.js';
import { openMailbox } from './mailbox.js';
import { startSmtpServer } from './smtp-server.js';

const SMTP_PORT = 1025;
const HTTP_PORT = 8025;

export type InboxOptions = {
  /** Where the messages are stored. Created if it does not exist. */
  readonly folder: string;
  /** 127.0.0.1 by default. */
  readonly host?: string;
  /** Preferred ports. If one is in use, the next free port is used; 0 means any free port. */
  readonly smtpPort?: number;
  readonly httpPort?: number;
  readonly log?: (line: string) => void;
};

export type RunningInbox = {
  readonly smtpUrl: string;
  readonly url: string;
  close(): Promise<void>;
};

/** Starts an SMTP server that stores every message and delivers none, and a web server that shows the messages. */
export async function startInbox(options: InboxOptions): Promise<RunningInbox> {
  const { folder, host = '127.0.0.1', smtpPort = SMTP_PORT, httpPort = HTTP_PORT, log = () => {} } = options;
  const mailbox = await openMailbox(folder);

  const smtpServer = await startOnFreePort(
    { name: "the inbox's SMTP server", preferred: smtpPort, log },
    async (port) => {
      const { close } = await startSmtpServer(mailbox, host, port);
      return { close, url: `smtp://${host}:${port}` };
    },
  );
  const inbox = { mailbox, smtpUrl: smtpServer.url };

  try {
    const httpServer = await startOnFreePort({ name: 'the inbox', preferred: httpPort, log }, async (port) => {
      const { close } = await startHttpServer(inbox, host, port);
      return { close, url: `http://${host}:${port}` };
    });
    return {
      smtpUrl: smtpServer.url,
      url: httpServer.url,
      async close() {
        await Promise.all([smtpServer.close(), httpServer.close()]);
      },
    };
  } catch (error) {
    await smtpServer.close();
    throw error;
  }
}
