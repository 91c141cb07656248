import '../../styles/preview.css'
import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { RunFileText } from '../../../../src/contract/runs.ts'
import { type Resource, stale, useLive } from '../../live/resource.ts'
import { server } from '../../live/server.ts'
import { Markdown } from '../../parts/markdown.tsx'
import { Picture } from '../../parts/picture.tsx'
import { Button, Failed, Skeleton } from '../../parts/small.tsx'
import { bytes } from './node-files.tsx'

const Code = lazy(() => import('../../parts/code.tsx'))

/** More than this of one file is not drawn. */
const SHOWN = 300_000

const fileResource = (run: string, path: string): Resource<RunFileText> => ({
  key: `file ${run} ${path}`,
  read: () => server.snapshot('GET /api/runs/{id}/file', { params: { id: run }, query: { path } }),
  interest: { run, types: ['tool.ended'] },
  fold: (file, { data }) => (['write_file', 'edit_file', 'bash'].includes(String(data.name)) ? stale : file),
})

/** One file of a run: Markdown as it reads, code with colours, pictures as pictures. */
export function Preview({ run, path, name = path }: { run: string; path: string; name?: string }): ReactNode {
  const { value, failure, refresh } = useLive(fileResource(run, path))
  const isMarkdown = /\.(md|markdown)$/i.test(path)
  const [raw, setRaw] = useState(false)
  if (value === undefined)
    return <div className="pad">{failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={8} />}</div>
  const { image } = value
  return (
    <article className="preview" aria-label={name}>
      <header className="preview-h">
        <code className="cut grow" title={path}>
          {name}
        </code>
        <span className="tiny mute num nowrap">{bytes(value.size)}</span>
        {isMarkdown && (
          <Button small look="ghost" aria-pressed={raw} onClick={() => setRaw(!raw)}>
            Source
          </Button>
        )}
        <Button small look="ghost" icon="copy" onClick={() => void navigator.clipboard.writeText(value.text)}>
          Copy
        </Button>
      </header>
      {image ? (
        <Picture {...image} name={name} />
      ) : isMarkdown && !raw ? (
        <div className="read">
          <Markdown text={value.text} />
        </div>
      ) : (
        <Suspense fallback={<Skeleton rows={8} />}>
          <Code text={bounded(value.text)} language={languageOf(path)} />
        </Suspense>
      )}
    </article>
  )
}

const bounded = (text: string): string =>
  text.length > SHOWN
    ? `${text.slice(0, SHOWN)}\n… ${(text.length - SHOWN).toLocaleString('en')} more characters; copy the file to have them all`
    : text

const languages: Readonly<Record<string, string>> = {
  ts: 'typescript',
  tsx: 'typescript',
  js: 'javascript',
  mjs: 'javascript',
  jsonl: 'json',
  py: 'python',
  sh: 'bash',
  yml: 'yaml',
  html: 'xml',
  md: 'markdown',
}

function languageOf(path: string): string {
  const ending = path.split('.').at(-1) ?? ''
  return languages[ending] ?? ending
}
