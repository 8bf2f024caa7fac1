import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import type { Usage } from '@posthorn/contract';

type Props = { readonly history: Usage['history']; readonly height: number };

/** The dates are UTC days: shown as they are, whatever the viewer's zone. */
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** In a file of its own, for the chart library is large and few pages need it. */
export function SendsBars({ history, height }: Props) {
  return (
    <BarChart
      h={height}
      data={history.map(({ date, sends }) => ({ day: day.format(new Date(date)), sends }))}
      dataKey="day"
      series={[{ name: 'sends', label: 'Sends', color: 'ink.5' }]}
      tickLine="none"
      maxBarWidth={20}
      valueFormatter={(sends) => sends.toLocaleString()}
      xAxisProps={{ minTickGap: 24 }}
      yAxisProps={{ allowDecimals: false, width: 44 }}
      barProps={{ radius: [3, 3, 0, 0], isAnimationActive: false }}
      barChartProps={{ accessibilityLayer: false }}
    />
  );
}
