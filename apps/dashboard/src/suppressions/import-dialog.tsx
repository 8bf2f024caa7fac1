import { Button, Code, FileInput, Group, Modal, Stack, Text } from '@mantine/core';
import { type SuppressionImport, suppressionLimits } from '@posthorn/contract';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { request } from '../api/request';
import { ApiForm } from '../ui/api-form';
import { FormActions } from '../ui/form-actions';
import { formatBytes } from '../ui/format-bytes';
import { IconUpload } from '../ui/icons';
import { ProblemAlert } from '../ui/problem-alert';
import { suppressionsKey, suppressionsPath } from './queries';

type Props = { readonly opened: boolean; readonly onClose: () => void };

export function ImportDialog({ opened, onClose }: Props) {
  return (
    <Modal opened={opened} onClose={onClose} title="Import suppressions" size="lg">
      <Steps onClose={onClose} />
    </Modal>
  );
}

/** First the file, then the result. The errors of a faulty file are shown with the file, so that it can be replaced. */
function Steps({ onClose }: Pick<Props, 'onClose'>) {
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
    <ApiForm onSubmit={submit}>
      <Stack>
        <Text size="sm">
          The first line names the columns: <Code>address,reason,topic</Code>. The reason is <Code>hard_bounce</Code>,{' '}
          <Code>complaint</Code>, <Code>unsubscribe</Code> or <Code>manual</Code>. Without a topic, the suppression is
          for all mail. Reason and topic can be left out.
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
        <ProblemAlert error={upload.error} />
        <FormActions action="Import" pending={upload.isPending} disabled={file === null} onCancel={onClose} />
      </Stack>
    </ApiForm>
  );
}

function Result({
  result: { rows, added },
  onClose,
}: {
  readonly result: SuppressionImport;
  readonly onClose: () => void;
}) {
  const kept = rows - added;
  return (
    <Stack>
      <Text role="status">
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
