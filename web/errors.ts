// Errors as callers see them, and as they cross from the worker.

/** Those of the core (src/base/errors.def), then those of the JavaScript around it. */
export type ErrorCode =
  | 'invalid-model'
  | 'unsupported-model'
  | 'invalid-text'
  | 'invalid-input'
  | 'invalid-argument'
  | 'invalid-data'
  | 'read-failed'
  | 'out-of-memory'
  | 'cancelled'
  | 'internal-error'
  /** The engine's own files could not be loaded, or this browser lacks what they need. */
  | 'engine-unavailable'
  /** The worker that held the engine ended before it could answer. */
  | 'engine-ended'
  /** A model, tensor or engine was used after its `dispose()`. */
  | 'disposed';

/** Where it happened, as far as it is known. */
export interface ErrorPlace {
  /** The node of the model. */
  readonly node?: string;
  /** The input, output, option or file it is about. */
  readonly subject?: string;
  /** The byte of the file. */
  readonly offset?: number;
}

export interface PlainError extends ErrorPlace {
  readonly code: ErrorCode;
  readonly message: string;
}

export class FuselaneError extends Error implements PlainError {
  override readonly name = 'FuselaneError';
  readonly code: ErrorCode;
  // Declared only: a place that is not known is no property.
  declare readonly node?: string;
  declare readonly subject?: string;
  declare readonly offset?: number;

  constructor(code: ErrorCode, message: string, place: ErrorPlace = {}, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    if (place.node !== undefined) this.node = place.node;
    if (place.subject !== undefined) this.subject = place.subject;
    if (place.offset !== undefined) this.offset = place.offset;
  }
}

export const fromPlain = (error: PlainError): FuselaneError =>
  new FuselaneError(error.code, error.message, error);

/** For crossing to another thread; what is not ours is a mistake of ours. */
export function toPlain(error: unknown): PlainError {
  if (error instanceof FuselaneError) {
    const { code, message, node, subject, offset } = error;
    return {
      code,
      message,
      ...(node !== undefined && { node }),
      ...(subject !== undefined && { subject }),
      ...(offset !== undefined && { offset }),
    };
  }
  return { code: 'internal-error', message: reasonOf(error) };
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export const cancelled = (cause?: unknown): FuselaneError =>
  new FuselaneError('cancelled', 'the call was cancelled by its signal', {}, cause);
