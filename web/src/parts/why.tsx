import { type ReactNode, useMemo } from 'react'
import type { Why } from '../../../src/contract/why.ts'
import { type Resource, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'
import { timeIn } from '../state/why-time.ts'
import { Took } from './figures.tsx'

const whyOf = (ref: string, version: string): Resource<Why> => ({
  key: `why ${ref} ${version}`,
  read: () => server.snapshot('GET /api/why/{ref}', { params: { ref } }),
})

/** The computed line about something open, the same as in the terminal; read anew with each version of the thing. */
export function WhyLine({ of, version = '' }: { of: string; version?: string }): ReactNode {
  const { value } = useLive(useMemo(() => whyOf(of, version), [of, version]))
  if (value === undefined) return null
  return (
    <p className="why" title={value.text}>
      <b>why</b>
      <span>
        <WhyWords line={value.text.split('\n')[0] ?? ''} />
      </span>
    </p>
  )
}

/** The line as it was computed; only its time goes on. */
export function WhyWords({ line }: { line: string }): ReactNode {
  const time = timeIn(line)
  if (time === undefined) return line
  return (
    <>
      {time.before}for <Took since={time.since} />
      {time.behind}
    </>
  )
}
