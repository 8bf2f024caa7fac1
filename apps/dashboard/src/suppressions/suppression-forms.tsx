import { Button, Code, FileInput, Group, Stack, Text, Textarea, TextInput } from '@mantine/core';
import {
  type CreateSuppressionRequest,
  type Suppression,
  type SuppressionImport,
  suppressionLimits,
} from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { request, toPath, toQueryString } from '../api/request';
import { DialogForm, useApiForm, verbatim } from '../ui/api-form';
import { DialogButton } from '../ui/buttons';
import { formatBytes } from '../ui/format';
import { IconUpload } from '../ui/icons';
import { suppressionsKey, suppressionsPath } from './queries';
import { reasons } from './reasons';

export function AddForm({ onClose }: { readonly onClose: () => void }) {
  const { form, ...state } = useApiForm({
    initialValues: { address: '', topic: '' },
    submit: ({ address, topic }) =>
      request<Suppression>('POST', suppressionsPath, {
        address: address.trim(),
        topic: topic.trim() || null,
      } satisfies CreateSuppressionRequest),
    onDone: onClose,
    done: ({ address }) => `${address} is suppressed.`,
    refresh: [suppressionsKey],
  });
  return (
    <DialogForm {...state} action="Suppress address" onCancel={onClose}>
      <TextInput
        label="Address"
        placeholder="jane@example.com"
        required
        data-autofocus
        {...verbatim}
        inputMode="email"
        {...form.getInputProps('address')}
      />
      <TextInput
        label="Topic"
        description="Suppress only mail of this topic. Leave it empty for all mail."
        placeholder="newsletter"
        {...verbatim}
        {...form.getInputProps('topic')}
      />
    </DialogForm>
  );
}

/** First the file, then the result. The errors of a faulty file are shown with the file, so that it can be replaced. */
export function ImportForm({ onClose }: { readonly onClose: () => void }) {
  const queryClient = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const upload = useMutation({
    mutationFn: (chosen: File) => request<SuppressionImport>('POST', `${suppressionsPath}/import`, chosen),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: suppressionsKey }),
  });
  const choose = (chosen: File | null) => {
    setFile(chosen);
    upload.reset();
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (file !== null) upload.mutate(file);
  };
  if (upload.data !== undefined) return <Result result={upload.data} onClose={onClose} />;
  return (
    <DialogForm
      onSubmit={submit}
      problem={upload.error}
      action="Import"
      pending={upload.isPending}
      disabled={file === null}
      onCancel={onClose}
    >
      <Text>
        The first line names the columns: <Code>address,reason,topic</Code>. The reason is <Code>hard_bounce</Code>,{' '}
        <Code>complaint</Code>, <Code>unsubscribe</Code> or <Code>manual</Code>. Without a topic, the suppression is for
        all mail. Reason and topic can be left out.
      </Text>
      <FileInput
        label="CSV file"
        data-autofocus
        description={`At most ${suppressionLimits.importedRows.toLocaleString()} rows and ${formatBytes(suppressionLimits.importedBytes)}, in UTF-8.`}
        placeholder="Choose a file"
        accept=".csv,text/csv"
        leftSection={<IconUpload size={16} />}
        value={file}
        onChange={choose}
      />
    </DialogForm>
  );
}

type ResultProps = { readonly result: SuppressionImport; readonly onClose: () => void };

function Result({ result: { rows, added }, onClose }: ResultProps) {
  const kept = rows - added;
  return (
    <Stack>
      <Text size="md" role="status">
        {added === 1 ? '1 suppression was added.' : `${added.toLocaleString()} suppressions were added.`}
        {kept > 0 && ` ${kept.toLocaleString()} of the ${rows.toLocaleString()} rows were in your list already.`}
      </Text>
      <Group justify="flex-end">
        <Button data-autofocus onClick={onClose}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

/** Asks for confirmation, and for a complaint also why the recipient wants mail again. */
export function RemoveButton({ suppression }: { readonly suppression: Suppression }) {
  const name = suppression.address ?? 'the erased address';
  return (
    <DialogButton
      size="compact-sm"
      color="red"
      variant="subtle"
      label="Remove"
      aria-label={`Remove ${name}`}
      title={`Remove ${name}?`}
      dialog={{ className: 'breakable' }}
    >
      {(close) => <RemoveForm suppression={suppression} onClose={close} />}
    </DialogButton>
  );
}

type RemoveFormProps = { readonly suppression: Suppression; readonly onClose: () => void };

function RemoveForm({ suppression: { id, address, reason }, onClose }: RemoveFormProps) {
  const { form, ...state } = useApiForm({
    initialValues: { because: '' },
    submit: ({ because }) =>
      request('DELETE', `${toPath(suppressionsPath, id)}${toQueryString({ because: because.trim() })}`),
    onDone: onClose,
    done: () => `The suppression of ${address ?? 'the erased address'} was removed.`,
    refresh: [suppressionsKey],
  });
  return (
    <DialogForm {...state} action="Remove suppression" color="red" onCancel={onClose}>
      <Text>{reasons[reason].removal}</Text>
      {reason === 'complaint' && (
        <Textarea
          label="Why do they want mail again?"
          description="The audit log keeps your answer."
          placeholder="They signed up again on our website"
          required
          data-autofocus
          autosize
          minRows={2}
          maxLength={suppressionLimits.removalReason}
          {...form.getInputProps('because')}
        />
      )}
    </DialogForm>
  );
}
