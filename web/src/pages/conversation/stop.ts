import { useEffect, useState } from 'react'
import { attempt } from '../../parts/small.tsx'
import { stopTurn } from '../../state/session-acts.ts'

const ARMED_MS = 2500

/** The first Esc arms, the second stops. */
export function useStop(session: string, works: boolean): readonly [boolean, () => void] {
  const [armed, setArmed] = useState(false)
  useEffect(() => {
    if (!armed) return
    const timer = setTimeout(() => setArmed(false), ARMED_MS)
    return () => clearTimeout(timer)
  }, [armed])
  const stop = () => {
    setArmed(!armed)
    if (armed) void attempt(() => stopTurn(session))
  }
  return [armed && works, stop]
}
