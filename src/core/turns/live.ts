import type { Delta } from '../../contract/events.ts'
import { type MaskStream, maskStream } from '../../lib/mask-stream.ts'
import type { Core } from '../base/index.ts'

interface LiveText {
  write(kind: Delta['kind'], text: string): void
  /** Nothing more comes: text that was held back because a secret might begin with it goes out, and the log tells the rest. */
  end(): void
}

/** Streams text beside the log, without secrets, even those that come in two pieces. */
export function liveText(core: Core, about: Omit<Delta, 'kind' | 'offset' | 'text'>): LiveText {
  const streams = new Map<Delta['kind'], MaskStream>()

  function streamOf(kind: Delta['kind']): MaskStream {
    let offset = 0
    const stream = maskStream(core.mask, (text) => {
      core.bus.delta({ ...about, kind, offset, text })
      offset += text.length
    })
    streams.set(kind, stream)
    return stream
  }

  return {
    write(kind, text) {
      const stream = streams.get(kind) ?? streamOf(kind)
      stream.write(text)
    },
    end() {
      for (const stream of streams.values()) stream.end()
      core.bus.written(about.attempt)
    },
  }
}
