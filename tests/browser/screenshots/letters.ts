import type { SendEmailRequest } from '@posthorn/contract';
import type { SmtpReply } from '@posthorn/testing';

const FROM = 'Corner Shop <orders@cornershop.example>';

/** What the shop's templates say. */
export const templates = [
  {
    name: 'Welcome',
    subject: 'Welcome to Corner Shop, {{first_name}}',
    html_body: '<h1>Welcome, {{first_name}}</h1>\n<p>Your account is ready.</p>\n',
    text_body: 'Welcome, {{first_name}}.\nYour account is ready.\n',
  },
  {
    name: 'Password reset',
    subject: 'Set a new password',
    html_body: '<p>Somebody asked for a new password. If it was you:</p>\n<p><a href="{{link}}">Set it</a></p>\n',
    text_body: 'Somebody asked for a new password. If it was you:\n{{link}}\n',
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
      Follow your parcel
    </a>
  </p>
  <p style="color: #5b6b7f">Questions? Just answer this mail.</p>
</div>
`,
    text_body: `It is on its way, {{first_name}}.

Your order {{order}} left us today. It should be with you on {{day}}.
Follow your parcel: {{link}}
`,
  },
] as const;

export const samples = {
  first_name: 'Jane',
  order: '1042',
  day: 'Thursday',
  link: 'https://cornershop.example/t/1042',
};

/** Raw emails, oldest first. */
export const letters: readonly SendEmailRequest[] = [
  letter('Noor Haddad <noor@example.org>', 'Your receipt for order 1029'),
  letter('Mateo García <mateo@example.net>', 'Your order 1030 is on its way'),
  letter('Wei Chen <wei@example.org>', 'Set a new password'),
  letter('Aisha Bello <aisha@example.com>', 'Welcome to Corner Shop, Aisha'),
  letter('sales@left-long-ago.example', 'Your invoice for October'),
  letter('Lena Fischer <lena@example.net>', 'Your receipt for order 1033'),
  letter('Tom Okafor <tom@example.com>', 'Your order 1034 is on its way'),
  letter('Sofia Rossi <sofia@full-mailbox.example>', 'We have refunded order 1021'),
  letter('Yuki Tanaka <yuki@example.org>', 'Your code is 481 220'),
];

/** Is still to be sent. */
export const scheduled = letter('Everybody <customers@example.com>', 'Closed between the years');

export const shipped = {
  to: ['Jane Doe <jane@example.com>'],
  from_: FROM,
  tags: [{ name: 'kind', value: 'shipping' }],
};

/** How the world's mail servers answer some of the recipients. */
export function replyOf(address: string): SmtpReply | undefined {
  if (address.endsWith('@left-long-ago.example')) return { code: 550, text: '5.1.1 There is no mailbox of that name' };
  if (address.endsWith('@full-mailbox.example')) return { code: 452, text: '4.2.2 The mailbox is full' };
  return undefined;
}

function letter(to: string, subject: string): SendEmailRequest {
  return { to: [to], from_: FROM, subject, html: `<p>${subject}.</p>`, text: `${subject}.` };
}
