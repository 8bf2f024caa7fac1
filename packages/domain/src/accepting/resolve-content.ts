import { type FieldFault, invalid } from '@posthorn/domain/errors';
import { limits } from '@posthorn/domain/limits';
import { measureWithUnsubscribeUrl, UNSUBSCRIBE_VARIABLE, withLink, withUnsubscribeUrl } from '@posthorn/domain/links';
import { resolveTemplateContent, type TemplateVars } from '@posthorn/domain/templates';
import { formatCount } from '@posthorn/platform/values';
import type { AcceptContext } from './accept-context.js';
import type { NewEmail } from './commit-request.js';
import type { SizedContent } from './message-size.js';
import type { RequestedContent } from './send-request.js';

type ResolvedContent = SizedContent & {
  readonly template: NewEmail['template'];
  /** Of html and text together. For a template, its length in bytes, which is never less than that in characters. */
  readonly characters: number;
};

/**
 * Returns raw content with the link for unsubscribing, as it will be sent. For a template, it pins the current version,
 * adds its defaults to the variables and renders the subject; the worker renders html and text.
 * @param unsubscribeUrl null for mail without a topic
 * @throws Refusal template_not_found, missing_template_variables, validation_failed
 */
export async function resolveContent(
  ctx: Pick<AcceptContext, 'db' | 'findCurrentVersion' | 'templates'>,
  workspaceId: string,
  content: RequestedContent,
  unsubscribeUrl: string | null,
): Promise<ResolvedContent> {
  if (content.kind === 'raw') {
    const { subject } = content;
    const { html, text } = unsubscribeUrl === null ? content : linkContent(content, unsubscribeUrl);
    return { subject, html, text, template: null, source: null, characters: countCharacters(html, text) };
  }
  const given = withLink(content.vars, unsubscribeUrl);
  const resolved = await resolveTemplateContent(ctx, workspaceId, content.templateId, given);
  const { subject, template, parts, bytes } = resolved;
  const source = { parts, vars: resolved.vars };
  const vars = unsubscribeUrl === null ? resolved.vars : withoutLink(resolved.vars);
  return { subject, html: null, text: null, template: { ...template, vars }, source, characters: bytes };
}

/** The link is computed again whenever the email is rendered, so it is not stored. */
function withoutLink({ [UNSUBSCRIBE_VARIABLE]: _link, ...vars }: TemplateVars): TemplateVars {
  return vars;
}

/**
 * Raw content as it is sent. A small body can contain the placeholder many times, so the size is calculated before
 * memory is allocated.
 * @throws Refusal validation_failed
 */
export function linkContent(raw: RawContent, url: string): RawContent {
  const faults = (['html', 'text'] as const).flatMap((field): FieldFault[] => {
    const size = measureWithUnsubscribeUrl(raw[field] ?? '', url);
    const { max } = limits[field];
    if (size <= max) return [];
    const message = `is ${formatCount(size)} bytes long with the links for unsubscribing; the limit is ${formatCount(max)}. Use fewer`;
    return [{ field, message }];
  });
  if (faults.length > 0) throw invalid(...faults);
  return withUnsubscribeUrl(raw, url);
}

type RawContent = Pick<SizedContent, 'html' | 'text'>;

/** How many characters html and text have together. */
export function countCharacters(html: string | null, text: string | null): number {
  return (html?.length ?? 0) + (text?.length ?? 0);
}
