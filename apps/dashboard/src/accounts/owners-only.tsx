import { Text } from '@mantine/core';
import { useIsOwner } from './workspaces';

type Props = {
  /** Completes "Only workspace owners can …". */
  readonly action: string;
};

/** Tells members why a page has no buttons. Owners see nothing. */
export function OwnersOnly({ action }: Props) {
  return !useIsOwner() && <Text size="sm">Only workspace owners can {action}. Ask an owner for help.</Text>;
}
