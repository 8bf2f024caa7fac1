import { Modal } from '@mantine/core';
import type { CreatedApiKey } from '@posthorn/contract';
import { useState } from 'react';
import { CreateKeyForm } from './create-key-form';
import { type CloseGuard, CreatedKey } from './created-key';

type Props = { readonly opened: boolean; readonly onClose: () => void };

export function CreateKeyDialog({ opened, onClose }: Props) {
  const [guard, setGuard] = useState<CloseGuard>('off');
  const close = () => {
    setGuard('off');
    onClose();
  };
  return (
    <Modal
      opened={opened}
      onClose={() => (guard === 'off' ? close() : setGuard('asking'))}
      title="Create an API key"
      size="lg"
    >
      <Steps guard={guard} onGuardChange={setGuard} onClose={close} />
    </Modal>
  );
}

type StepsProps = {
  readonly guard: CloseGuard;
  readonly onGuardChange: (guard: CloseGuard) => void;
  readonly onClose: () => void;
};

/** The key exists only in this state, so that it is gone once the dialog closes. */
function Steps({ guard, onGuardChange, onClose }: StepsProps) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  if (created) return <CreatedKey created={created} guard={guard} onGuardChange={onGuardChange} onClose={onClose} />;
  return (
    <CreateKeyForm
      onCancel={onClose}
      onCreated={(key) => {
        onGuardChange('on');
        setCreated(key);
      }}
    />
  );
}
