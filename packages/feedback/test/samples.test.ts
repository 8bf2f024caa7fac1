import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseReport, type Report } from '../src/index.js';

const FOLDER = join(import.meta.dirname, 'samples');
const names = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.eml'))
  .map((name) => name.replace('.eml', ''));

/** The envelope sender of the message that a sample is about, in lower case as it is read. */
const RETURN_PATH = 'b+token@bounces.example.com';
/** The provider hid the recipient (RFC 6590), and what is left looks like an address. It belongs to no email of ours. */
const REDACTED = new Set(['redacted@example.net', 'rl8cbkdmwla/2x0e8d0xqeym=@example.net']);

function summarize(report: Report) {
  return {
    kind: report.kind,
    recipients:
      report.kind === 'dsn'
        ? report.recipients.map(({ address, originalAddress, action, reply, class: bounceClass }) => ({
            address,
            original: originalAddress,
            action,
            status: reply.enhanced,
            class: bounceClass,
          }))
        : [],
    names_return_path: 'returnPaths' in report && report.returnPaths.includes(RETURN_PATH),
    feedback_type: report.kind === 'feedback_report' ? report.feedbackType : null,
    complaint_recipients: report.kind === 'feedback_report' ? report.addresses.filter((one) => !REDACTED.has(one)) : [],
  };
}

test.each(names)('%s', async (name) => {
  const { source: _source, note: _note, ...expected } = JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
  const report = await parseReport(readFileSync(join(FOLDER, `${name}.eml`)));
  const recipients = expected.kind === 'dsn' ? expected.recipients : [];
  expect(summarize(report)).toEqual({ ...expected, recipients });
});
