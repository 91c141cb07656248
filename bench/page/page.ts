import { type Browser, chromium, type Page } from 'playwright-core'
import { findProgram } from '../../src/lib/process/programs.ts'
import { inFolder } from '../folder.ts'
import { quantileOf } from '../numbers.ts'
import type { Options, Row } from '../suite.ts'
import { type Frames, framesOf } from './frames.ts'
import { MESSAGES, NODES, textAt } from './job.ts'
import { type PageStage, setStage } from './stage.ts'

const EVENTS = { quick: 20, full: 60 }
const PANS = { quick: 240, full: 600 }
const SCROLLS = { quick: 600, full: 1500 }
/** A frame of a wheel that is turned fast. Older messages are fetched on the way. */
const STEP_PX = 400

/** The page in a browser: how smooth a long conversation and a large board move, how soon an event is seen, how much script comes first. */
export async function page(options: Options): Promise<Row[]> {
  return inFolder(async (folder) => {
    const stage = await setStage(folder)
    const browser = await chromium.launch({ executablePath: chromiumPath(), args: sandbox() })
    try {
      return await measure(stage, browser, options)
    } finally {
      await browser.close()
      await stage.close()
    }
  })
}

async function measure(stage: PageStage, browser: Browser, { quick, progress }: Options): Promise<Row[]> {
  const tab = await browser.newPage({ viewport: { width: 1440, height: 900 } })
  await tab.goto(await stage.link('/'))
  await tab.getByRole('main').waitFor()
  await tab.waitForLoadState('networkidle')
  const script = await tab.evaluate(scriptBytes)

  await tab.goto(`${stage.server.url}/sessions/${stage.session}`)
  await tab.getByText(textAt(MESSAGES - 1)).waitFor()
  const seen = await seenAfter(stage, tab, quick ? EVENTS.quick : EVENTS.full)
  progress(`page: an event is seen after ${quantileOf(seen, 0.5)!.toFixed(0)} ms`)
  const steps = quick ? SCROLLS.quick : SCROLLS.full
  const talk = await framesOf(tab, { selector: '.stream', by: 'scroll', px: STEP_PX, steps })
  const top = Number(/Message (\d+):/.exec((await tab.locator('.stream').textContent()) ?? '')?.[1])
  if (!(top < MESSAGES - steps)) throw new Error(`The conversation stands at message ${top}: it was not scrolled.`)
  progress(`page: scrolled over ${MESSAGES - top} of ${MESSAGES} messages, ${JSON.stringify(talk)}`)

  await tab.goto(`${stage.server.url}/runs/${stage.run}`)
  const nodes = tab.getByRole('region', { name: 'Nodes' }).getByRole('button')
  await nodes.nth(NODES - 1).waitFor({ state: 'attached' })
  const board = await framesOf(tab, { selector: '.canvas', by: 'pan', px: 24, steps: quick ? PANS.quick : PANS.full })
  if (board.moved === 0) throw new Error('The board did not move.')
  progress(`page: panned, ${JSON.stringify(board)}`)
  return [
    { ...ms('an event, from its commit until it is painted: p50', seen, 0.5), most: 250 },
    ms('an event, from its commit until it is painted: p95', seen, 0.95),
    ...rowsOf(`${MESSAGES} messages, scrolled`, talk),
    ...rowsOf(`${NODES} nodes, panned`, board),
    {
      label: 'script of the first load, compressed',
      unit: 'KB',
      digits: 0,
      rounds: { ours: [script / 1000] },
      most: 350,
    },
  ]
}

const ms = (label: string, values: readonly number[], share: number): Row => ({
  ...{ label, unit: 'ms', digits: 0 },
  rounds: { ours: [quantileOf(values, share)!] },
})

function rowsOf(label: string, frames: Frames): Row[] {
  const row = (what: string, value: number, unit = 'ms', digits = 1): Row => ({
    ...{ label: `${label}: ${what}`, unit, digits },
    rounds: { ours: [value] },
  })
  return [
    row('frame, p50', frames.p50),
    row('frame, p95', frames.p95),
    row('longest frame', frames.longest),
    row('long tasks', frames.longTasks, `of ${frames.count} frames`, 0),
    row('CPU of the page a frame', frames.cpuMs),
  ]
}

/** Each event is a message; it counts as seen behind the frame in which it is drawn. */
async function seenAfter(stage: PageStage, tab: Page, events: number): Promise<number[]> {
  const took: number[] = []
  for (let at = 0; at < events; at += 1) {
    const text = `News number ${at}.`
    const painted = tab.evaluate(paintedAt, text)
    const committed = await stage.say(text)
    took.push((await painted) - committed)
  }
  return took
}

/** Runs in the page. */
function paintedAt(text: string): Promise<number> {
  const box = document.querySelector('.stream')!
  return new Promise((resolve) => {
    const look = (): void => {
      if (!box.textContent?.includes(text)) return
      watch.disconnect()
      requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())))
    }
    const watch = new MutationObserver(look)
    watch.observe(box, { subtree: true, childList: true, characterData: true })
    look()
  })
}

/** Runs in the page. */
function scriptBytes(): number {
  const loaded = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
  return loaded
    .filter(({ name }) => name.endsWith('.js'))
    .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)
}

function chromiumPath(): string {
  const found = ['chromium', 'chromium-browser', 'google-chrome']
    .map((name) => findProgram(name, process.env))
    .find((path) => path !== undefined)
  if (found === undefined) throw new Error('The suite "page" needs Chromium. Install it, or name the other suites.')
  return found
}

/** The browser's own sandbox refuses to work for root. */
const sandbox = (): string[] => (process.getuid?.() === 0 ? ['--no-sandbox'] : [])
