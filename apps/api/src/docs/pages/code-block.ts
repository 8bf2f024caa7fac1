import { escapeHtml } from '@posthorn/domain/templates';

/** Code that scrolls on its own; tabindex lets the keyboard scroll it. The script adds a copy button. */
export function codeBlock(code: string): string {
  return `<div class="code"><pre tabindex="0"><code>${escapeHtml(code)}</code></pre></div>`;
}
