import { startOnFreePort } from '@posthorn/servers';
import { openMailbox } from './mailbox.js';
import { listenForMail } from './receive.js';
import { listenForBrowsers } from './server.js';

const SMTP_PORT = 1025;
const HTTP_PORT = 8025;

export type InboxOptions = {
  /** Keeps the caught messages; made when missing. */
  readonly folder: string;
  /** 127.0.0.1 unless said otherwise. */
  readonly host?: string;
  /** Preferred ports; the next free one is used when one is taken, any free one for 0. */
  readonly smtpPort?: number;
  readonly httpPort?: number;
  readonly log?: (line: string) => void;
};

export type RunningInbox = {
  readonly smtpUrl: string;
  readonly url: string;
  close(): Promise<void>;
};

/** Starts an SMTP server that catches every message and passes none on, and the pages that show them. */
export async function startInbox(options: InboxOptions): Promise<RunningInbox> {
  const { folder, host = '127.0.0.1', smtpPort = SMTP_PORT, httpPort = HTTP_PORT, log = () => {} } = options;
  const mailbox = await openMailbox(folder);

  const receiver = await startOnFreePort(
    { name: "the inbox's SMTP server", preferred: smtpPort, log },
    async (port) => {
      const { close } = await listenForMail(mailbox, host, port);
      return { close, url: `smtp://${host}:${port}` };
    },
  );
  const inbox = { mailbox, smtpUrl: receiver.url };

  try {
    const pages = await startOnFreePort({ name: 'the inbox', preferred: httpPort, log }, async (port) => {
      const { close } = await listenForBrowsers(inbox, host, port);
      return { close, url: `http://${host}:${port}` };
    });
    return {
      smtpUrl: receiver.url,
      url: pages.url,
      async close() {
        await Promise.all([receiver.close(), pages.close()]);
      },
    };
  } catch (error) {
    await receiver.close();
    throw error;
  }
}
