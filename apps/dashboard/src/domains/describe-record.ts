import type { DomainRecord } from '@posthorn/contract';

type RecordDescription = { readonly title: string; readonly purpose: string };

const descriptions: Readonly<Record<DomainRecord['record'], RecordDescription>> = {
  ownership: {
    title: 'Ownership',
    purpose: 'Proves that the domain belongs to this workspace and no other.',
  },
  dkim: {
    title: 'DKIM',
    purpose: 'The public half of the key that signs your mail: receivers check the signature with it.',
  },
  spf: {
    title: 'SPF',
    purpose: 'Lets our servers send with a return path in your domain. The SPF record you have stays as it is.',
  },
  return_path_mx: {
    title: 'Return path (MX)',
    purpose: 'Brings bounces to us. The mail you receive goes where it went before.',
  },
  dmarc: {
    title: 'DMARC',
    purpose: 'Tells receivers what to do with mail that proves nothing. Large receivers want one.',
  },
};

export function describeRecord({ record }: DomainRecord): RecordDescription {
  return descriptions[record];
}

const keyRequirements = {
  pending: 'New key: signs as soon as this is seen',
  active: 'Required',
  retired: 'Retired key: leave it where it is',
} as const;

/** How much it matters that the record is there. */
export function requirementOf({ key, required }: DomainRecord): string {
  if (key !== undefined) return keyRequirements[key];
  return required ? 'Required' : 'Recommended';
}

/** Unlike its name, also where TXT and MX share one. */
export function recordId({ type, name }: DomainRecord): string {
  return `${type}-${name}`;
}
