import { Alert, List, Text } from '@mantine/core';
import type { Domain } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { request, toPath } from '../api/request';
import { ProblemAlert } from '../ui/loaded';
import { describeRecord, getRecordId, recordStatuses } from './domain-labels';
import { domainQuery, domainsPath, domainsQuery, showDomain } from './queries';

type VerifyChange = { readonly before: Domain; readonly after: Domain };

/** Checks DNS now and returns the domain before and after the check, to show what changed. */
export function useVerify(domain: Domain) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (): Promise<VerifyChange> => ({
      before: domain,
      after: await request<Domain>('POST', `${toPath(domainsPath, domain.id)}/verify`),
    }),
    onSuccess: async ({ after }) => {
      await showDomain(queryClient, after);
      void queryClient.invalidateQueries(domainsQuery);
    },
    onError: () => queryClient.invalidateQueries(domainQuery(domain.id)),
  });
}

type Verify = ReturnType<typeof useVerify>;

export function VerifyResult({ verify, records }: { readonly verify: Verify; readonly records: number }) {
  return (
    <div role="status" hidden={verify.isIdle}>
      {verify.isPending && <Text>Looking up {records} records in DNS. This takes a few seconds at most.</Text>}
      {verify.isError && <ProblemAlert error={verify.error} />}
      {verify.isSuccess && <ChangeList change={verify.data} onClose={verify.reset} />}
    </div>
  );
}

function ChangeList({ change, onClose }: { readonly change: VerifyChange; readonly onClose: () => void }) {
  const changes = listChanges(change);
  return (
    <Alert
      variant="default"
      title={describeCheck(change, changes.length)}
      withCloseButton
      closeButtonLabel="Close"
      onClose={onClose}
    >
      {changes.length > 0 ? (
        <List size="sm">
          {changes.map(({ id, text }) => (
            <List.Item key={id}>{text}</List.Item>
          ))}
        </List>
      ) : (
        <Text>
          A new record can take a few minutes to become visible everywhere, and up to an hour at some providers.
        </Text>
      )}
    </Alert>
  );
}

function describeCheck({ before, after }: VerifyChange, changes: number): string {
  if (after.status === 'verified' && before.status !== 'verified') return 'Check complete: the domain is verified';
  return changes > 0 ? 'Check complete: these records changed' : 'Check complete: nothing changed';
}

function listChanges({ before, after }: VerifyChange): Array<{ id: string; text: string }> {
  const recordsBefore = new Map(before.records.map((record) => [getRecordId(record), record]));
  return after.records.flatMap((record) => {
    const id = getRecordId(record);
    const previous = recordsBefore.get(id);
    if (previous?.status === record.status) return [];
    const isNewKey = previous?.key === 'pending' && record.key === 'active';
    const label = recordStatuses[record.status].label.toLowerCase();
    return [{ id, text: `${describeRecord(record).title}: ${label}${isNewKey ? '; the new key is now signing' : ''}` }];
  });
}
