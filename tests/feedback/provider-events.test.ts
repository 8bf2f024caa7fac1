import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FeedbackKind, feedbackKinds } from '@posthorn/contract';
import { openProviderRig, type ProviderRig, type SentEmail } from './provider-rig.js';

const FOLDER = join(import.meta.dirname, '../../packages/feedback/test/samples/providers');

type Sample = { readonly kind: FeedbackKind; readonly name: string; readonly body: string };

const samples: readonly Sample[] = feedbackKinds.flatMap((kind) =>
  readFileSync(join(FOLDER, `${kind}.jsonl`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .map((sample) => ({ kind, name: sample.case, body: JSON.stringify(sample.body) })),
);

/** The states of the recipients and what is suppressed; of one recipient without the address. */
type Right = readonly [states: string, suppressed: string];

const UNCHANGED: Right = ['sent', ''];
const FAILED: Right = ['failed', ''];
const LEFT: Right = ['sent', 'unsubscribe'];
const COMPLAINED: Right = ['complained', 'complaint'];
const DEAD: Right = ['bounced bad_mailbox', 'hard_bounce'];
const bounced = (bounceClass: string): Right => [`bounced ${bounceClass}`, ''];

/** What is not listed changes nothing. */
const rights: Readonly<Record<FeedbackKind, Readonly<Record<string, Right>>>> = {
  ses: {
    'delivery-event': ['delivered', ''],
    'delivery-old': ['delivered', ''],
    'bounce-event': DEAD,
    'bounce-old-one-of-two': ['sent, bounced bad_mailbox', 'jane2@inbox.example hard_bounce'],
    'transient-with-5xx': bounced('bad_domain'),
    'mailbox-full': bounced('mailbox_full'),
    'too-large': bounced('content'),
    'content-rejected': bounced('content'),
    'undetermined-no-detail': bounced('unknown'),
    'suppressed-global': FAILED,
    'suppressed-account': FAILED,
    'complaint-one': COMPLAINED,
    'complaint-three-suspects': ['sent, sent, sent', ''],
    'complaint-account-list': FAILED,
    'reject-virus': ['failed content', ''],
    rendering: ['failed content', ''],
  },
  sendgrid: {
    'a batch of all kinds': [
      'complained, bounced bad_mailbox, bounced reputation, bounced mailbox_full, failed, failed, failed, bounced bad_domain',
      'jane2@inbox.example hard_bounce, jane6@inbox.example unsubscribe, jane@inbox.example complaint, jane@inbox.example unsubscribe',
    ],
    'refused later: Invalid SMTPAPI header': FAILED,
    'held: bounces': FAILED,
    'held: complaints': FAILED,
    'unsubscribe: one group': LEFT,
    'unsubscribe: all': LEFT,
  },
  postmark: {
    HardBounce: DEAD,
    DnsError: bounced('bad_domain'),
    SpamNotification: bounced('content'),
    Unknown: bounced('unknown'),
    SoftBounce: bounced('mailbox_full'),
    VirusNotification: bounced('content'),
    Blocked: bounced('reputation'),
    DMARCPolicy: bounced('authentication'),
    ManuallyDeactivated: FAILED,
    SpamComplaint: COMPLAINED,
    'refused later: sender not ours': FAILED,
    'refused later: inactive recipient': FAILED,
    'unsubscribe: by the person': LEFT,
    delivery: ['delivered', ''],
  },
  mailgun: {
    hard: DEAD,
    'permanent-but-blocked': bounced('reputation'),
    'permanent-quota': bounced('mailbox_full'),
    old: bounced('unknown'),
    'no-mx': bounced('bad_domain'),
    605: FAILED,
    606: ['failed', 'unsubscribe'],
    607: FAILED,
    'unsubscribe: unsubscribed': LEFT,
  },
  brevo: {
    'refused later: account not activated': FAILED,
    'held: other': FAILED,
    'unsubscribe: unsubscribed': LEFT,
    'unsubscribe: other spelling': LEFT,
  },
  mailjet: {
    'held: other': FAILED,
    'unsubscribe: unsub, grouped': LEFT,
    sent: ['delivered', ''],
    'sent, in an array': ['delivered', ''],
    'soft bounce': bounced('mailbox_full'),
    'hard bounce': DEAD,
  },
  sparkpost: {
    'a batch of all kinds': [
      'complained, bounced bad_mailbox, bounced reputation, bounced unknown, sent, bounced bad_mailbox',
      'jane2@inbox.example hard_bounce, jane6@inbox.example hard_bounce, jane@inbox.example complaint, jane@inbox.example unsubscribe',
    ],
    'refused later: size': ['failed content', ''],
    'refused later: sending domain': FAILED,
    'held: other': FAILED,
  },
  resend: {
    'held: bounces': FAILED,
    'two recipients': ['sent, sent', ''],
    transient: bounced('mailbox_full'),
    complained: COMPLAINED,
    'time of the event': ['delivered', ''],
  },
};

function listRecipients(body: string): string[] {
  const found = new Set(body.match(/\bjane\d?@inbox\.example/g) ?? []);
  return ['jane@inbox.example', ...[...found].filter((address) => address !== 'jane@inbox.example').toSorted()];
}

let rig: ProviderRig;
const sent = new Map<Sample, { readonly email: SentEmail; readonly answer: object }>();

/** Posts the events of all samples, each about an email of its own, and waits until they have been processed. */
beforeAll(async () => {
  rig = await openProviderRig();
  for (const sample of samples) {
    const relay = rig.relay(sample.kind);
    const email = await rig.send({ relay, to: listRecipients(sample.body) });
    const own = sample.body
      .replaceAll('k.ey-1_x', email.key)
      .replaceAll('PID', email.providerId)
      .replaceAll('m1@shop.example', `${email.id}@shop.example`);
    const { status, text } = await rig.post(relay, own);
    sent.set(sample, { email, answer: { status, text } });
  }
  await rig.processed();
});

afterAll(() => rig.close());

test.each(samples.map((sample) => [sample.kind, sample.name, sample] as const))(
  'an email does what its event says: %s, %s',
  async (kind, name, sample) => {
    const { email, answer } = sent.get(sample) ?? {};
    if (!email) throw new Error('The event was not posted');
    expect(answer).toEqual({ status: 200, text: 'OK\n' });
    const { recipients, suppressed, email: read } = await rig.read(email);
    const [states, reasons] = rights[kind][name] ?? UNCHANGED;
    expect(Object.values(recipients).join(', ')).toBe(
      states.includes(',') ? states : email.to.map(() => states).join(', '),
    );
    const named = reasons.includes('@') || reasons === '' ? reasons : `jane@inbox.example ${reasons}`;
    expect(suppressed.join(', ')).toBe(named);
    expect(read.events.filter(({ type }) => type === 'bounced')).toHaveLength(states.split('bounced').length - 1);
  },
);

test('every expected case is a sample', () => {
  for (const kind of feedbackKinds)
    for (const name of Object.keys(rights[kind]))
      expect(samples.some((sample) => sample.kind === kind && sample.name === name)).toBe(true);
});
