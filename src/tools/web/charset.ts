const LOOKED_AT = 2048

/** Text in the charset that the answer names, or the page itself, or else UTF-8. A mark at the beginning is the strongest. */
export function decoded(body: Buffer, contentType: string): string {
  const label = markOf(body) ?? /charset\s*=\s*["']?([\w.:-]+)/i.exec(contentType)?.[1] ?? statedIn(body) ?? 'utf-8'
  return decoderFor(label).decode(body)
}

function markOf(body: Buffer): string | undefined {
  const begins = (...bytes: number[]): boolean => bytes.every((byte, at) => body[at] === byte)
  if (begins(0xef, 0xbb, 0xbf)) return 'utf-8'
  if (begins(0xff, 0xfe)) return 'utf-16le'
  return begins(0xfe, 0xff) ? 'utf-16be' : undefined
}

/** `<meta charset=…>`, `<meta http-equiv … content="…charset=…">` and `<?xml encoding=…?>` stand near the beginning. */
function statedIn(body: Buffer): string | undefined {
  const head = body.toString('latin1', 0, LOOKED_AT)
  return /<(?:meta|\?xml)[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?([\w.:-]+)/i.exec(head)?.[1]
}

function decoderFor(label: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}
