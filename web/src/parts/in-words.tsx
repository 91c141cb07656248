import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Button } from './small.tsx'

/** As much as the server takes. */
const MOST = { Answer: 65_536, Deny: 4096 }

/** The person's own words. Enter sends them, Escape goes back to the choice or out of the field. */
export function InWords({
  label,
  hint = label,
  act,
  focus = false,
  back,
  send,
}: {
  label: string
  hint?: string
  act: 'Answer' | 'Deny'
  focus?: boolean
  back?: () => void
  send: (words: string) => unknown
}): ReactNode {
  const field = useRef<HTMLTextAreaElement>(null)
  const [words, setWords] = useState('')
  useEffect(() => {
    if (focus) field.current?.focus()
  }, [focus])
  return (
    <form
      className="words"
      onSubmit={(event) => {
        event.preventDefault()
        send(words.trim())
      }}
    >
      <textarea
        ref={field}
        rows={1}
        value={words}
        maxLength={MOST[act]}
        aria-label={label}
        placeholder={hint}
        onChange={({ target }) => setWords(target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            send(words.trim())
          } else if (event.key === 'Escape') {
            event.preventDefault()
            if (back) back()
            else event.currentTarget.blur()
          }
        }}
      />
      <Button type="submit" look={act === 'Deny' ? 'danger' : 'primary'} keys="↵">
        {act}
      </Button>
    </form>
  )
}
