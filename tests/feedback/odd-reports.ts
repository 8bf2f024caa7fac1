import { parseReport } from '@posthorn/feedback';

/** How much of a report is stored. */
const BYTES = 256_000;
const ROUNDS = 6;

const fill = (line: string) => line.repeat(Math.ceil(BYTES / line.length)).slice(0, BYTES);
const part = (type: string, body: string) =>
  `Content-Type: multipart/report; boundary=b\r\n\r\n--b\r\nContent-Type: ${type}\r\n\r\n${body}`;
const fromServer = (text: string) => `From: mailer-daemon@mx.example\r\nSubject: failed\r\n\r\n${text}`;
const recipient = 'Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n';

/** Messages that fit what is stored of a report, and take the parser as long as we could find. */
const oddReports: Readonly<Record<string, string>> = {
  'lines of one letter': `Subject: x\r\n\r\n${fill('a\r\n')}`,
  'html in lines of one letter': `Content-Type: text/html\r\n\r\n${fill('a\r\n')}`,
  'html of tags': `Content-Type: text/html\r\n\r\n${fill('<a>')}`,
  'one line': `Subject: x\r\n\r\n${fill('a')}`,
  'a long field': `Subject: ${fill('=?utf-8?q?a?= ')}\r\n\r\nx`,
  'many fields': `${fill('A: b\r\n')}\r\nx`,
  'a folded field': `Subject: x\r\n${fill(' a\r\n')}\r\nx`,
  'many addresses': `To: ${fill('a@b.example, ')}\r\n\r\nx`,
  'groups of addresses': `To: ${fill('a:b<c@d.example>;,')}\r\n\r\nx`,
  'many parameters': `Content-Type: text/plain; ${fill('a=b; ')}\r\n\r\nx`,
  'many parts': part('text/plain', fill('--b\r\n\r\nx\r\n')),
  'lines that flow': `Content-Type: text/plain; format=flowed; delsp=yes\r\n\r\n${fill('a \r\n')}`,
  'quoted-printable': `Content-Transfer-Encoding: quoted-printable\r\n\r\n${fill('=41=\r\n')}`,
  base64: `Content-Transfer-Encoding: base64\r\n\r\n${fill('QQ\r\n')}`,
  'many recipients': part('message/delivery-status', fill(`\r\n${recipient}Diagnostic-Code: smtp; 550 no\r\n`)),
  'a long diagnostic': part('message/delivery-status', `${recipient}Diagnostic-Code: x\r\n${fill(' 550 5.1.1\r\n')}`),
  'blank lines': part('message/delivery-status', fill('\n \t')),
  'many complaints': part('message/feedback-report', fill('Original-Rcpt-To: a@b.example\r\n')),
  'many checks of the sender': part('message/rfc822', fill('Received-SPF: domain of a@b\r\n')),
  'a returned message': part('message/rfc822', `Subject: x\r\n\r\n${fill('a\r\n')}`),
  'addresses in text': fromServer(fill('a@b.example\n')),
  'reasons in text': fromServer(fill('reason: \n')),
  'empty lines and a reason': fromServer(`${fill('\n')}reason`),
  'nearly qmail': fromServer(fill('Hi. This is \n')),
  Exim: fromServer(`This message was created automatically by mail delivery software.\n${fill('  a@b.example\n')}`),
};

/** @returns how many of each kind a core parses per second, the slowest first */
export async function measureOddReports(): Promise<ReadonlyArray<readonly [name: string, perSecond: number]>> {
  const speeds: Array<readonly [string, number]> = [];
  for (const [name, text] of Object.entries(oddReports)) {
    const raw = Buffer.from(text).subarray(0, BYTES);
    let fastest = Number.POSITIVE_INFINITY;
    for (let round = 0; round < ROUNDS; round += 1) fastest = Math.min(fastest, await measureCpuMs(raw));
    speeds.push([name, Math.round(1_000 / fastest)]);
  }
  return speeds.toSorted(([, one], [, two]) => one - two);
}

/** CPU time, which depends less on what else the machine does. */
async function measureCpuMs(raw: Buffer): Promise<number> {
  const before = process.cpuUsage();
  await parseReport(raw).catch(() => null);
  const { user, system } = process.cpuUsage(before);
  return Math.max(1, user + system) / 1_000;
}
