import { existsSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import { watchedIn } from '../../src/core/permissions/index.ts'
import { tellUnseen } from '../../src/core/waits/index.ts'
import { enclose, sandboxSupport } from '../../src/lib/sandbox/sandbox.ts'
import { makeCell } from '../kit/cell.ts'
import { eventually } from '../kit/processes.ts'
import { createWorld, type World } from '../kit/world.ts'

const works = sandboxSupport(process.env).program !== undefined
if (!works) console.warn(`!!! NO SANDBOX HERE: ${sandboxSupport(process.env).why}`)

const settings = { sandbox: 'workspace', permissions: { allow: ['bash(sh setup.sh)', 'bash(sh -c *)'] } }

/** A coder runs one command; what then waits for the person. */
async function run(world: World, input: { command: string; background?: boolean }) {
  world.vendor.reply({ calls: [{ name: 'bash', input }] }, { text: 'Done.' })
  const session = await world.session({ agent: 'coder' })
  const { mailId } = await world.say(session.id, 'Go')
  return { mailId, sessionId: session.id, items: () => mine(world, session.id) }
}

const mine = async (world: World, sessionId: string): Promise<InboxItem[]> =>
  (await world.inbox()).filter(({ from }) => from.sessionId === sessionId)

const answer = (world: World, { id }: InboxItem, decision: string, reason?: string) =>
  world.request('POST', `/api/inbox/${id}/answer`, { decision, reason })

const textAt = (world: World, path: string): string | undefined =>
  existsSync(join(world.project, path)) ? readFileSync(join(world.project, path), 'utf8') : undefined

describe.runIf(works)('what an allowed command changes under a protected name', () => {
  test('waits for the person with a diff: approved it is there, denied it never was, always it is not asked again', async () => {
    const world = await createWorld({ settings })
    writeFileSync(join(world.project, 'setup.sh'), 'echo "{}" > .mcp.json; echo done')
    for (const decision of ['deny', 'once']) {
      const { items, mailId, sessionId } = await run(world, { command: 'sh setup.sh' })
      const [item] = await items()
      expect(item).toMatchObject({ kind: 'approval', title: expect.stringContaining('.mcp.json changed') })
      expect(item!.body).toContain('+{}')
      expect(textAt(world, '.mcp.json')).toBeUndefined()
      await answer(world, item!, decision, decision === 'deny' ? 'I keep my own' : undefined)
      await world.settled(mailId)
      expect(textAt(world, '.mcp.json')).toBe(decision === 'deny' ? undefined : '{}\n')
      const said = String(await world.results(sessionId))
      expect(said).toContain('done')
      expect(said).toContain(decision === 'deny' ? 'denied it (I keep my own), and' : 'approved it, and')
    }
    writeFileSync(join(world.project, 'setup.sh'), 'echo "[]" > .mcp.json')
    const third = await run(world, { command: 'sh setup.sh' })
    await answer(world, (await third.items())[0]!, 'always')
    await world.settled(third.mailId)
    writeFileSync(join(world.project, 'setup.sh'), 'echo "[1]" > .mcp.json')
    const fourth = await run(world, { command: 'sh setup.sh' })
    expect(await fourth.items()).toEqual([])
    expect(textAt(world, '.mcp.json')).toBe('[1]\n')
    // What was denied is kept for a while: the person may have written it.
    expect(readdirSync(join(world.home, 'aside'))).toEqual([expect.stringMatching(/\.undone$/)])
    // Of a new folder only the folder is named.
    writeFileSync(join(world.project, 'setup.sh'), 'mkdir -p .claude/agents; echo x > .claude/agents/a.md')
    const [folder] = await (await run(world, { command: 'sh setup.sh' })).items()
    expect(folder!.title).toMatch(/ran a command, \.claude changed/)
    expect(folder!.body).toContain('a protected path changed')
  })

  test('is asked about when a background command ends, and told when something else stands there', async () => {
    const world = await createWorld({ settings })
    writeFileSync(join(world.project, 'setup.sh'), 'echo A=1 > .env')
    const { items } = await run(world, { command: 'sh setup.sh', background: true })
    await eventually(async () => (await items()).length === 1)
    const [item] = await items()
    writeFileSync(join(world.project, '.env'), 'B=2')
    const refused = await answer(world, item!, 'once')
    expect([refused.status, textAt(world, '.env')]).toEqual([400, 'B=2'])
    writeFileSync(join(world.project, '.env'), 'A=1\n')
    expect((await answer(world, item!, 'once')).status).toBe(200)
    expect([textAt(world, '.env'), await items()]).toEqual(['A=1\n', []])
  })

  test('is told to the person once a session when there was too much to look at', async () => {
    const world = await createWorld({ settings })
    const { id } = await world.session({ agent: 'coder' })
    for (const _ of [1, 2]) await tellUnseen(world.server.core, id, 'The folder has too many files.')
    expect(await mine(world, id)).toMatchObject([
      {
        kind: 'notice',
        title: 'coder works in a folder that could not be looked through',
        body: expect.stringContaining('The folder has too many files.'),
      },
    ])
  })

  test('is not said to be in place when it cannot be put there: a pipe, a folder that became a link', async () => {
    const world = await createWorld({ settings })
    writeFileSync(join(world.project, 'setup.sh'), 'mkfifo .env')
    const pipe = await run(world, { command: 'sh setup.sh' })
    const [first] = await pipe.items()
    expect((await answer(world, first!, 'once')).status).toBe(400)
    expect((await answer(world, first!, 'deny')).status).toBe(200)
    writeFileSync(join(world.project, 'setup.sh'), 'mkdir deep; echo A=1 > deep/.env')
    const { items } = await run(world, { command: 'sh setup.sh' })
    const [second] = await items()
    renameSync(join(world.project, 'deep'), join(world.project, 'other'))
    symlinkSync('other', join(world.project, 'deep'))
    expect((await answer(world, second!, 'once')).status).toBe(400)
    expect(readdirSync(join(world.project, 'other'))).toEqual([])
    rmSync(join(world.project, 'deep'))
    renameSync(join(world.project, 'other'), join(world.project, 'deep'))
    expect([(await answer(world, second!, 'once')).status, textAt(world, 'deep/.env')]).toEqual([200, 'A=1\n'])
  })

  test('is allowed for good at its very path only, whatever its folder is called', async () => {
    const world = await createWorld({ settings })
    writeFileSync(join(world.project, 'setup.sh'), "mkdir -p 'sub/**' sub/b; echo A=1 > 'sub/**/.env'")
    const { items, mailId } = await run(world, { command: 'sh setup.sh' })
    await answer(world, (await items())[0]!, 'always')
    await world.settled(mailId)
    writeFileSync(join(world.project, 'setup.sh'), "echo A=2 > 'sub/**/.env'; echo A=2 > sub/b/.env")
    const again = await run(world, { command: 'sh setup.sh' })
    expect(await again.items()).toMatchObject([{ title: expect.stringContaining('sub/b/.env changed') }])
    expect(textAt(world, 'sub/**/.env')).toBe('A=2\n')
  })

  test('is shown so that no change looks like none: at the end, in a secret, in the mode, in the name, in the number', async () => {
    const world = await createWorld({ settings })
    const cell = makeCell()
    const at = (name: string): string => join(cell.workspace, name)
    writeFileSync(at('.mcp.json'), `${'x\n'.repeat(12_500)}a`)
    writeFileSync(at('.env'), 'KEY=abcgood\n')
    writeFileSync(at('.envrc'), 'echo\n', { mode: 0o644 })
    const change = "sed -i 's/a$/b/' .mcp.json; sed -i s/good/evil/ .env; chmod +x .envrc; echo A=1 > $'.env\\n-x'"
    const { diff } = (await cell.run(change)).aside!
    expect(diff.match(/^[-+].*\(5001 more bytes, \w+\)$/gm)).toHaveLength(2)
    expect(diff.match(/^[-+]KEY=abc… \(4 more, \w{4}\)$/gm)).toHaveLength(2)
    expect(diff).not.toContain('good')
    expect(diff).toMatch(/^\+\(a program\)$/m)
    expect(diff).toContain('+++ ".env\\n-x"')
    writeFileSync(join(world.project, 'setup.sh'), 'for i in $(seq 30); do echo A=1 > .env$i; done')
    const { items } = await run(world, { command: 'sh setup.sh' })
    expect(await items()).toMatchObject([
      { title: expect.stringContaining(' and 10 more changed'), body: expect.stringContaining('30 protected paths') },
    ])
  })

  test('is asked about once after the server was killed while the command ran', async () => {
    const world = await createWorld({ settings })
    const session = await world.session({ agent: 'coder' })
    const places = watchedIn(world)
    const box = { ...makeCell().box, ...places, workspace: world.project, home: world.home, owner: session.id }
    await enclose(['true'], box, { PATH: process.env.PATH })
    writeFileSync(join(world.project, '.mcp.json'), 'planted')
    for (const _ of [1, 2]) await world.restart()
    const [item, ...more] = await mine(world, session.id)
    expect([textAt(world, '.mcp.json'), more]).toEqual([undefined, []])
    expect(item!.body).toContain('+planted')
    expect((await answer(world, item!, 'once')).status).toBe(200)
    expect([textAt(world, '.mcp.json'), await mine(world, session.id)]).toEqual(['planted', []])
  })

  test('is undone where nobody is there to be asked', async () => {
    const world = await createWorld({
      settings: { ...settings, permissions: { ...settings.permissions, unattended: 'deny' } },
    })
    writeFileSync(join(world.project, 'setup.sh'), 'echo A=1 > .env')
    world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'sh setup.sh' } }] }, { text: 'Done.' })
    const session = await world.session({ agent: 'coder' })
    const sent = await world.ok<{ mailId: string }>('POST', `/api/sessions/${session.id}/messages`, {
      content: 'Go',
      unattended: 'settings',
    })
    await world.settled(sent.mailId)
    expect(String(await world.results(session.id))).toContain('nobody is there to approve it')
    expect([textAt(world, '.env'), await mine(world, session.id)]).toEqual([undefined, []])
  })

  test.each([
    ['cp .env.example .env', '.env'],
    ['sed -i s/old/new/ .env', '.env'],
    ['mv .env .env.local', '.env.local'],
    ['rm .env', ''],
    ['mkdir -p .claude/skills', '.claude/skills'],
    ['test -f .env.local || cp .env.example .env.local', '.env.local'],
  ])('is in place at once when the person approved exactly that: %s', async (command, path) => {
    const world = await createWorld({ settings })
    writeFileSync(join(world.project, '.env.example'), 'A=\n')
    writeFileSync(join(world.project, '.env'), 'old\n')
    const { items, mailId, sessionId } = await run(world, { command })
    const [item, ...more] = await items()
    expect(more).toEqual([])
    await answer(world, item!, 'once')
    await world.settled(mailId)
    expect(String(await world.results(sessionId))).toContain('no output')
    expect(await items()).toEqual([])
    expect(existsSync(join(world.project, path === '' ? '.env' : path))).toBe(path !== '')
  })
})
