/** Small enough for each piece to fit, with its name, on a line of 76 characters. */
const MAX_PIECE_CHARACTERS = 50;

/** Printable ASCII that needs no escape inside quotes. */
const QUOTABLE = /^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/;

/** What RFC 5987 (3.2.1) allows unescaped. RFC 2231 would also allow characters that some mail clients misread. */
const UNESCAPED = /[A-Za-z0-9!#$&+.^_`|~-]/;

/**
 * A parameter of a header, as words between which a line may be folded: quoted if it is short ASCII, else
 * percent-encoded UTF-8, in numbered pieces if it is long (RFC 2231, 3 and 4). No piece ends inside a character.
 */
export function parameter(name: string, value: string): string[] {
  if (value.length <= MAX_PIECE_CHARACTERS && QUOTABLE.test(value)) return [`${name}="${value}"`];
  const pieces = piecesOf(Array.from(value, escaped));
  const [only, ...others] = pieces;
  if (others.length === 0) return [`${name}*=utf-8''${only}`];
  return pieces.map((piece, index) => {
    const start = index === 0 ? "utf-8''" : '';
    return `${name}*${index}*=${start}${piece}${index < others.length ? ';' : ''}`;
  });
}

function escaped(character: string): string {
  if (UNESCAPED.test(character) && character.length === 1) return character;
  return Array.from(Buffer.from(character), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}

function piecesOf(characters: readonly string[]): string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of characters) {
    if (piece.length + character.length > MAX_PIECE_CHARACTERS) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}
