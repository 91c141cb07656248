import '../../styles/files.css'
import type { ReactNode } from 'react'
import { Choice } from '../../parts/choice.tsx'
import { FileText, isMarkdown } from '../../parts/file-text.tsx'
import { Picture } from '../../parts/picture.tsx'
import { Button, Empty, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { ProjectCrumb, useHere } from '../../shell/here.tsx'
import { Page } from '../../shell/page.tsx'
import { type FilePlace, useFile } from '../../state/files.ts'
import { Tree } from './tree.tsx'

/** The files of a project, or with `?session=` of a session's workspace; `?path=` is the one that is shown. */
export function Files(): ReactNode {
  const [{ path, session }] = useAddress()
  const here = useHere()
  const place: FilePlace = { project: here.path, session }
  return (
    <Page title={session ? `Files of ${session}` : 'Files'} crumbs={<ProjectCrumb />} className="two-page">
      <div className={`two${path === undefined ? '' : ' chosen'}`}>
        <nav className="two-list tree" aria-label="Files">
          <Tree key={`${here.path} ${session}`} place={place} />
        </nav>
        <section className="two-view" aria-label={path ?? 'Preview'}>
          {path === undefined ? (
            <div className="pad-view">
              <Empty title="Choose a file.">Texts, Markdown, code, diffs and images are shown here.</Empty>
            </div>
          ) : (
            <Preview place={place} path={path} />
          )}
        </section>
      </div>
    </Page>
  )
}

function Preview({ place, path }: { place: FilePlace; path: string }): ReactNode {
  const [{ raw }, put] = useAddress()
  const { value, failure, refresh } = useFile(place, path)
  return (
    <>
      <div className="two-h">
        <Button
          look="ghost"
          small
          icon="left"
          className="two-back"
          aria-label="Back to the list"
          onClick={() => put({ path: undefined })}
        />
        <span className="mono cut grow" title={path}>
          {path}
        </span>
        {value && <span className="mute small num">{bytes(value.size)}</span>}
        {value?.text !== undefined && isMarkdown(path) && (
          <Choice
            label="How it is shown"
            value={raw ? 'raw' : 'read'}
            options={[
              { value: 'read', label: 'Read' },
              { value: 'raw', label: 'As written' },
            ]}
            choose={(how) => put({ raw: how === 'raw' ? '1' : undefined }, { replace: true })}
          />
        )}
        <Button look="ghost" small icon="retry" aria-label="Read it again" onClick={refresh} />
      </div>
      <div className="two-body">
        {failure && <Failed failure={failure} retry={refresh} />}
        {value === undefined && !failure && <Skeleton rows={8} />}
        {value?.text !== undefined && <FileText path={path} text={value.text} raw={raw !== undefined} />}
        {value?.data !== undefined && <Picture data={value.data} mediaType={value.mediaType} name={path} />}
        {value && value.text === undefined && value.data === undefined && (
          <div className="pad-view">
            <Empty title="This file cannot be shown here.">
              It is {bytes(value.size)} of {value.mediaType}.
            </Empty>
          </div>
        )}
      </div>
    </>
  )
}

const bytes = (count: number): string =>
  count < 1024
    ? `${count} B`
    : count < 1024 ** 2
      ? `${Math.round(count / 1024)} kB`
      : `${(count / 1024 ** 2).toFixed(1)} MB`
