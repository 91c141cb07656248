import type { ReactNode } from 'react'
import { shell } from '../shell/shell-state.ts'
import { Kbd } from './small.tsx'

/** What the keys of a view do: keys (`–` stands for those between), then the word. */
export type KeysShown = readonly (readonly [keys: readonly string[], word: string])[]

/** At the foot of a list: each key that acts on it. Where nothing is hovered or typed it is not drawn. */
export function KeysStrip({ keys, children }: { keys: KeysShown; children?: ReactNode }): ReactNode {
  return (
    <footer className="keys-strip">
      {keys.map(([all, word]) => (
        <span key={word}>
          {all.map((key) => (key === '–' ? key : <Kbd key={key}>{key}</Kbd>))}
          {word}
        </span>
      ))}
      <span className="right num">{children}</span>
      <button type="button" onClick={() => shell.open('keys')}>
        <Kbd>?</Kbd>
        all keys
      </button>
    </footer>
  )
}
