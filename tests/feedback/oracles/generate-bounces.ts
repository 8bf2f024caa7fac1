import type { BounceClass } from '@posthorn/contract';
import { dsnFormats } from './dsn-formats.js';
import type { Failure, Format, Shape } from './format.js';
import { textFormats } from './text-formats.js';

/** A bounce, and what is right about it. */
export type GeneratedBounce = {
  /** Says how it was made, such as `exim, spam, 2 recipients, base64`. */
  readonly name: string;
  readonly raw: Buffer;
  readonly action: 'failed' | 'delayed';
  /** The class of each recipient; null while the server is still trying. */
  readonly recipients: ReadonlyMap<string, BounceClass | null>;
};

/** How the parts are written: as text with CRLF or LF, or in one of the two encodings of MIME. */
const ENCODINGS = ['7bit', 'lf', 'quoted-printable', 'base64'] as const;

type Encoding = (typeof ENCODINGS)[number];

const RECIPIENTS = ['kim@example.net', 'Lee.Doe+news@example.net', 'o-hara_9@example.net', 'max@example.net'] as const;

const COUNTS = [1, 2, 4] as const;

/** Each format with each reply, one or more recipients and each encoding. The same ones every time. */
export function* generateBounces(): Generator<GeneratedBounce> {
  for (const format of [...dsnFormats, ...textFormats])
    for (const first of format.replies.keys())
      for (const count of format.isSingle ? ([1] as const) : COUNTS)
        for (const encoding of ENCODINGS) yield generate(format, { first, count, encoding });
}

type Choice = { readonly first: number; readonly count: number; readonly encoding: Encoding };

/** The first recipient gets the reply at the index `first`, and each other one the next in the list. */
function generate({ name, action, replies, write }: Format, { first, count, encoding }: Choice): GeneratedBounce {
  const failures = RECIPIENTS.slice(0, count).map(
    (address, index): Failure => ({ address, reply: replies[(first + index) % replies.length] ?? replies[0] }),
  );
  const classes = failures.map(({ address, reply }) => [address, action === 'delayed' ? null : reply.class] as const);
  const recipients = `${count} recipient${count === 1 ? '' : 's'}`;
  return {
    name: [name, replies[first]?.name, recipients, encoding].join(', '),
    raw: encodeShape(write(failures), encoding),
    action,
    recipients: new Map(classes),
  };
}

const RETURNED = [
  'Return-Path: <b+token@bounces.example.com>',
  'From: Example Shop <shop@example.com>',
  'To: list@example.net',
  'Subject: Hello',
  'Message-ID: <0198c5d2-7e3a-7b41-9c06-1c2d3e4f5a6b@example.com>',
  'Date: Thu, 19 Nov 2026 08:14:00 +0000',
].join('\n');

function encodeShape({ from, subject, headers = [], human, status }: Shape, encoding: Encoding): Buffer {
  const head = [
    'Return-Path: <>',
    'Received: from mx.example.org (mx.example.org [198.51.100.8]) by mx1.bounces.example.com; Thu, 19 Nov 2026 08:15:09 +0000',
    'Date: Thu, 19 Nov 2026 08:15:08 +0000',
    `From: ${from}`,
    'To: b+token@bounces.example.com',
    `Subject: ${subject}`,
    'Message-ID: <20261119081508.1234@mx.example.org>',
    ...headers,
    'MIME-Version: 1.0',
  ];
  const text =
    status === null
      ? [...head, part('text/plain; charset=utf-8', human, encoding)]
      : [...head, report(human, status, encoding)];
  const joined = `${text.join('\n')}\n`;
  return Buffer.from(encoding === 'lf' ? joined : joined.replaceAll('\n', '\r\n'));
}

function report(human: string, status: string, encoding: Encoding): string {
  const parts = [
    part('text/plain; charset=utf-8', human, encoding),
    part('message/delivery-status', `${status}\n`, encoding),
    part('text/rfc822-headers', RETURNED, '7bit'),
  ];
  return [
    'Content-Type: multipart/report; report-type=delivery-status; boundary="=_b"',
    '',
    ...parts.map((each) => `--=_b\n${each}\n`),
    '--=_b--',
  ].join('\n');
}

function part(type: string, body: string, encoding: Encoding): string {
  const name = encoding === 'lf' ? '7bit' : encoding;
  return [`Content-Type: ${type}`, `Content-Transfer-Encoding: ${name}`, '', encodeBody(`${body}\n`, encoding)].join(
    '\n',
  );
}

function encodeBody(body: string, encoding: Encoding): string {
  if (encoding === 'base64')
    return (
      Buffer.from(body.replaceAll('\n', '\r\n'))
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).join('\n');
  if (encoding !== 'quoted-printable') return body;
  const escaped = body.replaceAll('=', '=3D').split('\n');
  return escaped.map((line) => line.match(/.{1,70}/g)?.join('=\n') ?? '').join('\n');
}
