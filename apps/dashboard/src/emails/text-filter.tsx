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

/** A filter that is typed: it holds with Enter, or when the field is left; a day, as soon as it is one. */
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
      // A phone's keyboard for addresses, without the browser's own rules
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

/** While a year is typed, the browser gives the years 2, 20 and 202 of it. */
function isCompleteDate(text: string): boolean {
  return text === '' || text >= '2000';
}
