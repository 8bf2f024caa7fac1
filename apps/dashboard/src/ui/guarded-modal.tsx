import { Modal } from '@mantine/core';
import { type ReactNode, useState } from 'react';

/** `on`: closing now would lose something that was not copied. `asking`: the user tried to close and must confirm. */
export type CloseGuard = 'off' | 'on' | 'asking';

export type GuardProps = {
  readonly guard: CloseGuard;
  readonly onGuardChange: (guard: CloseGuard) => void;
  readonly onClose: () => void;
};

type Props = {
  readonly opened: boolean;
  readonly title: string;
  readonly onClose: () => void;
  readonly children: (guard: GuardProps) => ReactNode;
};

/** A dialog whose content can make the user confirm that it closes. */
export function GuardedModal({ opened, title, onClose, children }: Props) {
  const [guard, setGuard] = useState<CloseGuard>('off');
  const close = () => {
    setGuard('off');
    onClose();
  };
  return (
    <Modal opened={opened} onClose={() => (guard === 'off' ? close() : setGuard('asking'))} title={title} size="lg">
      {children({ guard, onGuardChange: setGuard, onClose: close })}
    </Modal>
  );
}
