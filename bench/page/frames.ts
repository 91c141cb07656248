import type { Page } from 'playwright-core'
import { quantileOf } from '../numbers.ts'

export interface Frames {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly longest: number
  /** Tasks of the page's thread of more than 50 ms. */
  readonly longTasks: number
  /** How far it moved, in px. */
  readonly moved: number
  /** What the page's thread worked for each frame. */
  readonly cpuMs: number
}

interface Movement {
  readonly selector: string
  readonly by: 'scroll' | 'pan'
  readonly px: number
  readonly steps: number
}

interface Walked {
  readonly frames: number[]
  readonly longTasks: number
  readonly moved: number
}

/** Moves something by a step in each frame. */
export async function framesOf(page: Page, how: Movement): Promise<Frames> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' })
  const before = await workedMs()
  const { frames, longTasks, moved } = await page.evaluate(walk, how)
  const cpuMs = ((await workedMs()) - before) / frames.length
  return {
    ...{ count: frames.length, longTasks, moved, cpuMs },
    p50: quantileOf(frames, 0.5)!,
    p95: quantileOf(frames, 0.95)!,
    longest: Math.max(...frames),
  }

  async function workedMs(): Promise<number> {
    const { metrics } = await devtools.send('Performance.getMetrics')
    return 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0)
  }
}

/** Runs in the page. */
function walk(how: Movement): Promise<Walked> {
  const box = document.querySelector<HTMLElement>(how.selector)!
  return new Promise((resolve) => {
    const frames: number[] = []
    let longTasks = 0
    let moved = 0
    const watch = new PerformanceObserver((list) => {
      longTasks += list.getEntries().length
    })
    watch.observe({ type: 'longtask' })
    let last = performance.now()
    const step = (now: number): void => {
      frames.push(now - last)
      last = now
      if (frames.length >= how.steps) {
        watch.disconnect()
        resolve({ frames: frames.slice(1), longTasks, moved })
        return
      }
      const [left, top] = [box.scrollLeft, box.scrollTop]
      // To and fro, so that it moves however small the board is.
      const way = Math.floor(frames.length / 30) % 2 === 0 ? 1 : -1
      if (how.by === 'scroll') box.scrollBy(0, -how.px)
      else box.scrollBy(way * how.px, (way * how.px) / 4)
      moved += Math.abs(box.scrollLeft - left) + Math.abs(box.scrollTop - top)
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
}
