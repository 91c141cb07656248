import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openSecurityLog } from '../../src/http/guard/security-log.ts'
import { cast, requestAs } from '../kit/cast.ts'
import { stores } from '../kit/database.ts'
import { makeFolders } from '../kit/folders.ts'
import { spawn } from '../kit/script.ts'
import { createWorld, type World } from '../kit/world.ts'

const linesOf = (home: string): { message: string; route: string; reason: string }[] =>
  readFileSync(join(home, 'logs', 'security.log'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const logged = (world: World, what: string) => linesOf(world.home).filter(({ message }) => message === what)

const bash = (command: string) => ({ name: 'bash', input: { command } })

describe.each(stores)('the security log on %s', (store) => {
  test('has every command that an agent starts, and every call that was refused, without secrets', async () => {
    const canary = 'canary-token-58a1e2'
    const world = await createWorld({
      store,
      env: { MY_TOKEN: canary },
      settings: { permissions: { allow: ['bash'], deny: ['bash(rm*)', 'agent_send'] } },
    })
    const command = `echo ${canary} ${'x '.repeat(40)}`
    world.vendor.reply(
      { calls: [bash(command)] },
      { calls: [bash('rm -rf x'), { name: 'fly', input: {} }] },
      { text: '.' },
    )
    const session = await world.session({ agent: 'coder' })
    await world.say(session.id, 'Go')
    await requestAs(world, session, 'POST', '/api/mail', { to: 'writer', content: 'Hi' })
    const where = `session ${session.id.slice(0, 8)} coder`
    expect(logged(world, 'command')).toMatchObject([{ route: where, reason: command.replace(canary, '[secret]') }])
    expect(logged(world, 'tool.denied')).toMatchObject([
      { route: where, reason: expect.stringMatching(/^bash: Not permitted: rule deny "bash\(rm\*\)"/) },
      { route: where, reason: expect.stringMatching(/^fly: There is no tool/) },
      { route: where, reason: expect.stringMatching(/^agent_send: Not permitted/) },
    ])
    expect(JSON.stringify(linesOf(world.home))).not.toContain(canary)
  })

  test('an approval shows who asked whom down to the call, to the person and in the log', async () => {
    const world = await createWorld({ store, files: cast({ lea: {}, mia: {}, cody: {} }) })
    world.vendor.queue({ model: 'lea' }, { calls: [spawn('mia', 'Have the tests run')] })
    world.vendor.queue({ model: 'mia' }, { calls: [spawn('cody', 'Run the tests')] })
    world.vendor.queue({ model: 'cody' }, { calls: [bash('make test')] })
    const lea = await world.session({ agent: 'lea' })
    await world.say(lea.id, 'See that it works')
    const [item] = await world.inbox()
    const [, , mia, cody] = /lea (\w{4,}).*→ mia (\w{4,}).*→ cody (\w{4,})/s.exec(item!.body) ?? []
    const chain = [
      `  the person → lea ${lea.handle}`,
      `  lea ${lea.handle} → mia ${mia}: Have the tests run`,
      `  mia ${mia} → cody ${cody}: Run the tests`,
    ].join('\n')
    expect(item!.waits[0]?.sessionId.startsWith(cody!)).toBe(true)
    expect(item!.body).toContain(`It goes back to:\n${chain}`)
    expect(logged(world, 'approval.asked')).toMatchObject([{ reason: expect.stringContaining(chain) }])
  })

  test('an approval of what the person asked for themselves goes without a chain', async () => {
    const world = await createWorld({ store })
    world.vendor.reply({ calls: [bash('make')] })
    await world.say((await world.session({ agent: 'coder' })).id, 'Go')
    expect((await world.inbox())[0]?.body).not.toContain('goes back to')
  })
})

test('a flood of one kind of line is cut and counted, and hides no other kind', () => {
  let at = 0
  const { core } = makeFolders()
  const log = openSecurityLog(core.home, { now: () => at })
  for (let count = 0; count < 400; count++) log('auth.wrong', 'GET /', 'no')
  log('trust', 'POST /api/trust', 'yes')
  at += 60_000
  log('auth.wrong', 'GET /', 'again')
  const kinds = linesOf(core.home).map(({ message }) => message)
  expect(kinds.filter((kind) => kind === 'auth.wrong')).toHaveLength(301)
  expect(kinds).toContain('trust')
  expect(linesOf(core.home)).toContainEqual(
    expect.objectContaining({ message: 'log.limited', reason: expect.stringContaining('100 lines of auth.wrong') }),
  )
})
