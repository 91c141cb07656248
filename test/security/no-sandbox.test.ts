import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../kit/files.ts'
import { securityLog } from '../kit/records.ts'
import { createWorld } from '../kit/world.ts'

describe('a server that was told to use a sandbox it has not got', () => {
  test.each(['workspace', 'strict'])(
    'runs no command in %s, whatever the model asks, and says so everywhere',
    async (mode) => {
      const folder = makeFolder()
      for (const name of ['bash', 'perl', 'git', 'touch', 'ls'])
        symlinkSync(
          spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim(),
          join(folder, name),
        )
      const world = await createWorld({
        settings: { sandbox: mode, permissions: { allow: ['bash'] } },
        env: { PATH: folder },
      })
      const inputs = [
        { command: 'touch marker' },
        { command: 'touch marker', sandbox: false },
        { command: 'touch marker', dangerouslyDisableSandbox: true },
        { command: 'TROUPE_SANDBOX=off touch marker' },
        { command: 'touch marker', background: true },
      ]
      world.vendor.reply({ calls: inputs.map((input) => ({ name: 'bash', input })) }, { text: 'It cannot run.' })
      const session = await world.session({ agent: 'coder' })
      const reply = await world.say(session.id, 'Go')
      expect(reply.toolCalls?.every(({ ok }) => !ok)).toBe(true)
      expect(existsSync(join(world.project, 'marker'))).toBe(false)
      expect(JSON.stringify(await world.messages(session.id))).toMatch(/sandbox_unavailable.*bubblewrap/)
      expect(JSON.stringify(await world.events(session.id))).toContain('sandbox_unavailable')
      expect(securityLog(world)).toMatch(/"tool.denied".*sandbox_unavailable/)
      const status = await world.request('GET', '/api/status')
      expect(status.body.sandbox).toMatchObject({
        mode,
        unavailable: true,
        reason: expect.stringContaining('bubblewrap'),
      })
    },
  )
})
