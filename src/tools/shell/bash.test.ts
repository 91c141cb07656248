import { expect, test } from 'vitest'
import { makeCell } from '../../../test/kit/cell.ts'
import { eventually, processesWith } from '../../../test/kit/processes.ts'
import { makeToolPlace } from '../../../test/kit/tool-place.ts'
import { hex } from '../../lib/ids.ts'
import { sandboxSupport } from '../../lib/sandbox/sandbox.ts'

test('a command runs in the workspace; its output comes live and in the end', async () => {
  const place = makeToolPlace()
  const result = await place.call('bash', { command: 'pwd; printf "\\033[31mred\\033[0m\\n"; exit 2' })
  expect(result).toEqual({ output: `${place.workspace}\nred\n[exit code 2]` })
  expect(place.live.join('')).toContain(place.workspace)
})

test('a command without output says so, and NUL and broken characters do not come through', async () => {
  const place = makeToolPlace()
  expect(await place.call('bash', { command: 'true' })).toEqual({ output: '[no output]' })
  const { output } = await place.call('bash', { command: "printf 'a\\0b\\xff'" })
  expect(output).toBe('a\u2400b\ufffd')
})

test('no command opens an editor or a pager: git says how to go on, whatever its settings name', async () => {
  const place = makeToolPlace()
  const settings = 'for key in core.editor sequence.editor core.pager; do git config $key "touch ran; cat"; done'
  const made = 'git init -q && git config user.name a && git config user.email a@example.com && echo 1 > a && git add a'
  await place.call('bash', {
    command: `${made} && ${settings} && git commit -qm one && git mv a b && git commit -qm two`,
  })
  const opens = ['git commit --amend', 'git rebase -i --root', 'git tag -a v1', '$EDITOR b', '$VISUAL b']
  for (const command of opens) {
    const { output } = await place.call('bash', { command: `eval "${command}"` })
    expect([command, output]).toEqual([command, expect.stringMatching(/No editor opens here\. Give the text/)])
  }
  const kept = await place.call('bash', { command: 'GIT_EDITOR=true git commit --amend -q; git log --format=%s; ls' })
  expect(kept).toEqual({ output: 'two\none\nb' })
})

test('a command beyond its timeout is ended with a sentence that says what to do', async () => {
  const place = makeToolPlace()
  const result = await place.call('bash', { command: 'echo begun; sleep 1000', timeout: 1 })
  expect(result).toMatchObject({
    error: true,
    output: expect.stringMatching(/^begun\n\[Ended after 1 s, .*background/),
  })
})

test('a canceled command is ended and says why', async () => {
  const place = makeToolPlace()
  const abort = new AbortController()
  const result = await place.call(
    'bash',
    { command: 'echo begun; sleep 1000' },
    { signal: abort.signal, output: () => abort.abort('the person canceled') },
  )
  expect(result).toMatchObject({ error: true, output: 'begun\n[Ended before it was done: the person canceled]' })
})

test('much output is cut to its beginning and end, and a flood is not shown live', async () => {
  const place = makeToolPlace()
  const { output } = await place.call('bash', { command: 'seq 1 1000000; echo last' })
  expect(output.length).toBeLessThan(10_100)
  expect(output).toMatch(/^1\n2\n[\s\S]*characters cut[\s\S]*last$/)
  expect(place.live.join('').length).toBeLessThan(201_000)
})

test('a background command is started, read and stopped by its id', async () => {
  const place = makeToolPlace()
  const seconds = `1003${Number.parseInt(hex(4), 16)}`
  const started = await place.callRaw('bash', { command: `echo up; sleep ${seconds}`, background: true })
  const { id } = (started as { output: { id: string } }).output
  await eventually(() => processesWith(`sleep\0${seconds}`).length === 1)
  // The process runs, but its output may not have come through the pipe yet.
  const read = async () => (await place.call('bash', { background_id: id })).output
  let output = await read()
  while (output === '[still running]') {
    // Without a turn of the event loop the pipe would never be read.
    await new Promise((resolve) => setImmediate(resolve))
    output = await read()
  }
  expect(output).toBe('up\n[still running]')
  expect((await place.call('bash', { background_id: id }, { sessionId: hex() })).output).toContain(
    'has no background command',
  )
  expect(await place.call('bash', { background_id: id, action: 'stop' })).toEqual({ output: '[ended by SIGTERM]' })
  expect(processesWith(seconds)).toEqual([])
  expect((await place.call('bash', { background_id: 'bg_none' })).output).toContain('has no background command')
})

test.each([
  [{}],
  [{ command: 'true', background_id: 'x' }],
  [{ command: 'true', timeout: 601 }],
  [{ command: 'true', cwd: '/' }],
])('input %j is refused and nothing runs', async (input) => {
  const place = makeToolPlace()
  expect((await place.call('bash', input)).error).toBe(true)
  expect(place.live).toEqual([])
})

const MB = 1024 ** 2
const caps = { memoryBytes: 200 * MB, processes: 30, fileBytes: 4 * MB, tempBytes: 2 * MB }

test.runIf(sandboxSupport(process.env).program !== undefined).each([
  ['memory', `ulimit -v 1000000; perl -e '$x = "x" x 300_000_000; sleep 1000'`, /more than 0.2 GiB of memory.*smaller/],
  ['processes', '(ulimit -u 300; for i in {1..60}; do sleep 1000 & done; wait)', /more than 30 of them.*smaller parts/],
  ['the size of a file', 'head -c 9000000 /dev/zero > big', /A file may have .* at most\. Write several/],
  [
    'the size of a file, said by the program',
    "dd if=/dev/zero of=big bs=1M count=9 2>&1; trap '' XFSZ; dd if=/dev/zero of=big bs=1M count=9",
    /A file may/,
  ],
  ['temporary files', 'dd if=/dev/zero of=/tmp/big bs=1M count=3', /\/tmp holds .* at most.*set TMPDIR to a folder/],
  ['temporary files elsewhere', 'dd if=/dev/zero of=/var/tmp/big bs=1M count=3', /\/tmp holds/],
  ['shared memory', 'dd if=/dev/zero of=/dev/shm/big bs=1M count=3', /\/tmp holds/],
])('a command over its limit is told what to do: %s', async (_, command, said) => {
  const place = makeToolPlace()
  const { workspace, home } = place
  const sandbox = { ...makeCell().box, workspace, home, caps }
  expect((await place.call('bash', { command }, { sandbox })).output).toMatch(said)
})
