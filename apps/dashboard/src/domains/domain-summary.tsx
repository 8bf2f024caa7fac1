import { Alert, type MantineColor, Text } from '@mantine/core';
import type { Domain, DomainRecord } from '@posthorn/contract';
import { type Icon, IconAlertTriangle, IconCircleCheck, IconHourglass } from '../ui/icons';
import { describeRecord } from './describe-record';

type Summary = {
  readonly color: MantineColor;
  readonly icon: Icon;
  readonly title: string;
  readonly text: string;
};

/** The domain's status, its missing records and what happens next. */
export function DomainSummary({ domain }: { readonly domain: Domain }) {
  const required = domain.records.filter((record) => record.required);
  const isComplete = required.every(({ status }) => status === 'verified');
  const { color, icon: Icon, title, text } = summarize(domain, isComplete);
  return (
    <Alert role="status" color={color} variant="light" title={title} icon={<Icon />}>
      <Text size="sm">
        {!isComplete && <>{countRecords(required)} </>}
        {text}
      </Text>
    </Alert>
  );
}

function summarize({ name, status }: Domain, isComplete: boolean): Summary {
  if (status === 'withdrawn') {
    return {
      color: 'red',
      icon: IconAlertTriangle,
      title: 'Withdrawn: you cannot send from this domain',
      text: 'The domain was verified, but required records were missing or wrong in two checks at least a day apart. Emails that are still waiting will fail for this reason. Restore the records. We keep checking, and will verify the domain again when we find them.',
    };
  }
  if (status === 'pending') {
    return {
      color: 'yellow',
      icon: IconHourglass,
      title: 'Waiting for DNS records',
      text: 'Add the records below at your DNS provider. We check every few minutes at first. Select Verify now to check immediately.',
    };
  }
  if (!isComplete) {
    return {
      color: 'orange',
      icon: IconAlertTriangle,
      title: 'Verified, but the last check did not find all records',
      text: 'You can still send. If a check has found the records before, restore them soon: when another check fails at least a day later, the domain is withdrawn.',
    };
  }
  return {
    color: 'green',
    icon: IconCircleCheck,
    title: 'Ready to send',
    text: `Emails from any address at ${name} are signed with this domain's key. Leave the records in place. We check them daily.`,
  };
}

const statusGroups: ReadonlyArray<readonly [DomainRecord['status'], string]> = [
  ['missing', 'missing'],
  ['wrong', 'wrong'],
  ['pending', 'not checked yet'],
];

/** `2 of 4 required records are in place; missing: DKIM, SPF.` */
function countRecords(required: readonly DomainRecord[]): string {
  const titlesOf = (status: DomainRecord['status']) =>
    required.filter((record) => record.status === status).map((record) => describeRecord(record).title);
  const notInPlace = statusGroups.flatMap(([status, label]) => {
    const titles = titlesOf(status);
    return titles.length > 0 ? [`${label}: ${titles.join(', ')}`] : [];
  });
  const inPlace = titlesOf('verified').length;
  return `${[`${inPlace} of ${required.length} required records are in place`, ...notInPlace].join('; ')}.`;
}
