/** How long a turn has worked. The time in which a person is asked is not the agent's. */
export interface TurnClock {
  readonly begun: boolean
  begin(at: number): void
  /** A call waits for the person from now on. */
  asks(callId: string, at: number): void
  goesOn(callId: string, at: number): void
  end(): void
  /** Undefined while no turn is open. */
  worked(now: number): number | undefined
}

export function createTurnClock(): TurnClock {
  const asking = new Set<string>()
  let startedAt: number | undefined
  let askedAt = 0
  let waited = 0
  return {
    get begun() {
      return startedAt !== undefined
    },
    begin(at) {
      startedAt = at
      waited = 0
      asking.clear()
    },
    asks(callId, at) {
      if (asking.size === 0) askedAt = at
      asking.add(callId)
    },
    goesOn(callId, at) {
      if (asking.delete(callId) && asking.size === 0) waited += at - askedAt
    },
    end() {
      startedAt = undefined
      asking.clear()
    },
    worked(now) {
      return startedAt === undefined ? undefined : (asking.size > 0 ? askedAt : now) - startedAt - waited
    },
  }
}
