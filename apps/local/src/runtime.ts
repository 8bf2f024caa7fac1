/** The content of `.posthorn/runtime.json`, which lets other programs find and use the running services. */
export type Runtime = {
  readonly api_url: string;
  readonly dashboard_url: string;
  /** null if SMTP_URL is set, because the inbox does not run then. */
  readonly inbox_url: string | null;
  readonly email: string;
  readonly password: string;
  readonly api_key: string;
  readonly database_url: string;
  readonly redis_url: string;
  readonly smtp_url: string;
};

/** What `npm start` prints when everything is running. */
export function formatBanner(runtime: Runtime): string {
  const rows = [
    ['Dashboard', runtime.dashboard_url],
    ['Login', `${runtime.email}  ${runtime.password}`],
    ['API', `${runtime.api_url}/api/v1`],
    ['API key', runtime.api_key],
    ['Docs', `${runtime.api_url}/docs`],
    ['Inbox', runtime.inbox_url ?? `off: emails are sent through ${withoutPasswords(runtime.smtp_url)}`],
    ['Logs', '.posthorn/logs/'],
  ] as const;
  return [
    '',
    'Posthorn is ready.',
    '',
    ...rows.map(([name, value]) => `  ${name.padEnd(11)}${value}`),
    '',
    'Send an email:',
    '',
    curlCommand(runtime),
    '',
    'Press Ctrl-C to stop. Your data stays in .posthorn/.',
    '',
  ].join('\n');
}

/** On one line, so it can be copied from a terminal. */
function curlCommand({ api_url, api_key }: Runtime): string {
  const email = {
    to: ['you@example.com'],
    subject: 'Hello from Posthorn',
    html: '<p>It works.</p>',
    text: 'It works.',
  };
  return [
    `curl ${api_url}/api/v1/emails`,
    `-H 'Authorization: Bearer ${api_key}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(email)}'`,
  ].join(' ');
}

/** SMTP_URL may be a comma-separated list. */
function withoutPasswords(smtpUrl: string): string {
  return smtpUrl.replace(/\/\/[^@/,]*@/g, '//');
}
