/** Flags for a Node process that gives memory back. */
export const givesBack = ['--expose-gc']

const AFTER_MS = 3000

/**
 * The garbage of a start makes V8's young generation large, and an idle process would keep it so for days. A collection as
 * for the last resort makes it small again; it grows anew under load. It takes about 100 ms, so it is done once.
 */
export function giveBackAfterStart(afterMs = AFTER_MS): void {
  // Without the flags there is nothing to call, and the process stays as it is.
  const { gc } = globalThis
  setTimeout(() => gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' }), afterMs).unref()
}
