import { type ReactNode, useState } from 'react'
import type { TrustState } from '../../../../src/contract/trust.ts'
import { type Resource, refresh as refreshKey, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Icon } from '../../parts/icon.tsx'
import { attempt, Button } from '../../parts/small.tsx'
import { useHere } from '../../shell/here.tsx'

const trustOf = (project: string | undefined): Resource<TrustState> => ({
  key: `trust ${project ?? ''}`,
  read: () => server.snapshot('GET /api/trust', { query: { project } }),
})

/** Parts of the project that act wait for the person's word; nothing is shown where none do. `always`: what is trusted, too. */
export function TrustNotice({ always = false }: { always?: boolean }): ReactNode {
  const { path, info } = useHere()
  const { value, refresh } = useLive(trustOf(path))
  const [open, setOpen] = useState(false)
  if (value === undefined || value.acting.length === 0) return null
  const { trusted, hash, acting, changed, declined } = value
  if (!always && (trusted || declined)) return null
  // Exactly what is shown here is trusted: the hash stands for it.
  const decide = async (yes: boolean, what: { hash?: string } = { hash }) => {
    const body = { trusted: yes, ...what }
    await attempt(() => server.call('POST /api/trust', { query: { project: path }, body }))
    refresh()
    for (const noun of ['agents', 'memory', 'settings', 'tools', 'models']) refreshKey(`${noun} ${path ?? ''}`)
  }
  const one = acting.length === 1
  const parts = one ? 'one part' : `${acting.length} parts`
  return (
    <section className={`trust${trusted ? '' : ' ask'}`} aria-label="Trust">
      <div className="trust-h">
        <Icon name="shield" />
        <span className="grow">
          {trusted
            ? `You trust the ${parts} of ${info?.name ?? 'this project'} that ${one ? 'acts' : 'act'}.`
            : changed.length > 0
              ? `What acts in ${info?.name ?? 'this project'} has changed since you trusted it. It is not used until you decide.`
              : `${one ? 'One part' : parts} of ${info?.name ?? 'this project'} can act on your machine. ${one ? 'It is' : 'They are'} not used ${declined ? 'because you said no' : 'until you decide'}.`}
        </span>
        <Button small look="ghost" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Hide them' : 'Show them'}
        </Button>
        {trusted ? (
          <Button small onClick={() => decide(false, {})}>
            No longer trust
          </Button>
        ) : (
          <>
            {!declined && (
              <Button small onClick={() => decide(false)}>
                Decline
              </Button>
            )}
            <Button
              small
              look="primary"
              disabled={!open}
              title={open ? undefined : 'Look at them first'}
              onClick={() => decide(true)}
            >
              Trust these
            </Button>
          </>
        )}
      </div>
      {open && (
        <ul className="trust-parts">
          {acting.map(({ file, what }) => (
            <li key={`${file} ${what}`}>
              <code>{file}</code> <span className="soft">{what}</span>
              {changed.some((one) => one.file === file && one.what === what) && (
                <span className="tag ask">changed</span>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
