import { type RefObject, useEffect } from 'react'

/** A page of text has rarely more; whoever looks for one letter gets so many. */
const MOST = 500

/** Marks the words in what is drawn, without touching what is drawn. Older browsers show the message without marks. */
export function useMarked(box: RefObject<HTMLElement | null>, words: string): void {
  useEffect(() => {
    if (!('highlights' in CSS)) return
    const ranges = words === '' || box.current === null ? [] : rangesIn(box.current, words.toLowerCase())
    if (ranges.length > 0) CSS.highlights.set('found', new Highlight(...ranges))
    else CSS.highlights.delete('found')
  })
  useEffect(() => () => void ('highlights' in CSS && CSS.highlights.delete('found')), [])
}

function rangesIn(root: HTMLElement, words: string): Range[] {
  const ranges: Range[] = []
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT)
  for (let node = walk.nextNode(); node && ranges.length < MOST; node = walk.nextNode()) {
    const text = (node.nodeValue ?? '').toLowerCase()
    // A few letters change their length with their case; then places would not fit.
    if (text.length !== node.nodeValue?.length) continue
    for (let at = text.indexOf(words); at >= 0 && ranges.length < MOST; at = text.indexOf(words, at + words.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + words.length)
      ranges.push(range)
    }
  }
  return ranges
}
