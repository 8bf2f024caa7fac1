import type { CreatedApiKey } from '@posthorn/contract';
import { useState } from 'react';
import { GuardedModal, type GuardProps } from '../ui/guarded-modal';
import { CreateKeyForm } from './create-key-form';
import { CreatedKey } from './created-key';

type Props = { readonly opened: boolean; readonly onClose: () => void };

export function CreateKeyDialog(props: Props) {
  return (
    <GuardedModal title="Create an API key" {...props}>
      {(guard) => <Steps {...guard} />}
    </GuardedModal>
  );
}

/** The key exists only in this state, so that it is gone once the dialog closes. */
function Steps(guard: GuardProps) {
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  if (created) return <CreatedKey created={created} {...guard} />;
  return (
    <CreateKeyForm
      onCancel={guard.onClose}
      onCreated={(key) => {
        guard.onGuardChange('on');
        setCreated(key);
      }}
    />
  );
}
