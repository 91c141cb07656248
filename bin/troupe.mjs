#!/usr/bin/env node
// Plain JavaScript that Node 18 can parse: its first duty is to find a Node that can run the rest.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NEEDED = 24
const file = fileURLToPath(import.meta.url)
// In the repository the sources run: a dist/ older than they are must not.
const compiled = !existsSync(new URL('../src', import.meta.url)) && existsSync(new URL('../dist', import.meta.url))

if (Number(process.versions.node.split('.')[0]) >= NEEDED) {
  module.enableCompileCache()
  dieWithTheOneWhoStartedUs()
  const { main } = await import(compiled ? '../dist/js/main.js' : '../src/cli/main.ts')
  await main(process.argv.slice(2))
} else {
  const node = bundledNode(dirname(dirname(file)))
  if (node) runAgainWith(node)
  else {
    process.stderr.write(
      `Troupe needs Node ${NEEDED} or newer; this is Node ${process.versions.node}.\n` +
        (compiled
          ? `Install it from nodejs.org or with your version manager, then install Troupe again with it.\n`
          : `Install Node ${NEEDED}, or run "npm ci" in the folder of Troupe: it brings its own.\n`),
    )
    process.exitCode = 1
  }
}

/** The `node` package beside us, or in a node_modules further up where npm hoisted it. */
function bundledNode(folder) {
  for (;;) {
    for (const name of ['node', 'node.exe']) {
      const candidate = join(folder, 'node_modules', 'node', 'bin', name)
      if (existsSync(candidate)) return candidate
    }
    const parent = dirname(folder)
    if (parent === folder) return undefined
    folder = parent
  }
}

function runAgainWith(node) {
  const child = spawn(node, [file, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, TROUPE_STARTED_BY: String(process.pid) },
  })
  // A terminal sends Ctrl-C to both of us already; passed on it would count twice.
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT']) {
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !terminal) child.kill(signal)
    })
  }
  child.on('error', (error) => {
    process.stderr.write(`Could not start ${node}: ${error.message}\nRun "npm ci" in the folder of Troupe again.\n`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** kill -9 on the older Node that started us cannot be passed on: its closed channel is how we learn of it. */
function dieWithTheOneWhoStartedUs() {
  if (!process.env.TROUPE_STARTED_BY) return
  delete process.env.TROUPE_STARTED_BY
  if (!process.channel) return
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
  process.channel.unref()
}
