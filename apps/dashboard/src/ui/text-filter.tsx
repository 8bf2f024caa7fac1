import { Kbd, TextInput } from '@mantine/core';
import { useState } from 'react';

type Props = {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly type?: 'text' | 'email' | 'date';
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
};

/** Applies on Enter or blur. A date applies as soon as it is complete. */
export function TextFilter({ value, onChange, type = 'text', ...props }: Props) {
  const [draft, setDraft] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  if (lastValue !== value) {
    setLastValue(value);
    setDraft(value);
  }
  const apply = () => draft.trim() !== value && onChange(draft.trim());
  const edit = (text: string) => {
    setDraft(text);
    if (type === 'date' && isCompleteDate(text)) onChange(text);
  };
  return (
    <TextInput
      {...props}
      // Phones show the email keyboard, but the browser does not validate the address.
      type={type === 'email' ? 'text' : type}
      inputMode={type === 'email' ? 'email' : undefined}
      rightSection={draft.trim() !== value && type !== 'date' && <Kbd size="xs">Enter</Kbd>}
      rightSectionWidth={56}
      autoComplete="off"
      spellCheck={false}
      value={draft}
      onChange={({ currentTarget }) => edit(currentTarget.value)}
      onBlur={apply}
      onKeyDown={({ key }) => key === 'Enter' && apply()}
    />
  );
}

/** While the user types 2026, the browser reports the years 2, 20 and 202. */
function isCompleteDate(text: string): boolean {
  return text === '' || text >= '2000';
}
