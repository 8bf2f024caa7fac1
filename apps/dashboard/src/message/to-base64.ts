const CHUNK_BYTES = 8_192;

export function toBase64(bytes: Uint8Array): string {
  let characters = '';
  for (let start = 0; start < bytes.length; start += CHUNK_BYTES)
    characters += String.fromCharCode(...bytes.subarray(start, start + CHUNK_BYTES));
  return btoa(characters);
}
