import type { Context, FindSigningKey, TemplateCache } from '@posthorn/domain';
import type { MessageMemory } from './message-memory.js';
import type { TrackHtml } from './tracking/html-tracker.js';

/** What a process needs to build messages. */
export type MessageContext = Pick<Context, 'config' | 'db' | 'log' | 'objects'> & {
  readonly templates: TemplateCache;
  readonly messageMemory: MessageMemory;
  readonly findSigningKey: FindSigningKey;
  readonly trackHtml: TrackHtml;
};
