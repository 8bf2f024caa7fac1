import type { EmailCheck as EmailCheckJson, Warning } from '@posthorn/contract';
import { describeDomains, findDomain } from '@posthorn/domain/domains';
import { assertExpiry, assertSchedulable } from '@posthorn/domain/emails';
import { buildSampleUnsubscribeUrl, withLink } from '@posthorn/domain/links';
import { previewCurrentTemplate } from '@posthorn/domain/templates';
import { findWorkspace, getPeriods, isTest, readUsed, type Workspace } from '@posthorn/domain/workspaces';
import type { AcceptContext } from './accept-context.js';
import { findPauseRefusal, listWarnings } from './draft-emails.js';
import { assertMessageSize, measureMessage, type SizedContent, sumSizes } from './message-size.js';
import { assertMayReceive, findSimulated, listSuppressedRecipients, type RecipientSuppression } from './recipients.js';
import { countCharacters, linkContent } from './resolve-content.js';
import { resolveSender, type Sender } from './resolve-sender.js';
import type { SendCaller, SendRequest } from './send-request.js';

/** What would happen to an email. */
export type EmailCheck = {
  readonly wouldSend: boolean;
  readonly sender: Sender;
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly missingVariables: readonly string[];
  readonly recipients: readonly CheckedRecipient[];
  /** Of the message as it is sent. The headers are estimated, but the message is never larger than this. */
  readonly sizeBytes: number;
  /** Left before this email; null without a cap. */
  readonly remaining: { readonly daily: number | null; readonly monthly: number | null };
  readonly authentication: EmailCheckJson['authentication'];
  readonly warnings: readonly Warning[];
};

/** `suppression` says why the recipient would not get the email; null if they would get it. */
type CheckedRecipient = { readonly address: string; readonly suppression: RecipientSuppression | null };

type Content = Pick<EmailCheck, 'subject' | 'html' | 'text' | 'missingVariables'> & Pick<SizedContent, 'source'>;

/**
 * Does everything that accepting would do, except for storing, counting and sending.
 * @throws Refusal as accepting would, but not for missing variables and caps
 */
export async function checkEmail(
  ctx: AcceptContext,
  caller: Pick<SendCaller, 'workspace' | 'domainIds'>,
  request: SendRequest,
): Promise<EmailCheck> {
  const { workspace } = caller;
  const now = ctx.now();
  const refused = findPauseRefusal(workspace);
  if (refused) throw refused;
  assertMayReceive(ctx.config, workspace, request);
  const simulated = findSimulated(request, ctx.config.simulatorDomain);
  const sender = await resolveSender(ctx, caller, request);
  const unsubscribeUrl = buildSampleLink(ctx, request);
  const { source, ...content } = await previewContent(ctx, workspace.liveId, request, unsubscribeUrl);
  const { html, text } = content;
  const sizedContent = { ...content, source, characters: countCharacters(html, text) };
  const sized = { request, from: sender.from, content: sizedContent, unsubscribeUrl };
  assertMessageSize(sized);
  if (request.scheduledAt) assertSchedulable(request.scheduledAt, now);
  if (request.expiresAt) assertExpiry(request.expiresAt, request.scheduledAt ?? now);
  const suppressed = await listSuppressedRecipients(ctx, workspace, request, simulated);
  const recipients = [...request.to, ...request.cc, ...request.bcc].map(
    ({ address }): CheckedRecipient => ({ address, suppression: suppressed.get(address) ?? null }),
  );
  const left = await readRemaining(ctx, workspace, now);
  const hasRoom = Object.values(left).every((sends) => sends === null || sends >= recipients.length);
  return {
    ...content,
    wouldSend: hasRoom && content.missingVariables.length === 0 && suppressed.size < recipients.length,
    sender,
    recipients,
    sizeBytes: sumSizes(measureMessage(sized)),
    remaining: isTest(workspace) ? await readRemainingOfLive(ctx, workspace, now) : left,
    authentication: await findAuthentication(ctx, workspace.liveId, sender),
    warnings: listWarnings(request, { used: sender.from, suppressed: [...suppressed.keys()] }, now),
  };
}

/** A real link would unsubscribe the recipient from mail that they never got. */
function buildSampleLink({ config }: AcceptContext, { topic, to: [recipient] }: SendRequest): string | null {
  if (topic === undefined || recipient === undefined) return null;
  return buildSampleUnsubscribeUrl(config, { topic, address: recipient.address });
}

async function previewContent(
  ctx: AcceptContext,
  workspaceId: string,
  { content }: SendRequest,
  link: string | null,
): Promise<Content> {
  if (content.kind === 'raw') {
    const { html, text } = link === null ? content : linkContent(content, link);
    return { subject: content.subject, html, text, missingVariables: [], source: null };
  }
  const id = content.templateId;
  const vars = withLink(content.vars, link);
  const { subject, html, text, missing, source } = await previewCurrentTemplate(ctx, workspaceId, { id, vars });
  return { subject, html, text, missingVariables: missing, source };
}

/** For test mail, the caps of the live workspace are shown, although test mail is not subject to them. */
async function readRemainingOfLive(ctx: AcceptContext, test: Workspace, now: Date) {
  const live = await findWorkspace(ctx.db, test.liveId, ctx.config.rateLimitPerMinute);
  return readRemaining(ctx, live ?? test, now);
}

async function readRemaining({ db }: AcceptContext, { id, allowance }: Workspace, now: Date) {
  const { month, day } = getPeriods(now);
  const used = await readUsed(db, id, [month, day]);
  const left = (cap: number | null, period: string) =>
    cap === null ? null : Math.max(0, cap - (used.get(period) ?? 0));
  return { daily: left(allowance.daily, day), monthly: left(allowance.monthlyCap, month) };
}

/** Uses the domain's last DNS check. DMARC passes if DKIM or SPF does: both use From's domain. */
async function findAuthentication(
  ctx: AcceptContext,
  workspaceId: string,
  { domainId }: Sender,
): Promise<EmailCheck['authentication']> {
  const domain = domainId === null ? null : await findDomain(ctx.db, workspaceId, domainId);
  if (!domain) return { dkim: 'unknown', spf: 'unknown', dmarc: 'unknown' };
  const [described] = await describeDomains(ctx, [domain]);
  const passes = (kind: string) => {
    const needed = described?.records.filter(({ record, required }) => record === kind && required) ?? [];
    return needed.length > 0 && needed.every(({ finding }) => finding.status === 'verified');
  };
  const [dkim, spf] = [passes('dkim'), passes('spf') && passes('return_path_mx')];
  const toResult = (isPassed: boolean) => (isPassed ? 'pass' : 'fail');
  return { dkim: toResult(dkim), spf: toResult(spf), dmarc: toResult(dkim || spf) };
}
