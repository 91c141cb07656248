import { openedCall } from './call-lines.ts'
import type { ShownCall } from './calls.ts'
import { dim } from './style.ts'

/** The last calls in full, which the person opens above the line and closes again. */
interface Panel {
  readonly open: boolean
  toggle(): void
  scroll(by: -1 | 1): void
  lines(groups: readonly (readonly ShownCall[])[], width: number, height: number): string[]
}

export function createPanel(): Panel {
  let open = false
  let top = 0
  let page = 1
  return {
    get open() {
      return open
    },
    toggle() {
      open = !open
      top = 0
    },
    scroll(by) {
      top = Math.max(0, top + by * page)
    },
    lines(groups, width, height) {
      if (!open) return []
      const calls = groups.toReversed().flat()
      const all = calls.length > 0 ? calls.flatMap((call) => openedCall(call, width)) : ['  No tool has been used yet.']
      page = Math.max(1, height - 2)
      top = Math.min(top, Math.max(0, all.length - page))
      const shown = all.slice(top, top + page)
      const rest = all.length - top - shown.length
      const more = [top > 0 && `${top} lines above, PgUp`, rest > 0 && `${rest} below, PgDn`].filter(Boolean)
      return [
        dim(
          `── what the last tools did, newest first · Ctrl-O closes ${more.length > 0 ? `· ${more.join(' · ')} ` : ''}──`,
        ),
        ...shown,
      ]
    },
  }
}
