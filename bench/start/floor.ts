import module from 'node:module'
import { openRaw } from '../turn/raw.ts'

module.enableCompileCache()

/** `node floor.mjs <vendor> <folder>`: opens its log, says so, makes one call and stays until it is stopped. */
const [vendor = '', folder = ''] = process.argv.slice(2)
const tools = [{ name: 'add', description: 'Add two numbers.', inputSchema: { type: 'object', properties: {} } }]
const load = { talks: 1, calls: 1, warm: 0, delay: 0 }
const raw = await openRaw({ variant: 'raw', run: '', vendor, folder, system: 'You answer.', tools, load })
await raw.open('talk', [])
process.stdout.write('ready\n')
await raw.converse('talk', 'hello')
const [, answer] = await raw.stored('talk')
process.stdout.write(`${answer?.body}\n`)
process.once('SIGTERM', () => process.exit())
setInterval(() => {}, 60_000)
