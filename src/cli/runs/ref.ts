import type { Client } from '../../client/client.ts'
import type { Board, Node, Run } from '../../contract/runs.ts'
import { troupe } from '../called.ts'
import { exits, Failure } from '../failure.ts'
import { oneLine } from '../print.ts'

const WHOLE_ID = 28

/** As much of the id as a person needs to type. */
export const shortRun = ({ id }: Pick<Run, 'id'>): string => id.replace(/^run_/, '').slice(0, 8)

/** Whether a word that may mean many things means a run. */
export const isRunRef = (ref: string): boolean => ref === 'latest' || ref.startsWith('run_')

const SHORT = /^[0-9a-f]{8}$/

/** The run that a word means which may mean many things, a session above all; also as lists show it. */
export async function runMeant(client: Client, ref: string): Promise<Run | undefined> {
  if (isRunRef(ref)) return runNamed(client, ref)
  if (!SHORT.test(ref)) return undefined
  const found = (await client.all('GET /api/runs', { query: {} })).filter((run) => shortRun(run) === ref)
  return found.length === 1 ? found[0] : undefined
}

/** Finds a run by its id or any unique beginning of it, with or without "run_"; "latest" is the newest here. */
export async function runNamed(client: Client, ref: string): Promise<Run> {
  if (ref === 'latest') return latest(client)
  const wanted = ref.startsWith('run_') ? ref : `run_${ref}`
  if (wanted.length >= WHOLE_ID) return client.call('GET /api/runs/{id}', { params: { id: wanted } })
  const found = (await client.all('GET /api/runs', { query: {} })).filter(({ id }) => id.startsWith(wanted))
  const [first, second] = found
  if (first && !second) return first
  if (first) {
    const ids = found.slice(0, 10).map(({ id }) => id)
    throw new Failure(exits.failed, `"${ref}" could be ${ids.join(', ')}.`, {
      code: 'run.ambiguous',
      hint: 'Type a few more characters of the one you mean.',
    })
  }
  throw none(`No run begins with "${ref}".`)
}

async function latest(client: Client): Promise<Run> {
  const { items } = await client.call('GET /api/runs', { query: { limit: 1 } })
  if (items[0]) return items[0]
  throw none('There is no run in this project yet.')
}

const none = (message: string): Failure =>
  new Failure(exits.failed, message, {
    code: 'run.not_found',
    hint: `"${troupe} runs" lists them; "${troupe} run <goal>" starts one.`,
  })

/** Finds a node of a run by the beginning of its id or of its title. */
export function nodeNamed({ nodes, run }: Board, ref: string): Node {
  const wanted = ref.startsWith('node_') ? ref : `node_${ref}`
  const byId = nodes.filter(({ id }) => id.startsWith(wanted))
  const said = ref.toLowerCase()
  const found = byId.length > 0 ? byId : nodes.filter(({ title }) => title.toLowerCase().startsWith(said))
  if (found.length === 1) return found[0]!
  const message = found.length === 0 ? `No node of this run begins with "${ref}".` : `"${ref}" could be several nodes.`
  throw new Failure(exits.failed, message, {
    code: found.length === 0 ? 'node.not_found' : 'node.ambiguous',
    hint: `There is: ${
      nodes
        .slice(0, 10)
        .map(({ id, title }) => `${id} (${oneLine(title, 30)})`)
        .join(', ') || 'no node yet'
    }. "${troupe} runs show ${shortRun(run)} --json" has all.`,
  })
}
