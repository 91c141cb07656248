import type { Candidate, Core, ModelError, Models, Quote } from '../base/index.ts'

/** How often a request that failed by itself is made again. */
const RETRIES = 4
/** The longest wait before such a request is made again. */
const LONGEST_WAIT_MS = 5 * 60_000
/** How long a busy model is waited for while another model could be asked. */
const PATIENCE_WITH_CHOICE_MS = 20_000

/** Which candidate one step asks next. */
export interface CandidateChoice {
  /** Undefined when none is left that is worth a request. */
  next(): Candidate | undefined
  failed(candidate: Candidate, error: ModelError): void
  failures(candidate: Candidate): number
  /** How long a request to it may wait to be sent. */
  patienceFor(candidate: Candidate): number
}

/** Whom a step asks first, and what that may cost; or why nobody can be asked. */
export type Plan = Asking | Unasked

export interface Asking {
  readonly choice: CandidateChoice
  readonly candidate: Candidate
  /** The model that was meant, where it cannot be asked. */
  readonly unusable: { readonly model: string; readonly reason: string } | undefined
  /** By candidate, where money is bounded. */
  readonly quotes: ReadonlyMap<Candidate, Quote>
}

interface Unasked {
  readonly problem: string
  readonly end?: 'limit'
  /** The model whose price nobody knows. */
  readonly unpriced?: string
}

export function createCandidateChoice(
  { closure, clock }: Pick<Models, 'closure'> & Pick<Core, 'clock'>,
  order: readonly Candidate[],
): CandidateChoice {
  const counts = new Map<Candidate, number>()
  const spent = new Set<Candidate>()
  /** When a vendor was first found busy in this step. */
  let busySince: number | undefined

  const opensAt = (candidate: Candidate): number => closure(candidate)?.until ?? 0
  const isOpen = (candidate: Candidate): boolean => closure(candidate) === undefined
  const left = (): Candidate[] =>
    order.filter((one) => !spent.has(one) && Math.max(clock.now(), opensAt(one)) <= until(one))
  const until = ({ patienceMs }: Candidate): number => (busySince ?? clock.now()) + patienceMs
  const soonest = (candidates: readonly Candidate[]): Candidate | undefined =>
    candidates.toSorted((a, b) => opensAt(a) - opensAt(b))[0]

  return {
    next() {
      const open = left()
      const own = open.filter(({ model }) => model === open[0]?.model)
      const others = open.filter(({ model }) => model !== open[0]?.model)
      const free = own.find(isOpen)
      if (free) return free
      const patience = (busySince ?? clock.now()) + PATIENCE_WITH_CHOICE_MS
      const first = soonest(own)
      const waits = first !== undefined && clock.now() < patience && opensAt(first) < patience
      return waits ? first : (others.find(isOpen) ?? soonest(open))
    },
    failed(candidate, { kind, retryAfterMs = 0 }) {
      const count = (counts.get(candidate) ?? 0) + 1
      counts.set(candidate, count)
      if (kind === 'busy') busySince ??= clock.now()
      else if (kind !== 'retry' || count > RETRIES || retryAfterMs > LONGEST_WAIT_MS) spent.add(candidate)
      // Nothing that another account or model could do better.
      if (!['busy', 'retry', 'switch', 'auth'].includes(kind)) for (const one of order) spent.add(one)
    },
    failures: (candidate) => counts.get(candidate) ?? 0,
    patienceFor(candidate) {
      const choice = left().some(({ model }) => model !== candidate.model)
      const patienceMs = choice ? Math.min(PATIENCE_WITH_CHOICE_MS, candidate.patienceMs) : candidate.patienceMs
      return Math.max(0, (busySince ?? clock.now()) + patienceMs - clock.now())
    },
  }
}
