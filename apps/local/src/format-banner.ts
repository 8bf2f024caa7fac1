import type { Runtime } from './runtime.js';

/** What is printed when everything runs. */
export function banner(runtime: Runtime): string {
  const rows = [
    ['Dashboard', runtime.dashboard_url],
    ['Login', `${runtime.email}  ${runtime.password}`],
    ['API', `${runtime.api_url}/api/v1`],
    ['API key', runtime.api_key],
    ['Docs', `${runtime.api_url}/docs`],
    ['Inbox', runtime.inbox_url ?? `none: mail goes out by ${withoutPassword(runtime.smtp_url)}`],
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
    curlLine(runtime),
    '',
    'Ctrl-C stops everything; the data stays in .posthorn/.',
    '',
  ].join('\n');
}

/** One line, so that it survives being copied from a terminal. */
function curlLine({ api_url, api_key }: Runtime): string {
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

/** SMTP_URL may name several servers, comma-separated. */
function withoutPassword(smtpUrl: string): string {
  return smtpUrl.replace(/\/\/[^@/,]*@/g, '//');
}
