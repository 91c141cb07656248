import { type ReactNode, useMemo, useState } from 'react'
import type { Why } from '../../../../src/contract/why.ts'
import { type Resource, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Icon } from '../../parts/icon.tsx'
import { WhyWords } from '../../parts/why.tsx'

const whyOf = (ref: string, version: string): Resource<Why> => ({
  key: `why ${ref} ${version}`,
  read: () => server.snapshot('GET /api/why/{ref}', { params: { ref } }),
})

/** Why it does not go on: the first line is the answer, the rest who can change it. */
export function WhyStrip({ of, version }: { of: string; version: string }): ReactNode {
  const { value } = useLive(useMemo(() => whyOf(of, version), [of, version]))
  const [open, setOpen] = useState(false)
  if (value === undefined) return null
  const [line = '', ...rest] = value.text.split('\n')
  return (
    <div className="why-strip">
      <button
        type="button"
        className="why whybar"
        aria-expanded={open}
        disabled={rest.length === 0}
        onClick={() => setOpen(!open)}
      >
        <b>why</b>
        <span className="cut" title={line}>
          <WhyWords line={line} />
        </span>
        {rest.length > 0 && <Icon name={open ? 'up' : 'down'} small />}
      </button>
      {open && <pre className="why-rest">{rest.join('\n')}</pre>}
    </div>
  )
}
