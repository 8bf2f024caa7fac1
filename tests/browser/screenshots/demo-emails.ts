import type { SendEmailRequest } from '@posthorn/contract';
import type { SmtpReply } from '@posthorn/testing';

const FROM = 'Corner Shop <orders@cornershop.example>';

/** The templates of the demo workspace. */
export const demoTemplates = [
  {
    name: 'Welcome',
    subject: 'Welcome to Corner Shop, {{first_name}}',
    html_body: '<h1>Welcome, {{first_name}}</h1>\n<p>Your account is ready.</p>\n',
    text_body: 'Welcome, {{first_name}}.\nYour account is ready.\n',
  },
  {
    name: 'Password reset',
    subject: 'Reset your password',
    html_body:
      '<p>Someone asked to reset your password. If it was you:</p>\n<p><a href="{{link}}">Choose a new password</a></p>\n',
    text_body: 'Someone asked to reset your password. If it was you:\n{{link}}\n',
  },
  {
    name: 'Order shipped',
    subject: 'Your order {{order}} is on its way',
    html_body: `<div style="max-width: 520px; margin: 24px auto; font: 16px/1.5 sans-serif; color: #24303f">
  <p style="font-size: 13px; letter-spacing: .08em; color: #5b6b7f">CORNER SHOP</p>
  <h1 style="font-size: 24px">It is on its way, {{first_name}}</h1>
  <p>Your order <b>{{order}}</b> left us today.
    It should be with you on {{day}}.</p>
  <p>
    <a href="{{link}}" style="background: #32539f; color: #fff;
      padding: 10px 18px; border-radius: 8px; text-decoration: none">
      Track your parcel
    </a>
  </p>
  <p style="color: #5b6b7f">Questions? Just reply to this email.</p>
</div>
`,
    text_body: `It is on its way, {{first_name}}.

Your order {{order}} left us today. It should be with you on {{day}}.
Track your parcel: {{link}}
`,
  },
] as const;

export const templateVars = {
  first_name: 'Jane',
  order: '1042',
  day: 'Thursday',
  link: 'https://cornershop.example/t/1042',
};

/** Emails without a template, oldest first. */
export const demoEmails: readonly SendEmailRequest[] = [
  demoEmail('Noor Haddad <noor@example.org>', 'Your receipt for order 1029'),
  demoEmail('Mateo García <mateo@example.net>', 'Your order 1030 is on its way'),
  demoEmail('Wei Chen <wei@example.org>', 'Reset your password'),
  demoEmail('Aisha Bello <aisha@example.com>', 'Welcome to Corner Shop, Aisha'),
  demoEmail('sales@left-long-ago.example', 'Your invoice for October'),
  demoEmail('Lena Fischer <lena@example.net>', 'Your receipt for order 1033'),
  demoEmail('Tom Okafor <tom@example.com>', 'Your order 1034 is on its way'),
  demoEmail('Sofia Rossi <sofia@full-mailbox.example>', 'We have refunded order 1021'),
  demoEmail('Yuki Tanaka <yuki@example.org>', 'Your code is 481 220'),
];

export const scheduledEmail = demoEmail('All customers <customers@example.com>', 'Our opening hours over the holidays');

export const shippedEmail = {
  to: ['Jane Doe <jane@example.com>'],
  from_: FROM,
  tags: [{ name: 'kind', value: 'shipping' }],
};

/** Test mail, which a test key creates and nobody gets. */
export const testEmail: SendEmailRequest = {
  to: ['Jane Doe <jane@example.com>'],
  from_: FROM,
  subject: 'Your order 1042 is on its way',
  html: `<div style="max-width: 520px; margin: 24px auto; font: 16px/1.5 sans-serif; color: #24303f">
  <p style="font-size: 13px; letter-spacing: .08em; color: #5b6b7f">CORNER SHOP</p>
  <h1 style="font-size: 24px">It is on its way, Jane</h1>
  <p>Your order <b>1042</b> left us today. It should be with you on Thursday.</p>
  <p><a href="https://cornershop.example/t/1042">Track your parcel</a></p>
</div>`,
  text: 'It is on its way, Jane. Track your parcel: https://cornershop.example/t/1042',
  tags: [{ name: 'kind', value: 'shipping' }],
};

/** The replies to RCPT for recipients whose servers do not accept mail. */
export function replyFor(address: string): SmtpReply | undefined {
  if (address.endsWith('@left-long-ago.example')) return { code: 550, text: '5.1.1 No such mailbox' };
  if (address.endsWith('@full-mailbox.example')) return { code: 452, text: '4.2.2 The mailbox is full' };
  return undefined;
}

function demoEmail(to: string, subject: string): SendEmailRequest {
  return { to: [to], from_: FROM, subject, html: `<p>${subject}.</p>`, text: `${subject}.` };
}
