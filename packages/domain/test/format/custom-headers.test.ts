import { providers } from '@posthorn/feedback/providers';
import fc from 'fast-check';
import { findHeaderFault, unfoldHeader } from '../../src/format/custom-headers.js';
import { reservedHeaders } from '../../src/format/reserved-headers.js';

describe('findHeaderFault', () => {
  test.each([
    ['X-Campaign', 'spring 2027'],
    ['List-Unsubscribe', '<https://example.com/u?x=1>, <mailto:u@example.com>'],
    ['List-Unsubscribe-Post', 'List-Unsubscribe=One-Click'],
    ['List-Id', '<news.example.com>'],
    ['In-Reply-To', '<a@example.com>'],
    ['X-Job-Id', '4711'],
    ['Auto-Submitted', 'auto-generated'],
    ['X-Size', 'Größe 🚀'],
    ['X-Empty', ''],
    ['Contents', 'is not Content-*'],
    ['X-Decomposed', 'Jose\u0301'],
    ['!#$%&*+', 'unusual, but a name'],
    ['constructor', 'a word like any other'],
    ['__proto__', 'another'],
    ['X'.repeat(128), 'v'.repeat(998)],
  ])('allows %s', (name, value) => {
    expect(findHeaderFault(name, value)).toBeNull();
  });

  test.each([
    ['From', 'from_'],
    ['To', 'to'],
    ['Cc', 'cc'],
    ['Bcc', 'bcc'],
    ['Reply-To', 'reply_to'],
    ['Subject', 'subject'],
  ])('refuses %s and points to the field %s', (name, field) => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(findHeaderFault(spelling, 'x')).toBe(`cannot be set as a header. Use the field ${field}`);
    }
  });

  test.each([
    'Sender',
    'Date',
    'Message-ID',
    'MIME-Version',
    'Content-Type',
    'Content-Transfer-Encoding',
    'Content-Disposition',
    'Content-Anything',
    'DKIM-Signature',
    'X-Email-ID',
    'X-Posthorn-ID',
  ])('refuses %s, which the service sets', (name) => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(findHeaderFault(spelling, 'x')).toBe('is set by the service. Remove it');
    }
  });

  test.each([
    'Return-Path',
    'Received',
    'Received-SPF',
    'Authentication-Results',
    'ARC-Seal',
    'DomainKey-Signature',
    'Delivered-To',
    'Resent-From',
    'Resent-Bcc',
  ])('refuses %s, which mail servers add in transit', (name) => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(findHeaderFault(spelling, 'x')).toBe('is added by mail servers in transit. Remove it');
    }
  });

  test.each(['Errors-To', 'apparently-to'])('refuses %s, which redirects copies or errors', (name) => {
    expect(findHeaderFault(name, 'x')).toBe(
      'makes some mail servers send copies or errors to other addresses. Remove it',
    );
  });

  test.each([
    ['X-SMTPAPI', 'SendGrid'],
    ['X-MC-BccAddress', 'Mailchimp Transactional'],
    ['X-MSYS-API', 'SparkPost'],
    ['X-Binding', 'Momentum'],
    ['X-SES-CONFIGURATION-SET', 'Amazon SES'],
    ['X-Mailgun-Drop-Message', 'Mailgun'],
    ['X-PM-Message-Stream', 'Postmark'],
    ['X-MJ-TemplateErrorReporting', 'Mailjet'],
    ['X-Mailjet-Prio', 'Mailjet'],
    ['X-Mailin-IP', 'Brevo'],
    ['X-Sib-Sandbox', 'Brevo'],
    ['Resend-Idempotency-Key', 'Resend'],
    ['X-MT-Category', 'Mailtrap'],
    ['x-mq-smarthost-hostname', 'MailerQ'],
    ['x-virtual-mta', 'PowerMTA'],
    ['X-Job', 'PowerMTA'],
    ['X-Envid', 'PowerMTA'],
    ['X-DKIM-Options', 'PowerMTA'],
    ['sender.ip', 'Brevo'],
    ['idempotencyKey', 'Brevo'],
    ['X-ElasticEmail-Settings', 'Elastic Email'],
    ['IsTransactional', 'Elastic Email'],
    ['PoolName', 'Elastic Email'],
    ['Channel', 'Elastic Email'],
    ['X-AliDM-Trace', 'Alibaba Cloud Direct Mail'],
    ['X-Tracking', 'ReachMail'],
    ['X-Address', 'ReachMail'],
    ['X-Message-Priority', 'Wooxy'],
    ['X-Tags', 'Wooxy'],
    ['X-SMTP2GO-Tag', 'SMTP2GO'],
    ['X-AuthUser', 'MailChannels'],
    ['X-Postal-Tag', 'Postal'],
    ['X-xsMailingId', 'SocketLabs'],
    ['X-MS-ACSEmail-Validate-Message-ID', 'Azure Communication Services'],
    ['X-MailerSend-Track-Opens', 'MailerSend'],
    ['X-KumoRef', 'KumoMTA'],
    ['X-GreenArrow-MtaID', 'GreenArrow'],
    ['X-VMTA', 'Haraka'],
    ['AhaSend-Sandbox', 'AhaSend'],
    ['X-SMTPeter-TrackClicks', 'SMTPeter'],
    ['X-Transactional-Route', 'EmailDelivery.com'],
    ['X-APIHEADER', 'Netcore'],
  ])('refuses %s, which is a command to %s', (name, server) => {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      expect(findHeaderFault(spelling, 'x')).toBe(
        `is read as a command by ${server}. Remove it or choose another name`,
      );
    }
  });

  /** With these, one workspace could write to others, go round unsubscribes, or claim the events of another email. */
  test.each([
    ['X-SMTPAPI', '{"to":["a@example.com","b@example.com"]}'],
    ['x-smtpapi', '{"filters":{"bypass_list_management":{"settings":{"enable":1}}}}'],
    ['X-SES-CONFIGURATION-SET', 'none'],
    ['X-SES-SOURCE-ARN', 'arn:aws:ses:eu-west-1:111122223333:identity/other.example'],
    ['X-SES-TENANT', 'other'],
    ['X-SES-MESSAGE-TAGS', 'posthorn_id=another'],
    ['X-PM-Message-Stream', 'broadcasts'],
    ['X-PM-Metadata-posthorn_id', 'another'],
    ['X-PM-KeepID', 'false'],
    ['X-Mailgun-Variables', '{"posthorn_id":"another"}'],
    ['X-Mailgun-Drop-Message', 'yes'],
    ['X-Mailgun-Deliver-By', 'Fri, 04 Dec 2026 09:00:00 +0000'],
    ['X-MSYS-API', '{"metadata":{"posthorn_id":"another"},"options":{"skip_suppression":true}}'],
    ['X-MJ-CustomID', 'another'],
    ['X-MJ-EventPayload', 'another'],
    ['X-Mailin-custom', 'posthorn_id:another'],
    ['Resend-Idempotency-Key', 'order-1'],
    ['X-MC-PreserveRecipients', 'true'],
    ['X-Posthorn-ID', 'another'],
  ])('refuses %s: %s', (name, value) => {
    expect(findHeaderFault(name, value)).toMatch(/^is (?:read as a command by|set by the service)/);
  });

  test('refuses each header in which a provider returns our key', () => {
    const names = Object.values(providers).flatMap(({ buildHeaders }) => buildHeaders('key').map(({ name }) => name));
    expect(names.filter((name) => findHeaderFault(name, 'x') === null)).toEqual([]);
  });

  test.each([
    ['X-Entity-Ref-ID', 'abc'],
    ['X-Mailer', 'Shop 1.0'],
  ])('allows %s, which no provider reads as a command', (name, value) => {
    expect(findHeaderFault(name, value)).toBeNull();
  });

  test('refuses every name and prefix in the table, and nothing that only begins like a whole name', () => {
    for (const { name, fault } of reservedHeaders) {
      expect([name, findHeaderFault(name.replace('*', 'Anything'), 'x')]).toEqual([name, fault]);
      if (!name.endsWith('*') && name !== 'Received')
        expect([name, findHeaderFault(`${name}-Of-Mine`, 'x')]).toEqual([name, null]);
    }
  });

  test('cites a source for every refused header', () => {
    for (const { source } of reservedHeaders)
      expect(source).toMatch(/^(RFC \d{4}, [\d.]+|https:\/\/|PowerMTA User's Guide|packages\/)/);
  });

  test.each([
    '',
    'X Y',
    'X:',
    'X-Y:',
    'X\r\nBcc',
    'X\n',
    'X\u0000',
    'X\t',
    ' X',
    'Größe',
    'X\u200b',
    'Bcc ',
    'List-;x=1',
  ])('refuses the name %j', (name) => {
    expect(findHeaderFault(name, 'x')).toContain('printable ASCII');
  });

  test.each(['a\r\nBcc: evil@example.com', 'a\nb', 'a\rb', 'a\tb', '\u0000', '\u007f', '\u0085', '\u2028', '\ud800'])(
    'refuses the value %j',
    (value) => {
      expect(findHeaderFault('X-Test', value)).toBe('must not contain line breaks or control characters');
    },
  );

  test('refuses a name or value that is too long, and reports the limit', () => {
    expect(findHeaderFault('X'.repeat(129), 'x')).toBe('has a name of 129 characters; the limit is 128');
    expect(findHeaderFault('X-Test', 'v'.repeat(8_001))).toBe('has 8,001 characters; the limit is 8,000');
  });

  test('refuses characters outside ASCII where mail programs would not decode them', () => {
    const fault =
      'may contain only ASCII characters, except in a name before < and in a comment in parentheses. Percent-encode a URL, and write a domain in punycode';
    expect(findHeaderFault('List-Unsubscribe', '<https://acme.example/müller>')).toBe(fault);
    expect(findHeaderFault('In-Reply-To', '<mü@acme.example>')).toBe(fault);
    expect(findHeaderFault('List-Id', 'Für alle <news.acme.example>')).toBeNull();
    expect(findHeaderFault('List-Post', '<mailto:a@acme.example> (für alle)')).toBeNull();
    expect(findHeaderFault('List-Post', '<https://acme.example/(ü)>')).toBe(fault);
    expect(findHeaderFault('Archived-At', '<https://acme.example/ü>')).toBe(fault);
    expect(findHeaderFault('Mail-Followup-To', 'Jörg <a@acme.example>, <ü@acme.example>')).toBe(fault);
    const unbroken = 'has 965 characters without a space; the limit is 900. Add a space or shorten it';
    expect(findHeaderFault('References', `<${'a'.repeat(950)}@acme.example>`)).toBe(unbroken);
  });

  test('allows nothing that could end the header line', () => {
    const texts = fc.string({
      unit: fc.constantFrom('X', '-', ':', ';', ' ', '\r', '\n', '\u0000', '\t', 'ü', '\u2028'),
    });
    fc.assert(
      fc.property(texts, texts, (name, value) => {
        if (findHeaderFault(name, value) === null) expect(`${name}: ${value}`).toMatch(/^[!-9<-~]+: [^\p{Cc}]*$/u);
      }),
    );
  });
});

describe('unfoldHeader', () => {
  test.each([
    ['References', '<a@x.test><b@x.test>\r\n <c@x.test>', '<a@x.test> <b@x.test> <c@x.test>'],
    ['references', '<a@x.test>\n\t<b@x.test>\t<c@x.test>', '<a@x.test> <b@x.test> <c@x.test>'],
    ['In-Reply-To', ' <a@x.test>\r\n', '<a@x.test>'],
    ['List-Unsubscribe', '<https://x.test/u>,\r\n\t<mailto:u@x.test>', '<https://x.test/u>, <mailto:u@x.test>'],
  ])('writes a folded %s on one line', (name, value, unfolded) => {
    expect(unfoldHeader(name, value)).toBe(unfolded);
    expect(findHeaderFault(name, unfolded)).toBeNull();
  });

  test('leaves line breaks that no fold has, which are then refused', () => {
    const value = '<a@x.test>\r\nBcc: e@x.test';
    expect(unfoldHeader('References', value)).toBe(value);
    expect(findHeaderFault('References', value)).toContain('line breaks');
    expect(unfoldHeader('X-Note', 'a\r\n b')).toBe('a\r\n b');
  });

  test('lets many ids without spaces through', () => {
    const ids = Array.from({ length: 100 }, (_, index) => `<${index}@x.test>`);
    const unfolded = unfoldHeader('References', ids.join(''));
    expect([unfolded, findHeaderFault('References', unfolded)]).toEqual([ids.join(' '), null]);
  });
});
