import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Desk, openDesk } from '../../../test/kit/desk.ts'

describe('at one desk, one after the other', () => {
  let desk: Desk
  let file: string
  beforeAll(async () => {
    desk = await openDesk()
    file = join(desk.project, 'talk.jsonl')
  })
  afterAll(() => desk.close())

  test('"send --record" keeps a conversation of several agents, and "replay" plays it back', async () => {
    const sent = await desk.run('send', 'assistant', 'ask researcher to list the files', '--wait', '--record', file)
    expect(sent.code).toBe(0)
    const lines = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines.filter(({ type }) => type === 'session').map(({ agent }) => agent)).toEqual([
      'assistant',
      'researcher',
    ])
    const played = await desk.run('replay', file)
    expect(played).toMatchObject({ code: 0, out: expect.stringMatching(/1 message and 2 answers went as recorded/) })
  })

  test('a recording that differs ends with 1 and says where; what is no recording with 2', async () => {
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('"response":"', '"response":"Once upon a time '))
    const differs = await desk.run('replay', file)
    expect(differs).toMatchObject({
      code: 1,
      err: expect.stringMatching(/differs from the recording at the result of agent_message/),
    })
    expect(await desk.run('replay', join(desk.project, 'none.jsonl'))).toMatchObject({ code: 2 })
    const other = join(desk.project, 'other.jsonl')
    writeFileSync(other, 'hello')
    expect(await desk.run('replay', other)).toMatchObject({ code: 2, err: expect.stringContaining('is no recording') })
    expect(await desk.run('send', 'assistant', 'hello', '--record', file)).toMatchObject({
      code: 2,
      err: expect.stringContaining('Add --wait'),
    })
  })

  test('a chat is recorded turn by turn, and the server can write the same afterwards', async () => {
    const chat = await desk.pipe('hello\nlist the files\n', 'chat', 'assistant', '--new', '--record', file)
    expect(chat.code).toBe(0)
    const said = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ from }) => from?.kind === 'human')
    expect(said.map(({ parts }) => parts[0].text)).toEqual(['hello', 'list the files'])
    expect(await desk.run('replay', file)).toMatchObject({ code: 0 })
  })
})
