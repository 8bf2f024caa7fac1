import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(join(import.meta.dirname, '..', path), 'utf8');

type Rule = {
  alert?: string;
  record?: string;
  expr: string;
  for?: string;
  labels?: { severity?: string };
  annotations?: { summary?: string; runbook_url?: string };
};

const { groups } = parse(read('ops/prometheus/rules.yml')) as { groups: Array<{ rules: Rule[] }> };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.filter(({ alert }) => alert !== undefined);
const runbook = read('docs/runbook.md');

test.each(alerts.map((rule) => [rule.alert, rule] as const))(
  '%s waits, has a severity and a summary, and its section is in the runbook',
  (_, { for: wait, labels, annotations }) => {
    expect(wait).toMatch(/^\d+[mh]$/);
    expect(labels?.severity).toMatch(/^(critical|warning)$/);
    expect(annotations?.summary).toMatch(/\w/);
    const [, anchor] = /^docs\/runbook\.md#(\w+)$/.exec(annotations?.runbook_url ?? '') ?? [];
    const sections = [...runbook.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name.toLowerCase());
    expect(sections).toContain(anchor);
  },
);

test('every section of the runbook belongs to an alert', () => {
  const anchors = alerts.map(({ annotations }) => annotations?.runbook_url?.split('#')[1]);
  for (const [, name = ''] of runbook.matchAll(/^### (\w+)$/gm)) expect(anchors).toContain(name.toLowerCase());
});

test('the rules and the dashboard use only recorded series that the rules define', () => {
  const recorded = rules.map(({ record }) => record);
  const used = [read('ops/prometheus/rules.yml'), read('ops/grafana/posthorn.json')].flatMap(
    (text) => text.match(/posthorn:\w+:\w+/g) ?? [],
  );
  for (const name of used) expect(recorded).toContain(name);
});

test('the dashboard has a fixed id, takes any data source, and its panels do not overlap', () => {
  const dashboard = JSON.parse(read('ops/grafana/posthorn.json'));
  expect(dashboard.uid).toBe('posthorn');
  expect(dashboard.templating.list).toMatchObject([{ name: 'datasource', type: 'datasource', query: 'prometheus' }]);
  const cells = new Set<string>();
  for (const { title, type, gridPos, datasource } of dashboard.panels) {
    if (type !== 'row') expect([title, datasource.uid]).toEqual([title, expect.stringMatching(/^\$\{datasource\}$/)]);
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
        expect([title, x < 24, cells.has(`${x},${y}`)]).toEqual([title, true, false]);
        cells.add(`${x},${y}`);
      }
  }
});
