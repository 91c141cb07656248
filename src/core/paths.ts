import { isProtected, PathError, resolveInside } from '../lib/paths.ts'
import type { Touch } from './core.ts'

interface Bounds {
  readonly workspace: string
  readonly projectPath: string
  readonly home: string
}

/** Judged by the real path: outside the workspace is refused; what changes agents' rights is asked, always. */
export async function judgePath(bounds: Bounds, touch: Touch): Promise<{ outside?: string; protects?: string }> {
  // Text of a mail, not a file.
  if (touch.path.startsWith('mail:') && touch.access === 'read') return {}
  try {
    const real = await resolveInside(bounds.workspace, touch.path)
    const pattern = isProtected(bounds.workspace, bounds.home, real)
    if (pattern === '<home>/**')
      return { outside: `${touch.path} is in troupe's own data folder, which agents cannot reach.` }
    if (pattern === undefined || touch.access === 'read') return {}
    return { protects: `writing ${pattern} changes what agents may do` }
  } catch (error) {
    if (error instanceof PathError) return { outside: error.hint ? `${error.message} ${error.hint}` : error.message }
    throw error
  }
}
