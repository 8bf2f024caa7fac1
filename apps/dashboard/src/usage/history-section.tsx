import { SegmentedControl } from '@mantine/core';
import type { Usage } from '@posthorn/contract';
import { useState } from 'react';
import { Section } from '../ui/section';
import { HistoryTable } from './history-table';
import { SendsChart } from './sends-chart';

const shapes = [
  { value: 'chart', label: 'Chart' },
  { value: 'table', label: 'Table' },
];

export function HistorySection({ history }: { readonly history: Usage['history'] }) {
  const [shape, setShape] = useState('chart');
  return (
    <Section
      title="Sends per day"
      actions={<SegmentedControl aria-label="Show as" data={shapes} value={shape} onChange={setShape} />}
    >
      {shape === 'chart' ? <SendsChart history={history} /> : <HistoryTable history={history} />}
    </Section>
  );
}
