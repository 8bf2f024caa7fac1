export type MessageFile = {
  readonly name: string;
  readonly type: string;
  /** Its name in `cid:` URLs in the HTML (RFC 2392), without angle brackets. Null if the part has no Content-ID. */
  readonly contentId: string | null;
  readonly content: Uint8Array<ArrayBuffer>;
};

export type MessageHeader = { readonly name: string; readonly value: string };

export type ParsedMessage = {
  readonly headers: readonly MessageHeader[];
  readonly html: string;
  readonly text: string;
  readonly files: readonly MessageFile[];
};

/**
 * The parts of a message (RFC 5322, RFC 2045). The parser is only loaded when it is needed.
 * @throws Error if the message cannot be parsed, for example because its parts are nested too deeply
 */
export async function parseMessage(raw: ArrayBuffer): Promise<ParsedMessage> {
  const { default: PostalMime } = await import('postal-mime');
  const { headers, html = '', text = '', attachments } = await PostalMime.parse(raw, { forceRfc822Attachments: true });
  return {
    headers: headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    html,
    text,
    files: attachments.map(({ filename, mimeType, contentId, content }) => {
      const id = contentId?.replace(/^<|>$/g, '') || null;
      return { name: filename || id || 'unnamed', type: mimeType, contentId: id, content: toBytes(content) };
    }),
  };
}

function toBytes(content: string | ArrayBuffer | Uint8Array): Uint8Array<ArrayBuffer> {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  return new Uint8Array(content);
}
