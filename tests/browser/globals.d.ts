// What blank.mjs puts into its page, for the functions that tests run there.
declare const fuselane: typeof import('fuselane');
declare function failure(
  call: Promise<unknown>,
): Promise<{ code: string; message: string; subject?: string }>;
