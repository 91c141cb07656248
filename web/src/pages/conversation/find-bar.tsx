import { type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../parts/small.tsx'
import { useKeys } from '../../shell/keys.ts'
import type { Find } from './find.ts'

/** Where one says what to find, and walks through it: Enter to what is older, Shift Enter to what is newer. */
export function FindBar({ find }: { find: Find }): ReactNode {
  const field = useRef<HTMLInputElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever asks again wants the field
  useEffect(() => field.current?.select(), [find.asked])
  useKeys({ Escape: find.close })
  return (
    <search className="find-bar">
      <input
        ref={field}
        type="search"
        className="field"
        aria-label="Find in this conversation"
        placeholder="Find in this conversation"
        maxLength={200}
        value={find.text}
        onChange={({ target }) => find.look(target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return
          event.preventDefault()
          if (event.key === 'Escape') find.close()
          else find.walk(event.shiftKey ? -1 : 1)
        }}
      />
      <span className="num small soft" role="status">
        {standing(find)}
      </span>
      <Button
        look="ghost"
        small
        icon="up"
        aria-label="Older (Enter)"
        title="Older (Enter)"
        onClick={() => find.walk(1)}
      />
      <Button
        look="ghost"
        small
        icon="down"
        aria-label="Newer (Shift Enter)"
        title="Newer (Shift Enter)"
        onClick={() => find.walk(-1)}
      />
      <Button look="ghost" small icon="x" aria-label="Close the search" title="Close (Esc)" onClick={find.close} />
    </search>
  )
}

function standing({ text, seqs, at, more }: Find): string {
  if (text.trim() === '') return ''
  if (seqs === undefined) return 'looks …'
  return seqs.length === 0 ? 'not found' : `${at + 1} of ${seqs.length}${more ? ' or more' : ''}`
}
