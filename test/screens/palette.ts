import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** Pictures of a page have few colours, and text needs no more: a third of the bytes is left. */
const COLOURS = 96

/** A picture as the browser takes it (8 bits a channel, not interlaced), with as few colours as it needs to be read. */
export function withFewColours(png: Buffer): Buffer {
  const { width, height, channels, pixels } = decoded(png)
  const counts = new Map<number, number>()
  const colours = new Uint32Array(width * height)
  for (let at = 0; at < colours.length; at += 1) {
    const from = at * channels
    const colour = (pixels[from]! << 16) | (pixels[from + 1]! << 8) | pixels[from + 2]!
    colours[at] = colour
    counts.set(colour, (counts.get(colour) ?? 0) + 1)
  }
  const palette = chosen(counts)
  const nearest = new Map([...counts.keys()].map((colour) => [colour, indexOfNearest(palette, colour)]))
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) rows[y * (width + 1) + 1 + x] = nearest.get(colours[y * width + x]!)!
  const header = Buffer.from(png.subarray(16, 29))
  header.set([8, 3, 0, 0, 0], 8)
  return Buffer.concat([
    png.subarray(0, 8),
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

/** The colours of most pixels, none of them close to another. A state is a few pixels of a strong colour: each counts for many. */
function chosen(counts: ReadonlyMap<number, number>): readonly number[] {
  const palette: number[] = []
  for (const [colour] of [...counts].toSorted(([one, a], [other, b]) => b * weight(other) - a * weight(one))) {
    if (palette.length === COLOURS) break
    if (palette.every((one) => distance(one, colour) > 48)) palette.push(colour)
  }
  return palette
}

const weight = (colour: number): number => {
  const parts = [colour >> 16, (colour >> 8) & 255, colour & 255]
  return 1 + (Math.max(...parts) - Math.min(...parts)) / 4
}

function indexOfNearest(palette: readonly number[], colour: number): number {
  const all = palette.map((one) => distance(one, colour))
  return all.indexOf(Math.min(...all))
}

const distance = (a: number, b: number): number =>
  ((a >> 16) - (b >> 16)) ** 2 + (((a >> 8) & 255) - ((b >> 8) & 255)) ** 2 + ((a & 255) - (b & 255)) ** 2

function decoded(png: Buffer) {
  const width = png.readUInt32BE(16)
  const height = png.readUInt32BE(20)
  const channels = png[25] === 6 ? 4 : 3
  const parts: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  const lines = inflateSync(Buffer.concat(parts))
  const wide = width * channels
  const pixels = Buffer.alloc(height * wide)
  for (let y = 0; y < height; y += 1) {
    const filter = lines[y * (wide + 1)]!
    for (let x = 0; x < wide; x += 1) {
      const left = x < channels ? 0 : pixels[y * wide + x - channels]!
      const above = y === 0 ? 0 : pixels[(y - 1) * wide + x]!
      const corner = y === 0 || x < channels ? 0 : pixels[(y - 1) * wide + x - channels]!
      pixels[y * wide + x] = lines[y * (wide + 1) + 1 + x]! + guess(filter, left, above, corner)
    }
  }
  return { width, height, channels, pixels }
}

/** What the format's filters expect a byte to be, by those before it. */
function guess(filter: number, left: number, above: number, corner: number): number {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  if (filter === 0) return 0
  const sum = left + above - corner
  const [a, b, c] = [Math.abs(sum - left), Math.abs(sum - above), Math.abs(sum - corner)]
  return a <= b && a <= c ? left : b <= c ? above : corner
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(body.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(body, 4)
  framed.writeUInt32BE(crc32(body), body.length + 4)
  return framed
}
