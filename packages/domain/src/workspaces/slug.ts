import { randomInt } from 'node:crypto';
import { findMixedScriptWord } from '@posthorn/domain/format';

const MAX_SLUG_CHARACTERS = 40;
const SUFFIX_DIGITS = 6;
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/**
 * A workspace's slug, the local part of its platform sender: `Café Zoë & Co.` -> `cafe-zoe-co`. If the slug would be
 * empty or misleading, it is `workspace` with a suffix instead. Two names can have the same slug; see `withSuffix`.
 */
export function toSlug(name: string): string {
  // What is left of a word without its Cyrillic letters could be another word.
  if (findMixedScriptWord(name) !== null) return withSuffix('workspace');
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-');
  const slug = trimHyphens(trimHyphens(words).slice(0, MAX_SLUG_CHARACTERS));
  return slug === '' || isReservedSlug(slug) ? withSuffix('workspace') : slug;
}

/** Adds a random suffix to a slug that is already taken. */
export function withSuffix(slug: string): string {
  const suffix = Array.from({ length: SUFFIX_DIGITS }, () => DIGITS.charAt(randomInt(DIGITS.length))).join('');
  return `${trimHyphens(slug.slice(0, MAX_SLUG_CHARACTERS - SUFFIX_DIGITS - 1))}-${suffix}`;
}

function trimHyphens(text: string): string {
  return text.replaceAll(/^-+|-+$/g, '');
}

/**
 * Local parts at the platform domain that no workspace gets, in lower case and without hyphens. Mail from such an
 * address would seem to come from the operator. Mail to it is meant for a role that servers, certificate authorities or
 * people trust.
 */
const reserved: ReadonlyArray<{ readonly source: string; readonly names: string }> = [
  {
    source: 'RFC 2142, 3 to 5, and "trouble" from its section 1',
    names:
      'info marketing sales support abuse noc security trouble postmaster hostmaster usenet news webmaster www uucp ftp',
  },
  {
    source: 'CA/Browser Forum Baseline Requirements, 3.2.2.4.4: addresses that prove control of a domain',
    names: 'admin administrator webmaster hostmaster postmaster',
  },
  {
    source: 'CERT/CC VU#591120: other addresses that certificate authorities have accepted',
    names: 'root sysadmin info is it mis ssladmin ssladministrator sslwebmaster',
  },
  {
    source: 'RFC 5321, 4.5.1 (postmaster), and the names that mail systems send from',
    names:
      'postmaster mailerdaemon maildeliverysubsystem maildeliverysystem bounce bounces returnpath noreply donotreply nobody daemon',
  },
  {
    source: 'DMARC (RFC 7489), TLSRPT (RFC 8460) and ARF (RFC 5965): addresses that receive reports',
    names: 'dmarc dmarcreports tlsrpt tlsreports fbl arf feedback complaints',
  },
  {
    source: 'RFC 6186, RFC 8461 and common host names: services of a mail domain',
    names: 'mail webmail email smtp imap pop mx autoconfig autodiscover mtasts dkim spf',
  },
  {
    source: 'packages/domain/src/domains/return-path.ts: return paths begin with it',
    names: 'b',
  },
  {
    source: 'the service and the people who run it',
    names:
      'posthorn account accounts accountteam billing payment payments invoice invoices login signin password passwords passwordreset reset verify verification confirm confirmation notification notifications notice notices alert alerts update updates service services system systems team staff crew member members help helpdesk servicedesk contact contacts inquiry enquiries legal privacy compliance gdpr dpo unsubscribe status sysop superuser moderator moderators moderation operator operators op ops devops sre mailer robot bot automated official trust safety trustandsafety fraud risk incident incidents emergency soc csirt cert psirt infosec cybersecurity itsupport techsupport customersupport customerservice customercare customersuccess customerhelp',
  },
  {
    source: 'FBI IC3, business email compromise: executives and departments that criminals pose as',
    names:
      'ceo cfo cto coo cio ciso cmo cpo cro cso chro cdo cao president chairman chairwoman chair board director directors executive executives exec vp svp evp md management manager managers boss owner owners founder founders cofounder partner partners secretary assistant reception hr humanresources people personnel recruiting recruitment recruiter talent hiring jobs careers career payroll salary salaries wages compensation benefits pension finance finances financial accounting accountant accountants accountspayable accountsreceivable ap ar bookkeeping controller comptroller treasury treasurer cashier bank banking wire transfers refund refunds tax taxes audit auditor audits procurement purchasing purchase orders order vendor vendors supplier suppliers lawyer lawyers attorney counsel generalcounsel law press media pr publicrelations investor investors investorrelations ir',
  },
  {
    source: 'the same in German, French, Spanish, Italian, Portuguese and Dutch',
    names:
      'vorstand geschaftsfuhrer geschaeftsfuehrer geschaftsfuhrung geschaeftsfuehrung geschaftsleitung buchhaltung lohnburo lohnbuero lohnbuchhaltung personalabteilung rechnung rechnungen sekretariat inhaber pdg dg direction directeur directrice comptabilite comptable paie facturation factures secretariat gerant nomina nominas gerente gerencia director directora contabilidad facturacion facturas tesoreria presidente amministrazione amministratore direttore contabilita fatture fatturazione paghe presidenza diretor diretoria faturamento financeiro tesouraria directie directeur boekhouding salarisadministratie facturen',
  },
];

const names = new Set(reserved.flatMap(({ names }) => names.split(' ')));

/** Words that change nothing about whom a name stands for: `the-ceo`, `hr-department`, `support-online`. */
const fillers = new Set(
  'the a an our dr mr mrs ms prof sir managing general generale your my and of for from at to by dept department office desk group division unit center centre hq headquarters head chief deputy senior real true original new online web digital global international internal external corporate company central main us eu uk usa'.split(
    ' ',
  ),
);

/** Pairs of letters that look like one. */
const PAIRS: ReadonlyArray<readonly [pair: string, letter: string]> = [
  ['rn', 'm'],
  ['vv', 'w'],
];

/** Digits that look like letters. A 1 can be an i or an l. */
const LOOK_ALIKES: ReadonlyArray<Readonly<Record<string, string>>> = [
  { 0: 'o', 1: 'i', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b' },
  { 0: 'o', 1: 'l', 3: 'e', 4: 'a', 5: 's', 7: 't', 8: 'b' },
];

/**
 * Also true for a reserved name with hyphens or digits in it (`post-master`, `ceo1`), with digits for letters
 * (`supp0rt`) or pairs of letters for one (`adrnin`), and for a slug made of reserved names (`billing-support`), even
 * with filler words (`the-ceo`).
 */
function isReservedSlug(slug: string): boolean {
  const withoutDigits = slug.replaceAll(/\d/g, '');
  const readings = LOOK_ALIKES.map((letters) => slug.replaceAll(/\d/g, (digit) => letters[digit] ?? ''));
  const texts = [slug, withoutDigits, ...readings];
  const joined = texts.map((text) => PAIRS.reduce((left, [pair, letter]) => left.replaceAll(pair, letter), text));
  return [...texts, ...joined].some(isReservedText);
}

function isReservedText(text: string): boolean {
  const words = text.split('-').filter((word) => word !== '' && !fillers.has(word));
  return words.length > 0 && (names.has(words.join('')) || words.every((word) => names.has(word)));
}
