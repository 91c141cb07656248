import { parentPort, workerData } from 'node:worker_threads'
import { type IndexFile, inodeOf, isDamaged, openIndex, removeIndex } from './database.ts'
import { findText } from './find.ts'
import { followFolder } from './follow.ts'
import type { SectionAnswer, SectionQuestion } from './sections.ts'
import { findNearest, keepVectors, unembedded } from './vectors.ts'

/** The thread of sections.ts: one connection, one question after the other. */

/** How long a search brings the index up to the files before it answers with what there is. */
const FOLLOW_MS = 3000

const file = workerData as string
let index: IndexFile | undefined
let inode: number | undefined

parentPort?.on('message', ({ id, question }: { id: number; question: SectionQuestion }) => {
  try {
    parentPort?.postMessage({ id, answer: answerOf(question) })
  } catch (error) {
    parentPort?.postMessage({ id, error: error instanceof Error ? error.message : String(error) })
  }
})

/** An index that turns out to be damaged is made anew, and the question answered once more. */
function answerOf(question: SectionQuestion): SectionAnswer {
  try {
    return ask(question)
  } catch (error) {
    if (!isDamaged(error)) throw error
    close()
    removeIndex(file)
    return ask(question)
  }
}

function ask(question: SectionQuestion): SectionAnswer {
  const db = current().connection
  if (question.ask === 'keep') {
    keepVectors(db, question.model, question.items)
    return { hits: [], missing: [], behind: 0 }
  }
  const { folders } = question
  if (question.ask === 'missing')
    return { hits: [], missing: unembedded(db, folders, question.model, question.limit), behind: 0 }
  if (question.ask === 'nearest') return { hits: findNearest(db, folders, question), missing: [], behind: 0 }
  const until = performance.now() + FOLLOW_MS
  const behind = folders.reduce((left, folder) => left + followFolder(db, folder, until), 0)
  return { hits: findText(db, folders, question.query, question.limit), missing: [], behind }
}

function current(): IndexFile {
  if (index !== undefined && inodeOf(file) !== inode) close()
  if (index === undefined) {
    index = openIndex(file)
    inode = inodeOf(file)
  }
  return index
}

function close(): void {
  index?.close()
  index = undefined
}
