import { Anchor, Button, Stack, Text } from '@mantine/core';
import type { Domain, DomainRecord } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useIsOwner } from '../accounts/workspaces';
import { request } from '../api/request';
import { Fact, Facts } from '../ui/facts';
import { notifyDone, notifyProblem } from '../ui/notify';
import { Section } from '../ui/section';
import { recordId } from './describe-record';
import { domainPath, domainQuery } from './queries';

const keyStatuses = {
  active: 'Signs your mail now.',
  pending: 'New: signs as soon as its record is seen in DNS. Until then the other goes on.',
  retired: 'Retired: leave its record in DNS while it is listed, for mail it signed may still be on the way.',
} as const;

/** Which DKIM key signs, which waits, and how to get another. */
export function SigningKeys({ domain }: { readonly domain: Domain }) {
  const isOwner = useIsOwner();
  const keys = domain.records.filter(({ record }) => record === 'dkim');
  const isRotating = keys.some(({ key }) => key === 'pending');
  return (
    <Section
      title="Signing key"
      description="A new key every now and then limits what a stolen one is worth. Rotating makes a second key, which takes over once you have added its record to DNS; no mail goes unsigned."
      actions={isOwner && <RotateKey domain={domain} isRotating={isRotating} />}
    >
      <Stack>
        <Facts columns={1}>
          {keys.map((record) => (
            <Fact key={record.name} name={selectorOf(record)}>
              {record.key && keyStatuses[record.key]}{' '}
              {record.key === 'pending' && (
                <Anchor inherit underline="always" href={`#${recordId(record)}`}>
                  Show the record
                </Anchor>
              )}
            </Fact>
          ))}
        </Facts>
        {isOwner && isRotating && <Text size="sm">There can be another key when this one signs.</Text>}
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
      notifyDone('There is a new key: add its record to DNS.');
    },
    onError: notifyProblem,
  });
  return (
    <Button variant="default" disabled={isRotating} loading={rotate.isPending} onClick={() => rotate.mutate()}>
      Rotate the key
    </Button>
  );
}

function selectorOf({ name }: DomainRecord): string {
  return name.slice(0, name.indexOf('.'));
}
