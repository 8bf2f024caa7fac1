import { escapeHtml } from '@posthorn/domain/templates';
import type { Field } from '../fields.js';
import { inline, type Linker } from './inline.js';

/** @param label what the fields belong to, for screen readers */
export function fieldTable(fields: readonly Field[], label: string, linkTo: Linker): string {
  if (fields.length === 0) return '';
  return `<div class="table" role="region" aria-label="${escapeHtml(label)}" tabindex="0"><table class="fields">
<thead><tr><th scope="col">Field</th><th scope="col">Description</th></tr></thead>
<tbody>
${fields.map((field) => fieldRow(field, linkTo)).join('\n')}
</tbody>
</table></div>`;
}

function fieldRow({ name, type, limits, isRequired, description }: Field, linkTo: Linker): string {
  const required = isRequired ? ', <span class="required">required</span>' : '';
  const rules = limits && `<span class="limits">${inline(limits)}</span>`;
  return `<tr><td><code>${escapeHtml(name)}</code><span class="type">${escapeHtml(type)}${required}</span></td><td>${inline(description, linkTo)}${rules}</td></tr>`;
}
