import { expect, test } from 'vitest'
import { pictureSize } from './picture-size.ts'

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => (typeof part === 'string' ? [...Buffer.from(part, 'latin1')] : part)))
const zeros = (count: number): number[] => Array<number>(count).fill(0)

test.each([
  ['image/png', bytes('\x89PNG\r\n\x1a\n', zeros(4), 'IHDR', [0, 0, 1, 44, 0, 0, 0, 200])],
  ['image/gif', bytes('GIF89a', [44, 1, 200, 0])],
  // A segment of four bytes stands before the frame.
  ['image/jpeg', bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4, 7, 7, 0xff, 0xc2, 0, 17, 8, 0, 200, 1, 44])],
  ['image/webp', bytes('RIFF', zeros(4), 'WEBPVP8X', zeros(8), [43, 1, 0, 199, 0, 0])],
  ['image/webp', bytes('RIFF', zeros(4), 'WEBPVP8 ', zeros(10), [44, 1, 200, 0])],
  ['image/webp', bytes('RIFF', zeros(4), 'WEBPVP8L', zeros(4), [0x2f], [0x2b, 0xc1, 0x31, 0])],
  ['image/avif', bytes(zeros(4), 'ftypavif', zeros(9), 'ispe', zeros(4), [0, 0, 1, 44, 0, 0, 0, 200], zeros(4))],
])('the size of %s is read from its first bytes', (mediaType, picture) => {
  expect(pictureSize(mediaType, picture)).toEqual({ width: 300, height: 200 })
})

test('what ends too early, is another file or of a kind that is not shown has no size', () => {
  expect(pictureSize('image/png', bytes('\x89PNG'))).toBeUndefined()
  expect(pictureSize('image/jpeg', bytes('GIF89a', [44, 1, 200, 0]))).toBeUndefined()
  expect(pictureSize('image/svg+xml', bytes('<svg width="1" height="1"/>'))).toBeUndefined()
})
