/** Why a workspace was not moved, in sentences for the operator. */
export class MoveError extends Error {
  override name = 'MoveError';
}
