import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react';
import { Copyable } from './copyable';
import { IconAlertTriangle, IconCircleCheck } from './icons';

type ShownOnceProps = GuardProps & {
  readonly value: string;
  /** `key` or `secret`. */
  readonly what: string;
  /** Why it is shown only once, and what it allows. */
  readonly warning: string;
  /** What the user has to do if it is lost. */
  readonly ifLost: string;
  /** What can be done with it. It calls `onCopied` when the user has copied something that contains the value. */
  readonly children: (onCopied: () => void) => ReactNode;
};

/** Shows something in a dialog that cannot be shown again, and makes sure that the user copies it. */
export function ShownOnce({ value, what, warning, ifLost, guard, onGuardChange, onClose, children }: ShownOnceProps) {
  const onCopied = useCallback(() => onGuardChange('off'), [onGuardChange]);
  const canClose = guard === 'off';
  const top = useRef<HTMLDivElement>(null);
  // A long form before may have been scrolled down.
  useEffect(() => top.current?.focus(), []);
  useBlocker({
    disabled: canClose,
    enableBeforeUnload: !canClose,
    shouldBlockFn: () => {
      onGuardChange('asking');
      return true;
    },
  });
  return (
    <Stack>
      <div ref={top} tabIndex={-1}>
        {canClose ? (
          <Alert role="status" color="green" title="Copied" icon={<IconCircleCheck />}>
            Store the {what} in a safe place. You cannot see it again after you close this dialog.
          </Alert>
        ) : (
          <Alert color="yellow" title={`Copy the ${what} now`} icon={<IconAlertTriangle />}>
            {warning}
          </Alert>
        )}
      </div>
      <div onCopy={onCopied}>
        <Text fw={600} mb={4} tt="capitalize">
          {what}
        </Text>
        <Copyable block value={value} what={`the ${what}`} onCopy={onCopied} />
      </div>
      {children(onCopied)}
      {guard === 'asking' ? (
        <>
          <Alert role="alert" color="red" title="Close without copying?">
            You have not copied the {what}, and it cannot be shown again. {ifLost}
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

/** `on`: closing now would lose something that was not copied. `asking`: the user tried to close and must confirm. */
type CloseGuard = 'off' | 'on' | 'asking';

export type GuardProps = {
  readonly guard: CloseGuard;
  readonly onGuardChange: (guard: CloseGuard) => void;
  readonly onClose: () => void;
};

type ShownOnceDialogProps<Made> = {
  readonly opened: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly form: (props: { readonly onCancel: () => void; readonly onMade: (made: Made) => void }) => ReactNode;
  readonly children: (made: Made, guard: GuardProps) => ReactNode;
};

/** A dialog that makes a secret and shows it once. If the user has not copied it, they must confirm that it closes. */
export function ShownOnceDialog<Made>({ opened, title, onClose, ...steps }: ShownOnceDialogProps<Made>) {
  const [guard, setGuard] = useState<CloseGuard>('off');
  const close = () => {
    setGuard('off');
    onClose();
  };
  return (
    <Modal opened={opened} onClose={() => (guard === 'off' ? close() : setGuard('asking'))} title={title} size="lg">
      <Steps {...steps} guard={guard} onGuardChange={setGuard} onClose={close} />
    </Modal>
  );
}

type StepsProps<Made> = GuardProps & Pick<ShownOnceDialogProps<Made>, 'form' | 'children'>;

/** What was made exists only in this state, so that it is gone once the dialog closes. */
function Steps<Made>({ form, children, ...guard }: StepsProps<Made>) {
  const [made, setMade] = useState<Made | null>(null);
  if (made !== null) return children(made, guard);
  const onMade = (secret: Made) => {
    guard.onGuardChange('on');
    setMade(secret);
  };
  return form({ onCancel: guard.onClose, onMade });
}
