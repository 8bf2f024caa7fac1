import { Text } from '@mantine/core';
import { useIsOwner } from './own-workspaces';

/** To a member, why the buttons are not there; nothing to an owner. @param may the end of "Only owners of this workspace ..." */
export function OwnersAlone({ may }: { readonly may: string }) {
  return !useIsOwner() && <Text size="sm">Only owners of this workspace may {may}. Ask one of them.</Text>;
}
