import { Anchor, Button, Stack, Switch, Text } from '@mantine/core';
import type { Domain, DomainRecord, UpdateDomainRequest } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useIsOwner } from '../accounts/session';
import { request } from '../api/request';
import { Fact, Facts } from '../ui/facts';
import { confirm, notifyDone, notifyProblem } from '../ui/notify';
import { Section } from '../ui/page';
import { recordId } from './describe-record';
import { domainPath, domainQuery } from './queries';

const keyStatuses = {
  active: 'Signs your emails now.',
  pending: 'New: starts signing once we find its record in DNS. Until then, the current key keeps signing.',
  retired:
    'Retired: leave its record in DNS as long as the key is listed, because emails it signed may still be in transit.',
} as const;

const rotationQuestion = {
  title: 'Rotate the signing key?',
  text: 'This creates a second key. It takes over once you add its record to DNS; until then, the current key keeps signing. You cannot rotate again before that.',
  action: 'Rotate key',
  dismiss: 'Keep current key',
};

/** The domain's DKIM keys and their rotation. */
export function SigningKeys({ domain }: { readonly domain: Domain }) {
  const isOwner = useIsOwner();
  const keys = domain.records.filter(({ record }) => record === 'dkim');
  const isRotating = keys.some(({ key }) => key === 'pending');
  return (
    <Section
      title="Signing key"
      description="Rotate the key regularly to limit the damage if one is stolen. Rotating creates a second key, which takes over once you add its record to DNS. Emails are always signed."
      actions={isOwner && <RotateKey domain={domain} isRotating={isRotating} />}
    >
      <Stack>
        <Facts columns={1}>
          {keys.map((record) => (
            <Fact key={record.name} name={getSelector(record)}>
              {record.key && keyStatuses[record.key]}{' '}
              {record.key === 'pending' && (
                <Anchor inherit underline="always" href={`#${recordId(record)}`}>
                  Show record
                </Anchor>
              )}
            </Fact>
          ))}
        </Facts>
        {isOwner && isRotating && <Text size="sm">You can rotate again once the new key is signing.</Text>}
      </Stack>
    </Section>
  );
}

function RotateKey({ domain: { id }, isRotating }: { readonly domain: Domain; readonly isRotating: boolean }) {
  const queryClient = useQueryClient();
  const rotate = useMutation({
    mutationFn: () => request<Domain>('POST', `${domainPath(id)}/rotate-key`),
    onSuccess: async (rotated) => {
      const { queryKey } = domainQuery(id);
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, rotated);
      notifyDone('A new key was created. Add its record to DNS.');
    },
    onError: notifyProblem,
  });
  const confirmRotation = async () => {
    if (await confirm(rotationQuestion)) rotate.mutate();
  };
  return (
    <Button variant="default" disabled={isRotating} loading={rotate.isPending} onClick={confirmRotation}>
      Rotate key
    </Button>
  );
}

function getSelector({ name }: DomainRecord): string {
  return name.slice(0, name.indexOf('.'));
}

/** Whether emails from the domain record opens and clicks. Shown only if the server can record them. */
export function TrackingSettings({ domain }: { readonly domain: Domain }) {
  const isOwner = useIsOwner();
  const change = useChange(domain);
  return (
    <Section
      title="Opens and clicks"
      description="Applies to emails that you send from now on. In many countries, you need the consent of the recipients."
    >
      <Stack>
        <Switch
          label="Record opens"
          description="An invisible image tells when the email is shown. Some mail clients always load it, others never."
          checked={domain.track_opens}
          disabled={!isOwner || change.isPending}
          onChange={({ currentTarget }) => change.mutate({ track_opens: currentTarget.checked })}
        />
        <Switch
          label="Record clicks"
          description="Links lead through this server, except for those with the attribute data-no-track."
          checked={domain.track_clicks}
          disabled={!isOwner || change.isPending}
          onChange={({ currentTarget }) => change.mutate({ track_clicks: currentTarget.checked })}
        />
      </Stack>
    </Section>
  );
}

function useChange({ id }: Domain) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateDomainRequest) => request<Domain>('PATCH', domainPath(id), body),
    onSuccess: async (changed) => {
      const { queryKey } = domainQuery(id);
      // A refetch that started before the change would bring back the old setting.
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData(queryKey, changed);
      notifyDone('Saved. This applies to emails that you send from now on.');
    },
    onError: notifyProblem,
  });
}
