import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { Server, type ServerContext } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'

/** An MCP server that offers what a file says, read anew each time, and misbehaves as it is asked to. */

interface Offered {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: Record<string, unknown>
}

const plan = (): { tools: Offered[]; hang?: boolean } => JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'))

if (plan().hang) setInterval(() => {}, 60_000)
else {
  const server = new Server({ name: 'kit', version: '1' }, { capabilities: { tools: { listChanged: true } } })
  server.setRequestHandler('tools/list', () => ({
    tools: plan().tools.map(({ name, description = name, inputSchema }) => ({
      name,
      description,
      inputSchema: { type: 'object' as const, ...inputSchema },
    })),
  }))
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }, context) => {
    const text = await (acts[name] ?? echo)(given as Record<string, string>, context, server)
    return { content: [{ type: 'text' as const, text }] }
  })
  console.error('the kit server speaks')
  await server.connect(new StdioServerTransport())
}

type Act = (given: Record<string, string>, context: ServerContext, server: Server) => string | Promise<string>

const echo: Act = (given) => `echo ${JSON.stringify(given)}`

const acts: Record<string, Act> = {
  die: () => process.exit(3),
  look: ({ path = '' }) => (existsSync(path) ? readFileSync(path, 'utf8') : 'not there'),
  append({ path = '', text = '' }) {
    appendFileSync(path, `${text}\n`)
    return 'appended'
  },
  env: () => JSON.stringify(process.env),
  long: () => 'x'.repeat(50_000),
  fails: () => Promise.reject(new Error('it does not want to')),
  async relist(_, __, server) {
    await server.sendToolListChanged()
    return 'said so'
  },
  /** Says so many times that it goes on, a second apart, before it answers. */
  async slow({ times = '3' }, { mcpReq }) {
    for (let at = 1; at <= Number(times); at++) {
      await new Promise((resolve) => setTimeout(resolve, 1000))
      const progressToken = mcpReq._meta?.progressToken
      if (progressToken !== undefined)
        await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: at } })
    }
    return 'done at last'
  },
  /** Waits in a process of its own, which is found by how long it sleeps. */
  wait: ({ word = '300' }, { mcpReq: { signal } }) =>
    new Promise((resolve) => {
      const child = spawn('sleep', [word])
      signal.addEventListener('abort', () => child.kill())
      child.on('close', () => resolve('woke up'))
    }),
}
