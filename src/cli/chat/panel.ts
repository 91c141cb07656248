import { cut } from './cells.ts'
import { dim } from './style.ts'

/** Something in full, which the person opens above the line, scrolls and closes again. */
interface Panel {
  readonly open: boolean
  toggle(): void
  scroll(by: -1 | 1): void
  lines(title: string, all: readonly string[], width: number, height: number): string[]
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
    lines(title, all, width, height) {
      page = Math.max(1, height - 2)
      top = Math.min(top, Math.max(0, all.length - page))
      const shown = all.slice(top, top + page)
      const rest = all.length - top - shown.length
      const more = [top > 0 && `${top} lines above, PgUp`, rest > 0 && `${rest} below, PgDn`].filter(Boolean)
      return [dim(cut(`── ${[title, 'Ctrl-O closes', ...more].join(' · ')} ──`, width)), ...shown]
    },
  }
}
