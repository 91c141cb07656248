import { expect, test } from 'vitest'
import { makeFolders } from '../../../../test/kit/folders.ts'
import { setTrust } from '../trust/trust.ts'
import { hooksFor } from './hooks.ts'

const sound = { command: 'true' }
const many = Array.from({ length: 21 }, () => sound)

test.each([
  [
    'a command that is no text',
    { hooks: { beforeTool: [sound, { command: 5, match: ['bash'] }] } },
    'hooks.beforeTool.1.command',
    ['bash'],
  ],
  ['no command', { hooks: { beforeTool: [{ name: 'guard' }, sound] } }, 'hooks.beforeTool.0.command', undefined],
  ['a text instead of a hook', { hooks: { beforeTool: ['true'] } }, 'hooks.beforeTool.0', undefined],
  ['a text instead of a list', { hooks: { beforeTool: 'true' } }, 'hooks.beforeTool', undefined],
  ['one hook instead of a list', { hooks: { beforeTool: sound } }, 'hooks.beforeTool', undefined],
  ['more than there may be', { hooks: { beforeTool: many } }, 'hooks.beforeTool', undefined],
  ['a list instead of events', { hooks: [sound] }, 'hooks', undefined],
  ['an event that is none', { hooks: { beforetool: [sound] } }, 'hooks.beforetool', undefined],
  ['a file that is not JSON', '{"hooks": {"beforeTool": [{"command": "true"}]}, "sandbox": }', 'line 1', undefined],
  ['a file that is too large', `{"hooks": {}} ${' '.repeat(300_000)}`, 'is too large', undefined],
])('a hook before tools that is lost by %s refuses what it guards, and names the place', (_, file, place, match) => {
  const { core, project, putHome } = makeFolders()
  const path = putHome('settings.json', file)
  const lost = hooksFor(core, project, {}).filter(({ broken }) => broken !== undefined)
  expect(lost).toHaveLength(1)
  expect(lost[0]).toMatchObject({ event: 'beforeTool', from: path, broken: expect.stringContaining(place) })
  expect(lost[0]?.match).toEqual(match)
})

test.each([
  ['no hooks', {}],
  [
    'a field that can be left out',
    { hooks: { beforeTool: [{ ...sound, timeoutSeconds: 9999, matcher: 'bash', match: [] }] } },
  ],
  ['a hook of another moment', { hooks: { afterTool: [{ command: 5 }], turnEnd: 'bell' } }],
  ['a file that is not JSON and has none', '{"sandbox": }'],
])('no tool is refused for %s', (_, file) => {
  const { core, project, putHome } = makeFolders()
  putHome('settings.json', file)
  expect(hooksFor(core, project, {}).filter(({ broken }) => broken !== undefined)).toEqual([])
})

test("a project's broken hook counts where its hooks would: once the project is trusted", () => {
  const { core, project, put } = makeFolders()
  put('.troupe/settings.local.json', { hooks: { beforeTool: [{}] } })
  expect(hooksFor(core, project, {})).toEqual([])
  setTrust(core, project, { trusted: true })
  expect(hooksFor(core, project, {})).toMatchObject([{ from: expect.stringContaining('settings.local.json') }])
})
