import type { Page } from 'playwright-core'
import { quantileOf } from '../numbers.ts'

export interface Frames {
  readonly count: number
  readonly p50: number
  readonly p95: number
  readonly longest: number
  /** Tasks of the page's thread of more than 50 ms. */
  readonly longTasks: number
  /** What the page's thread worked for each frame. */
  readonly cpuMs: number
}

interface Movement {
  readonly selector: string
  readonly by: 'scroll' | 'wheel'
  readonly px: number
  readonly steps: number
}

interface Walked {
  readonly frames: number[]
  readonly longTasks: number
}

/** Moves something by a step in each frame. */
export async function framesOf(page: Page, how: Movement): Promise<Frames> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Performance.enable')
  const before = await workedMs()
  const { frames, longTasks } = await page.evaluate(walk, how)
  const cpuMs = ((await workedMs()) - before) / frames.length
  return {
    ...{ count: frames.length, longTasks, cpuMs },
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
        resolve({ frames: frames.slice(1), longTasks })
        return
      }
      if (how.by === 'scroll') box.scrollTop -= how.px
      else {
        const back = Math.floor(frames.length / 30) % 2 === 0 ? 1 : -1
        const deltas = { deltaX: back * how.px, deltaY: (back * how.px) / 4 }
        box.dispatchEvent(new WheelEvent('wheel', { ...deltas, bubbles: true, cancelable: true }))
      }
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })
}
