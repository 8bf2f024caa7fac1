import { Anchor, Switch, Text } from '@mantine/core';
import type { Domain, DomainRecord, UpdateDomainRequest } from '@posthorn/contract';
import { useQueryClient } from '@tanstack/react-query';
import { useIsOwner } from '../accounts/session';
import { request, toPath } from '../api/request';
import { ChangeButton } from '../ui/buttons';
import { Fact, Facts } from '../ui/facts';
import { Section } from '../ui/page';
import { useChange } from '../ui/use-change';
import { getRecordId } from './domain-labels';
import { domainsPath, showDomain } from './queries';

const keyStatuses = {
  active: 'Signs your emails now.',
  pending: 'New: starts signing once we find its record in DNS. Until then, the current key keeps signing.',
  retired:
    'Retired: leave its record in DNS as long as the key is listed, because emails it signed may still be in transit.',
} as const;

export function SigningKeys({ domain }: { readonly domain: Domain }) {
  const isOwner = useIsOwner();
  const keys = domain.records.filter(({ record }) => record === 'dkim');
  const isRotating = keys.some(({ key }) => key === 'pending');
  return (
    <Section
      title="Signing key"
      description="Rotate the key regularly to limit the damage if one is stolen. Rotating creates a second key, which takes over once you add its record to DNS. Emails are always signed."
      actions={isOwner && <RotateKey domain={domain} isRotating={isRotating} />}
      gap="md"
    >
      <Facts columns={1}>
        {keys.map((record) => (
          <Fact key={record.name} name={getSelector(record)}>
            {record.key && keyStatuses[record.key]}{' '}
            {record.key === 'pending' && (
              <Anchor inherit underline="always" href={`#${getRecordId(record)}`}>
                Show record
              </Anchor>
            )}
          </Fact>
        ))}
      </Facts>
      {isOwner && isRotating && <Text>You can rotate again once the new key is signing.</Text>}
    </Section>
  );
}

function RotateKey({ domain: { id }, isRotating }: { readonly domain: Domain; readonly isRotating: boolean }) {
  const queryClient = useQueryClient();
  const rotate = useChange({
    change: () => request<Domain>('POST', `${toPath(domainsPath, id)}/rotate-key`),
    question: {
      title: 'Rotate the signing key?',
      text: 'This creates a second key. It takes over once you add its record to DNS; until then, the current key keeps signing. You cannot rotate again before that.',
      action: 'Rotate key',
      dismiss: 'Keep current key',
    },
    onDone: (rotated) => showDomain(queryClient, rotated),
    done: () => 'A new key was created. Add its record to DNS.',
  });
  return <ChangeButton change={rotate} label="Rotate key" disabled={isRotating} />;
}

function getSelector({ name }: DomainRecord): string {
  return name.slice(0, name.indexOf('.'));
}

/** Whether emails from the domain record opens and clicks. Shown only if the server can record them. */
export function TrackingSettings({ domain }: { readonly domain: Domain }) {
  const isOwner = useIsOwner();
  const queryClient = useQueryClient();
  const { run, isPending } = useChange({
    change: (body: UpdateDomainRequest) => request<Domain>('PATCH', toPath(domainsPath, domain.id), body),
    onDone: (changed) => showDomain(queryClient, changed),
    done: () => 'Saved. This applies to emails that you send from now on.',
  });
  return (
    <Section
      title="Opens and clicks"
      description="Applies to emails that you send from now on. In many countries, you need the consent of the recipients."
      gap="md"
    >
      <Switch
        label="Record opens"
        description="An invisible image tells when the email is shown. Some mail clients always load it, others never."
        checked={domain.track_opens}
        disabled={!isOwner || isPending}
        onChange={({ currentTarget }) => run({ track_opens: currentTarget.checked })}
      />
      <Switch
        label="Record clicks"
        description="Links lead through this server, except for those with the attribute data-no-track."
        checked={domain.track_clicks}
        disabled={!isOwner || isPending}
        onChange={({ currentTarget }) => run({ track_clicks: currentTarget.checked })}
      />
    </Section>
  );
}
