import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteUnusedAttachments } from '@posthorn/domain/attachments';
import type { Context } from '@posthorn/platform';
import { newId } from '@posthorn/platform/values';
import { closeTestContext, createTestWorkspace, openTestContext } from '@posthorn/testing';
import { type AttachmentContent, toAttachmentContent } from '../../src/attachments/attachment.js';
import { PART_BYTES, readAttachment, stageAttachments } from '../../src/attachments/attachment-store.js';

let ctx: Context;
let workspaceId: string;

beforeEach(async () => {
  ctx = await openTestContext({ ownDatabase: 'it deletes unused attachments of all workspaces' });
  workspaceId = (await createTestWorkspace(ctx)).workspaceId;
});

afterEach(() => closeTestContext(ctx));

const buildContent = (size: number) => toAttachmentContent(randomBytes(size));
const ownerOf = (id: string) => ({ id, liveId: id, allowance: { storageBytes: 1_000_000_000 } });
const stage = (...contents: AttachmentContent[]) => stageAttachments(ctx, ownerOf(workspaceId), contents);

async function read({ sha256, bytes }: AttachmentContent, id = workspaceId): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of readAttachment(ctx, id, { sha256, size: bytes.length, objectKey: null })) parts.push(part);
  return Buffer.from(Buffer.concat(parts).toString('latin1'), 'base64');
}

const stored = () => ctx.db('blobs').pluck('size');

/** As if the content had been staged two hours ago. */
async function age(): Promise<void> {
  await ctx.db.raw("update blobs set kept_until = kept_until - interval '2 hours'");
}

async function addToEmail({ sha256, bytes }: AttachmentContent): Promise<string> {
  const id = newId();
  await ctx.db('email_attachments').insert({
    email_id: id,
    workspace_id: workspaceId,
    position: 0,
    sha256: Buffer.from(sha256, 'hex'),
    size: bytes.length,
    filename: 'a.pdf',
    content_type: 'application/pdf',
  });
  return id;
}

describe('the content of attachments', () => {
  test.each([0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 5_000_000])(
    'of %i bytes is read back unchanged',
    async (size) => {
      const content = buildContent(size);
      await stage(content);
      expect(Buffer.compare(await read(content), content.bytes)).toBe(0);
    },
  );

  test('is stored once per workspace, even by concurrent requests', async () => {
    const content = buildContent(2_000_000);
    const other = (await createTestWorkspace(ctx)).workspaceId;
    await Promise.all(Array.from({ length: 8 }, () => stage(content, content)));
    await stageAttachments(ctx, ownerOf(other), [content]);
    expect(await stored()).toEqual([2_000_000, 2_000_000]);
    expect(await ctx.db('blob_parts')).toHaveLength(4);
    expect(Buffer.compare(await read(content, other), content.bytes)).toBe(0);
  });

  test('cannot be read by another workspace', async () => {
    const content = buildContent(10);
    await stage(content);
    await expect(read(content, newId())).rejects.toThrow('is missing');
  });
});

describe('deleting unused content', () => {
  test('leaves what was staged in the last hour, and deletes the rest with its parts', async () => {
    await stage(buildContent(2_000_000));
    await age();
    await stage(buildContent(20));
    expect(await deleteUnusedAttachments(ctx, 100)).toBe(1);
    expect(await stored()).toEqual([20]);
    expect(await ctx.db('blob_parts')).toHaveLength(1);
  });

  test('leaves what an email uses, until the email is deleted', async () => {
    const content = buildContent(10);
    await stage(content);
    const id = await addToEmail(content);
    await age();
    await deleteUnusedAttachments(ctx, 100);
    expect(await stored()).toEqual([10]);
    await ctx.db('email_attachments').where({ email_id: id }).delete();
    await ctx.db.raw("update blobs set kept_until = now() - interval '1 second'");
    await deleteUnusedAttachments(ctx, 100);
    expect(await stored()).toEqual([]);
  });

  test('leaves content that is staged again at the same moment', async () => {
    const contents = Array.from({ length: 20 }, (_, n) => buildContent(100 + n));
    await stage(...contents);
    await age();
    let isOver = false;
    const cleaning = (async () => {
      while (!isOver) {
        await deleteUnusedAttachments(ctx, 3);
        await sleep(1);
      }
    })();
    for (const content of contents) await stage(content);
    isOver = true;
    await cleaning;
    for (const content of contents) expect(Buffer.compare(await read(content), content.bytes)).toBe(0);
  });

  test('makes an accept transaction fail if it comes too late', async () => {
    const content = buildContent(10);
    await stage(content);
    await age();
    await deleteUnusedAttachments(ctx, 100);
    await expect(addToEmail(content)).rejects.toMatchObject({ code: '23503' });
  });
});
