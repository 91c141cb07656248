/** How many points a picture has, read from its first bytes, before a browser makes room for all of them. */
interface PictureSize {
  readonly width: number
  readonly height: number
}

/** Undefined where the bytes are no picture of the kind they are said to be. */
export function pictureSize(mediaType: string, bytes: Uint8Array): PictureSize | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return sizes[mediaType]?.(view)
  } catch {
    // It ends before its size is told.
    return undefined
  }
}

const at = (view: DataView, start: number, text: string): boolean =>
  [...text].every((letter, place) => view.getUint8(start + place) === letter.charCodeAt(0))

const sizes: Readonly<Record<string, (view: DataView) => PictureSize | undefined>> = {
  'image/png': (view) => (at(view, 12, 'IHDR') ? { width: view.getUint32(16), height: view.getUint32(20) } : undefined),
  'image/gif': (view) =>
    at(view, 0, 'GIF8') ? { width: view.getUint16(6, true), height: view.getUint16(8, true) } : undefined,
  'image/jpeg': jpeg,
  'image/webp': webp,
  'image/avif': avif,
}

/** The size stands in the frame's own segment; those before it are stepped over. */
function jpeg(view: DataView): PictureSize | undefined {
  for (let place = 2; view.getUint8(place) === 0xff; place += 2 + view.getUint16(place + 2)) {
    const kind = view.getUint8(place + 1)
    const isFrame = kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc
    if (isFrame) return { width: view.getUint16(place + 7), height: view.getUint16(place + 5) }
  }
  return undefined
}

function webp(view: DataView): PictureSize | undefined {
  if (at(view, 12, 'VP8X')) return { width: 1 + three(view, 24), height: 1 + three(view, 27) }
  if (at(view, 12, 'VP8 '))
    return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
  if (!at(view, 12, 'VP8L')) return undefined
  const bits = view.getUint32(21, true)
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >> 14) & 0x3fff) }
}

const three = (view: DataView, start: number): number => view.getUint16(start, true) + 65_536 * view.getUint8(start + 2)

/** The largest of the sizes that its boxes tell. */
function avif(view: DataView): PictureSize | undefined {
  let found: PictureSize | undefined
  for (let place = 0; place + 16 <= Math.min(view.byteLength, HEAD); place += 1) {
    if (!at(view, place, 'ispe')) continue
    const [width, height] = [view.getUint32(place + 8), view.getUint32(place + 12)]
    if (width * height > (found ? found.width * found.height : 0)) found = { width, height }
  }
  return found
}

const HEAD = 65_536
