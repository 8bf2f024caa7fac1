import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { CreatedApiKey } from '@posthorn/contract';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useBlocker } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useSession } from '../accounts/session';
import { CodeSamples } from '../ui/code-samples';
import { Copyable } from '../ui/copyable';
import { exampleRequest, readableBy } from './example-request';

/** `on`: closing now would lose a key that was not copied. `asking`: the user tried to close and must confirm. */
export type CloseGuard = 'off' | 'on' | 'asking';

type Props = {
  readonly created: CreatedApiKey;
  readonly guard: CloseGuard;
  readonly onGuardChange: (guard: CloseGuard) => void;
  readonly onClose: () => void;
};

/** Shows the new key, which cannot be shown again, and code to try it. The key is not stored. */
export function CreatedKey({ created: { key, scopes }, guard, onGuardChange, onClose }: Props) {
  const { user } = useSession();
  const onCopied = useCallback(() => onGuardChange('off'), [onGuardChange]);
  const canClose = guard === 'off';
  useBlocker({
    disabled: canClose,
    enableBeforeUnload: !canClose,
    shouldBlockFn: () => {
      onGuardChange('asking');
      return true;
    },
  });
  return (
    <Stack onCopy={onCopied}>
      {canClose ? (
        <Alert role="status" color="green" title="Copied" icon={<IconCircleCheck aria-hidden />}>
          <Text size="sm">Store the key in a safe place. You cannot see it again after you close this dialog.</Text>
        </Alert>
      ) : (
        <Alert color="yellow" title="Copy the key now" icon={<IconAlertTriangle aria-hidden />}>
          <Text size="sm">
            The key is shown only once, because we store only a hash of it. Anyone who has it can do what its scopes
            allow.
          </Text>
        </Alert>
      )}
      <div>
        <Text size="sm" fw={600} mb={4}>
          Key
        </Text>
        <Copyable block value={key} what="the key" onCopy={onCopied} />
      </div>
      <div>
        <Text size="sm" fw={600} mb={4}>
          {scopes.includes('emails:send')
            ? `Try it: send an email to ${user.email}`
            : `Try it: list ${readableBy(scopes)}`}
        </Text>
        <CodeSamples
          request={exampleRequest({ credential: { key }, scopes, recipient: user.email })}
          onCopy={onCopied}
        />
      </div>
      {guard === 'asking' ? (
        <>
          <Alert role="alert" color="red" title="Close without copying?">
            <Text size="sm">
              You have not copied the key, and it cannot be shown again. You would have to revoke it and create another
              one.
            </Text>
          </Alert>
          <Group justify="flex-end" gap="xs">
            <Button variant="default" autoFocus onClick={() => onGuardChange('on')}>
              Go back
            </Button>
            <Button color="red" onClick={onClose}>
              Close without copying
            </Button>
          </Group>
        </>
      ) : (
        <Group justify="flex-end">
          <Button onClick={() => (canClose ? onClose() : onGuardChange('asking'))}>Done</Button>
        </Group>
      )}
    </Stack>
  );
}
