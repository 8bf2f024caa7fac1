import { SegmentedControl } from '@mantine/core';
import type { Mode } from '@posthorn/contract';

const modes: Array<{ value: Mode; label: string }> = [
  { value: 'live', label: 'Live mail' },
  { value: 'test', label: 'Test mail' },
];

type Props = { readonly mode: Mode; readonly onChange: (mode: Mode) => void };

/** Switches the list between live mail and test mail. */
export function ModeSwitch({ mode, onChange }: Props) {
  return <SegmentedControl data={modes} value={mode} onChange={onChange} aria-label="Mode" w="fit-content" />;
}
