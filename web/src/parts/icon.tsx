import type { ReactNode } from 'react'
import type { Shape, Standing } from '../state/standing.ts'
import { actShapes } from './act-shapes.tsx'
import { glyphs } from './glyphs.tsx'
import { thingShapes } from './thing-shapes.tsx'

const icons = { ...actShapes, ...thingShapes } as const

export type IconName = keyof typeof icons

/** A picture beside a word; what stands alone needs a label on its button. */
export function Icon({ name, small, filled }: { name: IconName; small?: boolean; filled?: boolean }): ReactNode {
  return (
    <svg className={`i${small ? ' sm' : ''}${filled ? ' fill' : ''}`} viewBox="0 0 16 16" aria-hidden="true">
      {icons[name]}
    </svg>
  )
}

/** A status where its word stands nowhere beside it. */
export function Glyph({ standing, large }: { standing: Standing; large?: boolean }): ReactNode {
  return (
    <svg
      className={`s s-${standing.shape}${large ? ' lg' : ''}`}
      viewBox="0 0 16 16"
      role="img"
      aria-label={standing.word}
    >
      <title>{standing.word}</title>
      {glyphs[standing.shape as Shape & keyof typeof glyphs]}
    </svg>
  )
}

/** A status with its word, in a tinted box. */
export function Badge({ standing, word }: { standing: Standing; word?: string }): ReactNode {
  return (
    <span className={`badge ${standing.tone}`}>
      <Mark standing={standing} />
      {word ?? standing.word}
    </span>
  )
}

/** A status with its word, in a row. */
export function State({ standing, word }: { standing: Standing; word?: ReactNode }): ReactNode {
  return (
    <span className={`state ${standing.tone}`}>
      <Mark standing={standing} />
      {word ?? standing.word}
    </span>
  )
}

/** The shape alone, beside its word. */
const Mark = ({ standing }: { standing: Standing }): ReactNode => (
  <svg className={`s s-${standing.shape}`} viewBox="0 0 16 16" aria-hidden="true">
    {glyphs[standing.shape as Shape & keyof typeof glyphs]}
  </svg>
)
