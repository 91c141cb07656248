import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKeys, type Key } from './keys.ts'

function press(...chunks: string[]): Key[] {
  const pressed: Key[] = []
  const keys = createKeys((key) => pressed.push(key))
  for (const chunk of chunks) keys.push(chunk)
  keys.settle()
  return pressed
}
const names = (...chunks: string[]): string[] => press(...chunks).map(({ name }) => name)

test.each([
  ['\r', 'enter'],
  ['\x1b\r', 'alt-enter'],
  ['\x1b[13;2u', 'shift-enter'],
  ['\x1b[27;2;13~', 'shift-enter'],
  ['\n', 'ctrl-j'],
  ['\x03', 'ctrl-c'],
  ['\x1b[99;5u', 'ctrl-c'],
  ['\x1b[27u', 'escape'],
  ['\x1b', 'escape'],
  ['\x1b[A', 'up'],
  ['\x1bOA', 'up'],
  ['\x1b[1;5D', 'ctrl-left'],
  ['\x1bb', 'alt-b'],
  ['\x7f', 'backspace'],
  ['\x1b\x7f', 'alt-backspace'],
  ['\x1b[3~', 'delete'],
  ['\x1b[5~', 'pageup'],
  ['\x0f', 'ctrl-o'],
])('%j is %s', (sequence, name) => {
  expect(names(sequence)).toEqual([name])
})

test('sequences nobody asked for are not typed into the line', () => {
  expect(press('\x1b[?1u', '\x1b[I', '\x1b[57414u', '\x1b[<0;3;4M')).toEqual([])
})

test('a paste is one thing, however it is cut, and its line ends are not Enter', () => {
  const pasted = '\x1b[200~one\r\ntwo\rthree \x1b[A\x1b[201~'
  fc.assert(
    fc.property(fc.integer({ min: 1, max: pasted.length }), (at) => {
      expect(press(pasted.slice(0, at), `${pasted.slice(at)}x`)).toEqual([
        { name: 'paste', text: 'one\ntwo\nthree \x1b[A' },
        { name: 'text', text: 'x' },
      ])
    }),
  )
})

test('a key whose bytes come in two pieces is one key', () => {
  expect(names('\x1b', '[A')).toEqual(['up'])
  expect(names('\x1b[1', ';5D')).toEqual(['ctrl-left'])
})

test('typed text comes as it is, wide characters included', () => {
  expect(press('漢字 👩‍👩‍👧')).toEqual([{ name: 'text', text: '漢字 👩‍👩‍👧' }])
})
