import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { InboxItem } from '../../src/contract/inbox.ts'
import { createWorld, type World } from '../kit/world.ts'

interface Asked {
  readonly item: InboxItem
  readonly mailId: string
  readonly sessionId: string
}

/** A coder makes one call that has to be approved. */
async function ask(world: World, name: string, input: unknown): Promise<Asked> {
  world.vendor.reply({ calls: [{ name, input }] }, { text: 'Done.' })
  const session = await world.session({ agent: 'coder' })
  const parked = await world.say(session.id, 'Go')
  const item = (await world.inbox()).find(({ waits }) => waits[0]?.sessionId === session.id)
  if (item === undefined) throw new Error(`It was not asked: ${JSON.stringify(parked)}`)
  return { item, mailId: parked.mailId, sessionId: session.id }
}

const answer = (world: World, id: string, decision: string) =>
  world.request('POST', `/api/inbox/${id}/answer`, { decision })

test('a path outside the workspace is read after approval: that one, once', async () => {
  const world = await createWorld()
  const secret = join(world.project, '..', 'secret.txt')
  writeFileSync(secret, 'canary')
  writeFileSync(join(world.project, '..', 'other.txt'), 'canary-two')
  const { item, mailId, sessionId } = await ask(world, 'read_file', { path: '../secret.txt' })
  expect(item.body).toContain('outside the workspace')
  expect(JSON.stringify(await world.messages(sessionId))).not.toContain('canary')
  await answer(world, item.id, 'once')
  await world.settled(mailId)
  expect(String(await world.results(sessionId))).toContain('canary')
  for (const path of ['../secret.txt', '../other.txt']) {
    const again = await ask(world, 'read_file', { path })
    await answer(world, again.item.id, 'deny')
    await world.settled(again.mailId)
  }
})

test('a link that was swapped after the approval is asked about again, and nothing is read or written', async () => {
  const world = await createWorld()
  const beside = (name: string) => join(world.project, '..', name)
  mkdirSync(beside('shown'))
  mkdirSync(beside('meant'))
  writeFileSync(join(beside('meant'), 'f.txt'), 'canary')
  writeFileSync(join(beside('shown'), 'f.txt'), 'harmless')
  symlinkSync(beside('shown'), join(world.project, 'way'))
  const { item, mailId, sessionId } = await ask(world, 'write_file', { path: 'way/f.txt', content: 'overwritten' })
  renameSync(join(world.project, 'way'), beside('old-way'))
  symlinkSync(beside('meant'), join(world.project, 'way'))
  await answer(world, item.id, 'once')
  await world.settled(mailId)
  const again = (await world.inbox()).find(({ id }) => id !== item.id)
  expect(again).toMatchObject({
    kind: 'approval',
    waits: [{ sessionId }],
    body: expect.stringContaining('you approved it before, but since then it has come to mean something else'),
  })
  expect(readFileSync(join(beside('meant'), 'f.txt'), 'utf8')).toBe('canary')
  expect(readFileSync(join(beside('shown'), 'f.txt'), 'utf8')).toBe('harmless')
})

test('a workspace that was swapped after the approval is asked about again, and the command does not run', async () => {
  const world = await createWorld()
  const work = join(world.project, 'work')
  mkdirSync(work)
  world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'touch ran' } }] }, { text: 'Done.' })
  const session = await world.session({ agent: 'coder', workspace: work })
  const parked = await world.say(session.id, 'Go')
  const [item] = await world.inbox()
  renameSync(work, join(world.project, 'moved'))
  mkdirSync(join(world.project, 'elsewhere'))
  symlinkSync(join(world.project, 'elsewhere'), work)
  await answer(world, item!.id, 'once')
  await world.settled(parked.mailId)
  expect((await world.inbox()).map(({ id }) => id)).not.toContain(item!.id)
  const said = 'you approved it before, but since then another folder has taken the place of the one it works in.'
  expect(await world.inbox()).toMatchObject([{ kind: 'approval', body: expect.stringContaining(said) }])
  for (const folder of ['elsewhere', 'moved']) expect(existsSync(join(world.project, folder, 'ran'))).toBe(false)
})

test('an approval holds although the file that defines the agent has moved', async () => {
  const world = await createWorld({ files: { '.troupe/agents/mover/AGENT.md': 'Go.' } })
  const agents = join(world.project, '.troupe', 'agents')
  world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'touch ran' } }] }, { text: 'Done.' })
  const parked = await world.say((await world.session({ agent: 'mover' })).id, 'Go')
  const [item] = await world.inbox()
  renameSync(join(agents, 'mover', 'AGENT.md'), join(agents, 'mover.md'))
  await answer(world, item!.id, 'once')
  await world.settled(parked.mailId)
  expect(existsSync(join(world.project, 'ran'))).toBe(true)
})

test('a call that needed no approval when it was made, and does when it starts, is asked for and says so', async () => {
  const world = await createWorld({ settings: { permissions: { allow: ['bash(touch *)'] } } })
  const calls = ['sleep 0', 'touch ran'].map((command) => ({ name: 'bash', input: { command } }))
  world.vendor.reply({ calls }, { text: 'Done.' })
  const { mailId } = await world.say((await world.session({ agent: 'coder' })).id, 'Go')
  const [item] = await world.inbox()
  await world.ok('POST', '/api/permissions', { decision: 'ask', rule: 'bash(touch*)' })
  await answer(world, item!.id, 'once')
  await world.settled(mailId)
  const [again] = await world.inbox()
  expect(again?.body).toContain('rule ask "bash(touch*)"')
  expect(again?.body).toContain('; it needed no approval when it was made.')
  expect(existsSync(join(world.project, 'ran'))).toBe(false)
})

test('a rule that was added while a call waited holds when it starts', async () => {
  const world = await createWorld()
  const { item, mailId, sessionId } = await ask(world, 'bash', { command: 'touch ran' })
  await world.ok('POST', '/api/permissions', { decision: 'deny', rule: 'bash(touch*)' })
  await answer(world, item.id, 'once')
  await world.settled(mailId)
  expect(String(await world.results(sessionId))).toContain('rule deny "bash(touch*)"')
  expect(existsSync(join(world.project, 'ran'))).toBe(false)
})

test('always writes rules for exactly these commands, never for the shell', async () => {
  const world = await createWorld()
  const first = await ask(world, 'bash', { command: 'touch a && touch b' })
  await answer(world, first.item.id, 'always')
  await world.settled(first.mailId)
  const rules = await world.ok<{ items: { rule: string }[] }>('GET', '/api/permissions')
  expect(rules.items.map(({ rule }) => rule)).toEqual(['bash(touch a)', 'bash(touch b)'])
  world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'touch b; touch a' } }] }, { text: 'Done.' })
  const again = await world.say((await world.session({ agent: 'coder' })).id, 'Go')
  expect(again.toolCalls).toEqual([{ name: 'bash', ok: true }])
  await ask(world, 'bash', { command: 'touch c' })
})

test('of many answers at once one counts, and the call runs once', async () => {
  const world = await createWorld()
  const { item, mailId } = await ask(world, 'bash', { command: 'echo x >> ran' })
  const answers = await Promise.all(Array.from({ length: 8 }, () => answer(world, item.id, 'once')))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(7).fill(409)])
  await world.settled(mailId)
  expect(readFileSync(join(world.project, 'ran'), 'utf8')).toBe('x\n')
})

test('an approved git command may write the repository, others may not', async () => {
  const world = await createWorld({ settings: { sandbox: 'workspace' } })
  const made = await ask(world, 'bash', { command: 'git init -q' })
  await answer(world, made.item.id, 'once')
  await world.settled(made.mailId)
  expect(existsSync(join(world.project, '.git', 'HEAD'))).toBe(true)
  const planted = await ask(world, 'bash', { command: 'sh plant.sh' })
  writeFileSync(join(world.project, 'plant.sh'), 'echo x > .git/hooks/post-checkout')
  await answer(world, planted.item.id, 'once')
  await world.settled(planted.mailId)
  expect(existsSync(join(world.project, '.git', 'hooks', 'post-checkout'))).toBe(false)
  expect(String(await world.results(planted.sessionId))).toContain('The sandbox lets commands write')
})

test('an approved command may write the path outside that it names, and a rule that names it holds later', async () => {
  const world = await createWorld({ settings: { sandbox: 'workspace' } })
  const outside = join(world.home, '..', 'other.txt')
  const { item, mailId } = await ask(world, 'bash', { command: 'echo new > ../other.txt' })
  expect(existsSync(outside)).toBe(false)
  await answer(world, item.id, 'always')
  await world.settled(mailId)
  expect(readFileSync(outside, 'utf8')).toBe('new\n')
  writeFileSync(outside, 'old')
  world.vendor.reply({ calls: [{ name: 'bash', input: { command: 'echo new > ../other.txt' } }] }, { text: 'Done.' })
  await world.say((await world.session({ agent: 'coder' })).id, 'Go')
  expect(readFileSync(outside, 'utf8')).toBe('new\n')
})

test('a hook in a folder that git was told of is written by a file tool when a person approved it, and not before', async () => {
  const world = await createWorld({ settings: { permissions: { allow: ['*'] } } })
  for (const args of [
    ['init', '-q'],
    ['config', 'core.hooksPath', '.husky'],
  ])
    execFileSync('git', args, { cwd: world.project, stdio: 'pipe' })
  const { item, mailId } = await ask(world, 'write_file', { path: '.husky/pre-commit', content: '#!/bin/sh\n' })
  expect(item.body).toContain('writing .husky/** changes what agents may do')
  expect(existsSync(join(world.project, '.husky'))).toBe(false)
  await answer(world, item.id, 'once')
  await world.settled(mailId)
  expect(readFileSync(join(world.project, '.husky/pre-commit'), 'utf8')).toBe('#!/bin/sh\n')
})
