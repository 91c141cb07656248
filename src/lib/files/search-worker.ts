import { fstatSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import picomatch from 'picomatch'
import { shownName } from './paths.ts'
import type { SearchEnd, SearchMessage, SearchRequest } from './search.ts'
import { readDescriptor, type WalkResult, walk } from './walk.ts'

/** Runs one search (search.ts) in a thread that can be killed, as a pattern may take forever. */

const FILE_BYTES = 10 * 1024 * 1024
const LINE_CHARS = 300
const FILES_LIMIT = 200_000

const port = parentPort
if (port) {
  const post = (message: SearchMessage) => port.postMessage(message)
  try {
    const request = workerData as SearchRequest
    post({ end: search(request, (line) => post({ line })) })
  } catch (error) {
    post({ error: error instanceof Error ? error.message : String(error) })
  }
}

function search(request: SearchRequest, emit: (line: string) => void): SearchEnd {
  const matcher = makeMatcher(request)
  const until = performance.now() + request.limitMs * 0.8
  let lines = 0
  let files = 0
  let ignored = 0
  const onIgnored = () => {
    ignored += 1
  }
  const end = (stopped?: SearchEnd['stopped']): SearchEnd => ({ ignored, files, ...(stopped && { stopped }) })
  const shallow = request.kind === 'list' || (request.kind === 'grep' && request.file !== undefined)
  for (const found of walk(request.root, { ...request, shallow, onIgnored })) {
    files += 1
    if (files > FILES_LIMIT) return end('files')
    if (performance.now() > until) return end('time')
    for (const line of matcher(found)) {
      if (lines === request.limit) return end('limit')
      lines += 1
      emit(line)
    }
  }
  return end()
}

function makeMatcher(request: SearchRequest): (found: WalkResult) => Iterable<string> {
  const within = request.from.length === 0 ? '' : `${request.from.join('/')}/`
  switch (request.kind) {
    case 'list':
      return (found) => [describe(found, within)]
    case 'glob': {
      const isMatch = picomatch(request.pattern, { dot: true })
      return (found) =>
        found.kind === 'file' && isMatch(found.path.slice(within.length)) ? [shownName(found.path)] : []
    }
    case 'grep': {
      const pattern = new RegExp(request.pattern, request.ignoreCase ? 'i' : '')
      const isMatch = request.glob === undefined ? () => true : picomatch(request.glob, { dot: true, basename: true })
      return (found) => {
        if (found.kind !== 'file' || (request.file !== undefined && found.path !== request.file)) return []
        return isMatch(found.path.slice(within.length)) ? matchingLines(found, pattern) : []
      }
    }
  }
}

function describe(found: WalkResult, within: string): string {
  const name = shownName(found.path.slice(within.length))
  if (found.kind === 'folder') return `${name}/`
  if (found.kind === 'link') return `${name} (a link)`
  if (found.kind === 'other') return `${name} (not an ordinary file)`
  return `${name} (${sizeOf(found)} bytes)`
}

function sizeOf(found: WalkResult): number {
  const fd = tryOpen(found)
  if (fd === undefined) return 0
  const { size } = fstatSync(fd)
  readDescriptor(fd, 0)
  return size
}

function* matchingLines(found: WalkResult, pattern: RegExp): Generator<string> {
  const fd = tryOpen(found)
  const bytes = fd === undefined ? undefined : readDescriptor(fd, FILE_BYTES)
  if (bytes === undefined || bytes.subarray(0, 8192).includes(0)) return
  let number = 0
  for (const line of bytes.toString('utf8').split('\n')) {
    number += 1
    if (pattern.test(line)) yield `${shownName(found.path)}:${number}: ${clip(line.replace(/\r$/, ''))}`
  }
}

function tryOpen(found: WalkResult): number | undefined {
  try {
    return found.open()
  } catch {
    return undefined
  }
}

function clip(line: string): string {
  return line.length > LINE_CHARS ? `${line.slice(0, LINE_CHARS)}…` : line
}
