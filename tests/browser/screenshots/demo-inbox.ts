import { compose, openTestInbox, sendMail, type TestInbox } from '../../../apps/local/test/inbox-client.js';
import { demoEmails, testEmail } from './demo-emails.js';

/** Opens the inbox of `npm start` with the emails of the demo shop, the newest with HTML. */
export async function openDemoInbox(): Promise<TestInbox> {
  const inbox = await openTestInbox();
  const emails = [...demoEmails, testEmail];
  for (const [index, { to, subject = '', html = '' }] of emails.entries()) {
    const headers = {
      From: 'Corner Shop <hello@cornershop.example>',
      To: to.join(', '),
      Subject: `=?utf-8?b?${Buffer.from(subject).toString('base64')}?=`,
      Date: new Date(Date.now() - (emails.length - index) * 60_000).toUTCString(),
      'Content-Type': 'text/html; charset=utf-8',
    };
    const recipients = to.map((address) => address.replace(/^.*<|>$/g, ''));
    await sendMail(inbox, { from: 'bounces@cornershop.example', to: recipients, raw: compose(headers, html) });
  }
  return inbox;
}
