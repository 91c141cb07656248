import { tame } from './cells.ts'
import { block, blocks, blocksOf, standsApart } from './markdown.ts'

/** A text that is still being written. Finished blocks are given out once; the last one may still change its kind. */
interface TextStream {
  readonly begun: boolean
  push(piece: string): void
  /** Lines that will not change any more and have not been given out yet. */
  finished(width: number): string[]
  /** The rest, as it looks now. */
  tail(width: number): string[]
  /** Takes the whole text from the log, which is the truth, and returns the lines that are not given out yet. */
  end(text: string, width: number): string[]
  /** Forgets what was written, because the model is asked again or was stopped. */
  restart(): void
}

export function createTextStream(): TextStream {
  let text = ''
  let given = 0
  let apart = false

  const take = (upTo: 'finished' | 'all', width: number): string[] => {
    const tokens = blocksOf(text.slice(given))
    const last = tokens.findLastIndex(({ type }) => type !== 'space')
    const ready = tokens.slice(0, upTo === 'all' ? tokens.length : Math.max(0, last))
    const lines = ready.flatMap((token) => {
      const own = block(token, width)
      const free = apart && own.length > 0 ? [''] : []
      apart = standsApart(token) || (apart && own.length === 0)
      return [...free, ...own]
    })
    given += ready.reduce((sum, { raw }) => sum + raw.length, 0)
    return lines
  }

  function restart(): void {
    text = ''
    given = 0
    apart = false
  }

  return {
    get begun() {
      return text !== ''
    },
    push(piece) {
      text += tame(piece)
    },
    finished: (width) => take('finished', width),
    tail(width) {
      const lines = blocks(blocksOf(text.slice(given)), width)
      return apart && lines.length > 0 ? ['', ...lines] : lines
    },
    end(whole, width) {
      const logged = tame(whole)
      if (!logged.startsWith(text.slice(0, given))) given = 0
      text = logged
      const lines = take('all', width)
      restart()
      return lines
    },
    restart,
  }
}
