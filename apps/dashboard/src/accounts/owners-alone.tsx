import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { workspacesQuery } from './session';

/** To a member, why the buttons are not there; nothing to an owner. @param may the end of "Only owners of this workspace ..." */
export function OwnersAlone({ may }: { readonly may: string }) {
  const { data } = useQuery(workspacesQuery);
  const isMember = data?.data.some(({ current, role }) => current && role === 'member') ?? false;
  return isMember && <Text size="sm">Only owners of this workspace may {may}. Ask one of them.</Text>;
}
