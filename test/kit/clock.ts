/** A clock that stands still until a test moves it. */
export function createClock() {
  const clock = { at: Date.now(), now: () => clock.at }
  return clock
}
