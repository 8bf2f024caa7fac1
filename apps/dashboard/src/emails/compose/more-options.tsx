import { Button, Collapse, Stack, Textarea, TextInput } from '@mantine/core';
import type { UseFormReturnType } from '@mantine/form';
import { useId, useState } from 'react';
import { IconAdjustmentsHorizontal } from '../../ui/icons';
import type { Draft } from './draft';

const names = ['tags', 'headers', 'expires_at', 'unsubscribe'] as const;

/** Fields that few emails need. They are hidden unless one of them is filled in or has an error. */
export function MoreOptions({ form }: { readonly form: UseFormReturnType<Draft> }) {
  const panel = useId();
  const [isChosen, setIsChosen] = useState(() => names.some((name) => form.values[name] !== ''));
  const isOpen = isChosen || names.some((name) => form.errors[name]);
  return (
    <div>
      <Button
        variant="default"
        onClick={() => setIsChosen(!isOpen)}
        aria-expanded={isOpen}
        aria-controls={panel}
        leftSection={<IconAdjustmentsHorizontal size={16} />}
      >
        More options
      </Button>
      <Collapse expanded={isOpen} id={panel}>
        <Stack pt="md">
          <Textarea
            label="Tags"
            description="One per line, as name:value. You can filter your emails by them."
            placeholder="campaign:spring"
            autosize
            minRows={2}
            maxRows={8}
            {...form.getInputProps('tags')}
          />
          <Textarea
            label="Headers"
            description="One per line, as Name: value."
            placeholder="X-Order-Id: 1001"
            autosize
            minRows={2}
            maxRows={8}
            {...form.getInputProps('headers')}
          />
          <TextInput
            label="Expires at"
            description="In your time zone. If no mail server has accepted the email by then, it is not sent any more."
            type="datetime-local"
            maw="20rem"
            {...form.getInputProps('expires_at')}
          />
          <TextInput
            label="Unsubscribe topic"
            description={
              'Adds a link with which the only recipient unsubscribes from this topic. Write {{unsubscribe_url}} where the content should have it.'
            }
            placeholder="newsletter"
            maw="20rem"
            {...form.getInputProps('unsubscribe')}
          />
        </Stack>
      </Collapse>
    </div>
  );
}
