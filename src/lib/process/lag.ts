import { monitorEventLoopDelay } from 'node:perf_hooks'

const RESOLUTION_MS = 20

/** How late the event loop was since the last look, in seconds. Measuring begins with the first look. */
export function createLag(): { look(): { median: number; p99: number; max: number }; stop(): void } {
  let histogram: ReturnType<typeof monitorEventLoopDelay> | undefined
  // The histogram records the time between two ticks of a timer, not how late a tick was.
  const lateness = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000)
  return {
    look() {
      if (histogram === undefined) {
        histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
        histogram.enable()
      }
      const [median, p99] = [histogram.percentile(50), histogram.percentile(99)]
      const { count, max } = histogram
      histogram.reset()
      if (count === 0) return { median: 0, p99: 0, max: 0 }
      return { median: lateness(median), p99: lateness(p99), max: lateness(max) }
    },
    stop: () => void histogram?.disable(),
  }
}
