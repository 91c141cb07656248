import { type ReactNode, useState } from 'react'
import { failureOf } from '../../live/resource.ts'
import { Ask } from '../../parts/ask.tsx'
import { Choice } from '../../parts/choice.tsx'
import { Markdown } from '../../parts/markdown.tsx'
import { modKey } from '../../parts/mod-key.ts'
import { attempt, Button, Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { useKeys } from '../../shell/keys.ts'
import { deleteMemory, lastWriter, type MemoryRef, useMemoryText, writeMemory } from '../../state/memory.ts'

/** What one write may hold. */
const MOST = 64 * 1024

/** One file, read or edited. What was changed meanwhile is never written over. */
export function MemoryEditor({ project, file }: { project: string | undefined; file: MemoryRef }): ReactNode {
  const [{ edit }, put] = useAddress()
  const { value, failure, refresh } = useMemoryText(project, file)
  const [text, setText] = useState<string>()
  const [refused, setRefused] = useState<string>()
  const [deleting, setDeleting] = useState(false)
  const editing = edit !== undefined
  const dirty = text !== undefined && text !== value?.text
  const leave = () => {
    setText(undefined)
    setRefused(undefined)
    put({ edit: undefined }, { replace: true })
  }

  async function save(): Promise<void> {
    if (!dirty || value === undefined) return
    try {
      await writeMemory(project, file, text, value.hash)
      refresh()
      leave()
    } catch (thrown) {
      const { code, message, hint } = failureOf(thrown)
      const who = code === 'memory.conflict' ? await lastWriter(file).catch(() => undefined) : undefined
      setRefused([message, who && `It was last written by ${who}.`, hint].filter(Boolean).join(' '))
    }
  }
  useKeys({ 'mod+s': () => void save() })

  return (
    <>
      <div className="two-h">
        <Button
          look="ghost"
          small
          icon="left"
          className="two-back"
          aria-label="Back to the list"
          onClick={() => put({ file: undefined, edit: undefined })}
        />
        <span className="mute">{file.agent ?? (file.scope === 'user' ? 'yours' : 'project')} /</span>
        <span className="mono cut grow">{file.path}</span>
        <Choice
          label="Read or edit"
          value={editing ? 'edit' : 'read'}
          options={[
            { value: 'read', label: 'Read' },
            { value: 'edit', label: 'Edit' },
          ]}
          choose={(how) => put({ edit: how === 'edit' ? '1' : undefined }, { replace: true })}
        />
        {dirty && (
          <>
            <Button small onClick={leave}>
              Undo
            </Button>
            <Button small look="primary" keys={modKey('S')} onClick={save}>
              Save
            </Button>
          </>
        )}
        <Button small look="ghost" onClick={() => setDeleting(true)}>
          Delete
        </Button>
      </div>
      {refused && (
        <div className="memory-refused" role="alert">
          <span className="grow">{refused}</span>
          <Button small onClick={() => void navigator.clipboard.writeText(text ?? '')}>
            Copy mine
          </Button>
          <Button
            small
            onClick={() => {
              setText(undefined)
              setRefused(undefined)
              refresh()
            }}
          >
            Load theirs
          </Button>
        </div>
      )}
      <div className="two-body">
        {failure && <Failed failure={failure} retry={refresh} />}
        {value === undefined && !failure && <Skeleton rows={8} />}
        {value && !editing && (
          <div className="file-md">
            <Markdown text={text ?? value.text} />
          </div>
        )}
        {value && editing && (
          <textarea
            className="memory-text"
            aria-label={`Text of ${file.path}`}
            maxLength={MOST}
            value={text ?? value.text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </div>
      {deleting && (
        <Ask
          title={`Delete ${file.path}?`}
          yes="Delete"
          close={() => setDeleting(false)}
          act={() =>
            attempt(async () => {
              await deleteMemory(project, file)
              put({ file: undefined, edit: undefined })
            })
          }
        >
          What is in it is forgotten, by all agents that read it. There is no undo.
        </Ask>
      )}
    </>
  )
}
