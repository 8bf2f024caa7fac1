import { NativeSelect } from '@mantine/core';

type Props = {
  readonly label: string;
  readonly options: ReadonlyArray<{ readonly value: string; readonly label: string }>;
  readonly value: string;
  readonly error?: string | undefined;
  readonly onChange: (value: string) => void;
};

/** Also shows a value from the URL that is not among the options. */
export function SelectFilter({ label, options, value, error, onChange }: Props) {
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
