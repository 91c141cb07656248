import '../../styles/settings.css'
import type { ReactNode } from 'react'
import { Icon } from '../../parts/icon.tsx'
import { Empty, Failed, Kbd, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { ProjectCrumb, useHere } from '../../shell/here.tsx'
import { useKeys } from '../../shell/keys.ts'
import { Page } from '../../shell/page.tsx'
import { settingRows, useSettings } from '../../state/settings.ts'
import { SettingLine } from './line.tsx'
import { PageSettings } from './page-settings.tsx'
import { TrustNotice } from './trust.tsx'

/** Every value that counts here, where it comes from, and what could be set besides. */
export function Settings(): ReactNode {
  const [{ q = '', key, unset }, put] = useAddress()
  const { path } = useHere()
  const { value, failure, refresh } = useSettings(path)
  const words = q.trim().toLowerCase()
  const groups = value && [...settingRows(value.items)]
  useKeys({ '/': () => document.getElementById('settings-filter')?.focus() })
  const shown = groups
    ?.map(
      ([name, rows]) =>
        [
          name,
          rows.filter(
            (row) =>
              (row.setting !== undefined || unset !== undefined || words !== '') &&
              `${row.key} ${row.schema?.description ?? ''}`.toLowerCase().includes(words),
          ),
        ] as const,
    )
    .filter(([, rows]) => rows.length > 0)
  return (
    <Page
      title="Settings"
      crumbs={<ProjectCrumb />}
      aside={
        <>
          <label className="settings-unset">
            <input
              type="checkbox"
              checked={unset !== undefined}
              onChange={({ target }) => put({ unset: target.checked ? '1' : undefined }, { replace: true })}
            />
            also what is not set
          </label>
          <label className="field quiet">
            <Icon name="search" small />
            <input
              id="settings-filter"
              className="bare"
              type="search"
              aria-label="Filter the settings"
              placeholder="Filter"
              value={q}
              onChange={(event) => put({ q: event.target.value }, { replace: true })}
            />
            <Kbd>/</Kbd>
          </label>
        </>
      }
    >
      <TrustNotice always />
      {words === '' && <PageSettings />}
      {failure && <Failed failure={failure} retry={refresh} />}
      {value === undefined && !failure && <Skeleton rows={8} />}
      {value && value.problems.length > 0 && (
        <div className="settings-problems" role="alert">
          {value.problems.map(({ file, field, message }) => (
            <p key={`${file}${field}${message}`} className="wrong">
              {field && <code>{field}</code>} {message} <span className="mute">{file}</span>
            </p>
          ))}
        </div>
      )}
      {shown?.length === 0 && (
        <div className="pad-view">
          <Empty title="No setting has this in its name." />
        </div>
      )}
      {shown?.map(([name, rows]) => (
        <section key={name} className="settings-group" aria-label={name}>
          <h2>{name}</h2>
          {rows.map((row) => (
            <SettingLine
              key={`${row.key} ${row.setting?.source} ${row.setting?.file}`}
              row={row}
              open={key === row.key}
              toggle={() => put({ key: key === row.key ? undefined : row.key }, { replace: true })}
              changed={refresh}
            />
          ))}
        </section>
      ))}
    </Page>
  )
}
