import { Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useSession } from '../../accounts/session';
import type { Draft } from './draft';

const lists = [
  { name: 'cc', label: 'Cc' },
  { name: 'bcc', label: 'Bcc' },
  { name: 'reply_to', label: 'Reply-To' },
] as const;

export function RecipientFields({ form }: { readonly form: UseFormReturnType<Draft> }) {
  const { workspace } = useSession();
  return (
    <>
      <TextInput
        label="From"
        description="An address at one of your verified domains. If empty, the platform sender is used."
        placeholder={workspace.platform_sender}
        {...form.getInputProps('from_')}
      />
      <Textarea
        label="To"
        description="Separate several addresses with commas or line breaks."
        required
        autosize
        maxRows={8}
        {...form.getInputProps('to')}
      />
      {lists.map(({ name, label }) => (
        <Textarea key={name} label={label} autosize maxRows={8} {...form.getInputProps(name)} />
      ))}
    </>
  );
}
