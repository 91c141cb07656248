import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { cast } from '../kit/cast.ts'
import { bin } from '../kit/desk.ts'
import { createWorld, type World } from '../kit/world.ts'

/** Moves the cursor, sets a title, writes the clipboard, colours, turns the direction, hides. */
const ODD = '\u001b[2J\u001b]0;t\u0007\u001b]52;c;eA==\u0007\u009b8m\u001b[35mred\u202egnp\u200b\u2066.\u0000\r'
const CANARY = 'word'
const odd = (what: string) => `${CANARY} ${what} ${ODD}`
/** Bodies of requests and arguments of commands have no NUL. */
const sent = (what: string) => odd(what).replaceAll('\0', '')

const COLOURS = new RegExp(`${'\u001b'}\\[(1|2|22|31|32|33|36|39)m`, 'g')

/** All that a terminal may get beside letters: line feeds, tabs, and the colours that the program uses. */
const remains = (text: string) => text.replaceAll(COLOURS, '').match(/(?![\n\t])\p{Cc}|\p{Bidi_Control}|\u200b/gu)

async function printed(world: World, words: readonly string[]): Promise<string> {
  const place = ['--home', world.home, '--project', world.project, '--no-start']
  const env = { PATH: process.env.PATH, HOME: world.home, FORCE_COLOR: '1' }
  const run = promisify(execFile)(process.execPath, [bin, ...words, ...place], { env })
  const { stdout, stderr } = await run.catch((failed: { stdout: string; stderr: string }) => failed)
  return stdout + stderr
}

test('no command lets words of models, tools, files and people command the terminal', async () => {
  const world = await createWorld({
    files: {
      ...cast({ ann: { description: odd('description') } }),
      '../home/agents/ann/AGENT.md': odd('prose'),
      '.troupe/agents/sly/agent.json': JSON.stringify({ [odd('field')]: 1 }),
      '.troupe/settings.json': JSON.stringify({ permissions: { allow: [`bash(${odd('rule')})`] }, [odd('key')]: 1 }),
      'AGENTS.md': odd('project'),
    },
    settings: { permissions: { ask: [`bash(${CANARY} asked*)`], deny: [`bash(${ODD}*)`] } },
  })
  const bash = { name: 'bash', input: { command: odd('asked') } }
  world.vendor.queue(
    { model: 'ann' },
    {
      text: odd('says'),
      calls: [{ name: 'todo_write', input: { todos: [{ content: odd('todo'), status: 'pending' }] } }],
    },
    { calls: [{ name: odd('tool'), input: { x: odd('input') } }] },
    { calls: [bash] },
  )
  const ann = await world.session({ agent: 'ann', title: sent('title') })
  await world.say(ann.id, sent('message'))
  const { code } = await world.ok<{ code: string }>('POST', '/api/devices/code', {})
  await world.ok('POST', '/api/login', { code, name: sent('phone') })
  const [item] = await world.inbox()
  world.server.core.log('warn', odd('logged'))

  const commands = [
    ['sessions'],
    ['sessions', 'show', ann.handle],
    ['sessions', 'messages', ann.handle],
    ['sessions', 'prompt', ann.handle],
    ['sessions', 'export', ann.handle],
    ['sessions', 'export', ann.handle, '--format', 'jsonl'],
    ['inbox'],
    ['inbox', 'show', item!.id],
    ['why', ann.handle],
    ['agents'],
    ['agents', 'show', 'ann'],
    ['agents', 'show', 'sly'],
    ['permissions'],
    ['permissions', 'check', `read_file /${sent('asked')}`],
    ['trust'],
    ['devices'],
    ['config', 'list'],
    ['config', 'get', sent('key')],
    ['doctor'],
    ['status'],
    ['cost'],
    ['logs'],
    ['send', odd('nobody').replaceAll('\0', ''), 'hi'],
    [odd('unknown').replaceAll('\0', '')],
  ]
  const all = [
    ...commands,
    ...commands.filter(([name]) => ['inbox', 'send'].includes(name!)).map((words) => [...words, '--json']),
  ]
  const said: { words: string[]; text: string }[] = []
  const next = all.values()
  const worker = async () => {
    for (const words of next) said.push({ words, text: await printed(world, words) })
  }
  await Promise.all([worker(), worker(), worker(), worker()])

  expect(said.filter(({ text }) => remains(text) !== null)).toEqual([])
  // Each of them did show the words.
  const silent = ['status', 'cost', 'doctor']
  expect(said.filter(({ words, text }) => !silent.includes(words[0]!) && !text.includes(CANARY))).toEqual([])
})
