import { type ReactNode, useMemo } from 'react'
import { ChangedLines } from '../../parts/changed-lines.tsx'
import { Button, Empty } from '../../parts/small.tsx'
import { type ChangedFile, changedIn } from '../../state/changed-files.ts'
import type { Log } from '../../state/log.ts'

/** So many files are drawn; the others are named in the activity. */
const FILES = 50
/** So many changes of one file. */
const CHANGES = 20

/** What its calls took out of files and put into them. What commands changed is not known to the log. */
export function Diff({ log, older }: { log: Log; older: () => void }): ReactNode {
  const files = useMemo(() => changedIn(log.messages), [log.messages])
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <div className="stream pad worker-tab" tabIndex={0} role="tabpanel" aria-label="Diff">
      {files.length === 0 && (
        <Empty title="It has changed no file.">
          What it writes and edits shows here, as a diff. What its commands change is in their output.
        </Empty>
      )}
      {files.slice(0, FILES).map((file) => (
        <FileDiff key={file.path} file={file} />
      ))}
      {files.length > FILES && <p className="small mute">and {files.length - FILES} more files</p>}
      {log.more && (
        <Button small look="ghost" onClick={older}>
          Earlier changes
        </Button>
      )}
    </div>
  )
}

const FileDiff = ({ file: { path, added, removed, changes } }: { file: ChangedFile }): ReactNode => (
  <section className="file-diff" aria-label={path}>
    <h2 className="diff-h">
      <code className="cut grow" title={path}>
        {path}
      </code>
      <span className="plus">+{added}</span>
      <span className="minus">−{removed}</span>
    </h2>
    {changes.slice(-CHANGES).map((change, at) => (
      <ChangedLines key={at} lines={change.lines} />
    ))}
    {changes.length > CHANGES && <p className="small mute">and {changes.length - CHANGES} changes before these</p>}
  </section>
)
