import { Group, Kbd, NativeSelect, SegmentedControl, TextInput } from '@mantine/core';
import { type Mode, modes } from '@posthorn/contract';
import { type ReactNode, useState } from 'react';
import classes from './filters.module.css';
import { listOptions, toLabel } from './format';

type TextFilterProps = {
  readonly label: string;
  readonly value: string;
  readonly placeholder?: string;
  readonly type?: 'text' | 'email' | 'date';
  readonly description?: string;
  readonly error?: string | undefined;
  /** @returns what the user has to correct before the text applies */
  readonly check?: (value: string) => string | undefined;
  /** Whether another field takes over this text, in which case this one is cleared. */
  readonly isMoved?: (value: string) => boolean;
  readonly onChange: (value: string) => void;
};

/** Applies on Enter or blur. A date applies as soon as it is complete. */
export function TextFilter({ value, onChange, type = 'text', error, check, isMoved, ...props }: TextFilterProps) {
  const [draft, setDraft] = useState(value);
  const [lastValue, setLastValue] = useState(value);
  const [fault, setFault] = useState<string>();
  if (lastValue !== value) {
    setLastValue(value);
    setDraft(value);
    setFault(undefined);
  }
  const apply = () => {
    const text = draft.trim();
    if (text === value) return;
    const found = check?.(text);
    setFault(found);
    if (found !== undefined) return;
    onChange(text);
    if (isMoved?.(text)) setDraft('');
  };
  const edit = (text: string) => {
    setDraft(text);
    setFault(undefined);
    if (type === 'date' && isCompleteDate(text)) onChange(text);
  };
  return (
    <TextInput
      {...props}
      // Phones show the email keyboard, but the browser does not validate the address.
      type={type === 'email' ? 'text' : type}
      inputMode={type === 'email' ? 'email' : undefined}
      error={fault ?? error}
      inputWrapperOrder={['label', 'input', 'error', 'description']}
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

export type SelectFilterProps = {
  readonly label: string;
  readonly options: ReadonlyArray<{ readonly value: string; readonly label: string }>;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
};

/** Also shows a value from the URL that is not among the options. */
export function SelectFilter({ label, options, value, error, onChange }: SelectFilterProps) {
  const isUnknown = value !== '' && !options.some((option) => option.value === value);
  return (
    <NativeSelect
      label={label}
      error={error}
      value={value}
      data={[{ value: '', label: 'All' }, ...options, ...(isUnknown ? [{ value, label: value }] : [])]}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

export function FilterBar(props: { readonly component?: 'search'; readonly children: ReactNode }) {
  return <Group align="flex-start" gap="sm" className={classes.bar} {...props} />;
}

const modeOptions = listOptions(modes, (mode) => `${toLabel(mode)} mail`);

export function ModeSwitch({ mode, onChange }: { readonly mode: Mode; readonly onChange: (mode: Mode) => void }) {
  return <SegmentedControl data={modeOptions} value={mode} onChange={onChange} aria-label="Mode" w="fit-content" />;
}
