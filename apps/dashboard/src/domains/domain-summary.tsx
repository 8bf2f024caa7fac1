import { Alert, type MantineColor, Text } from '@mantine/core';
import type { Domain, DomainRecord } from '@posthorn/contract';
import { IconAlertTriangle, IconCircleCheck, IconHourglass, type TablerIcon } from '@tabler/icons-react';
import { describeRecord } from './describe-record';

type Summary = {
  readonly color: MantineColor;
  readonly icon: TablerIcon;
  readonly title: string;
  readonly text: string;
};

/** The first thing to read: where the domain stands, what it lacks, and what happens next. */
export function DomainSummary({ domain }: { readonly domain: Domain }) {
  const required = domain.records.filter((record) => record.required);
  const isComplete = required.every(({ status }) => status === 'verified');
  const { color, icon: Icon, title, text } = summarize(domain, isComplete);
  return (
    <Alert role="status" color={color} variant="light" title={title} icon={<Icon aria-hidden />}>
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
      title: 'Withdrawn: nobody can send from this domain',
      text: 'It was verified, but records it needs were missing or wrong in two checks at least a day apart. Mail that waits fails and says so. Put the records back: checks go on, and the domain is verified again once they are seen.',
    };
  }
  if (status === 'pending') {
    return {
      color: 'yellow',
      icon: IconHourglass,
      title: 'Waits for its DNS records',
      text: 'Add the records below where the DNS of the domain is managed. We look for them every few minutes at first; verify to look at once.',
    };
  }
  if (!isComplete) {
    return {
      color: 'orange',
      icon: IconAlertTriangle,
      title: 'Verified, but the last check did not find everything',
      text: 'You can still send. If a check at least a day later fails too, the domain is withdrawn: put the records back.',
    };
  }
  return {
    color: 'green',
    icon: IconCircleCheck,
    title: 'Ready to send',
    text: `Mail from any address at ${name} is signed in its name. Leave the records where they are: they are checked daily.`,
  };
}

const statusGroups: ReadonlyArray<readonly [DomainRecord['status'], string]> = [
  ['missing', 'missing'],
  ['wrong', 'wrong'],
  ['pending', 'not looked for yet'],
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
