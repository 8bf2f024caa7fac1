import type { SigningKeyCache } from '@posthorn/domain/domains';
import type { TemplateCache } from '@posthorn/domain/templates';
import type { Context } from '@posthorn/platform';
import type { MessageMemory } from './message-memory.js';

/** What a process needs to build messages. */
export type MessageContext = Pick<Context, 'config' | 'db' | 'log' | 'objects'> & {
  readonly templates: TemplateCache;
  readonly messageMemory: MessageMemory;
  readonly signingKeys: SigningKeyCache;
};
