import type { Routes } from '../../contract/routes/index.ts'
import { gauge, type Meter, meters } from '../../core/server/index.ts'
import { createLag } from '../../lib/process/lag.ts'
import type { ServerParts } from '../context.ts'
import type { Handlers } from '../handlers.ts'

/** For Prometheus, in its text format and at its usual path. It has to send a token. */
export function metricsHandlers({ core, engine, closing }: ServerParts) {
  const lag = createLag()
  closing.addEventListener('abort', lag.stop, { once: true })
  return {
    'GET /metrics': async ({ c }) => {
      const { median, p99, max } = lag.look()
      const now: Meter[] = [
        gauge('troupe_turns_running', 'Turns that this server runs now.', engine.running),
        {
          name: 'troupe_event_loop_lag_seconds',
          help: 'How late the event loop was since the last look.',
          type: 'gauge',
          values: Object.entries({ '0.5': median, '0.99': p99, '1': max }).map(([quantile, value]) => ({
            labels: { quantile },
            value,
          })),
        },
      ]
      const text = [...(await meters(core)), ...now].map(inLines).join('')
      return c.body(text, 200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' })
    },
  } satisfies Partial<Handlers<Routes['server']>>
}

const inLines = ({ name, help, type, values }: Meter): string =>
  [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...values.map(({ labels = {}, value }) => `${name}${inBraces(labels)} ${value}`),
    '',
  ].join('\n')

function inBraces(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${key}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

const escaped = (text: string): string => text.replace(/[\\"\n]/g, (char) => (char === '\n' ? '\\n' : `\\${char}`))
