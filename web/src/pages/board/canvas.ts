import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { HEAD, type Layout } from './layout.ts'

type Canvas = RefObject<HTMLElement | null>

const SMALLEST = 0.3
const LARGEST = 1.6
/** Below this nothing can be read: what does not fit is scrolled instead. */
const READABLE = 0.75

/** How large the board is drawn. What is in the middle stays there, or what is under the pointer. */
export function useZoom(canvas: Canvas, { width, height }: Pick<Layout, 'width' | 'height'>) {
  const [zoom, setNow] = useState(1)
  const anchor = useRef<{ x: number; y: number; left: number; top: number } | undefined>(undefined)
  const touched = useRef(false)

  const zoomTo = (wanted: number, at?: { x: number; y: number }) => {
    const box = canvas.current
    const next = Math.max(SMALLEST, Math.min(LARGEST, wanted))
    if (box === null) return
    const { x, y } = at ?? { x: box.clientWidth / 2, y: box.clientHeight / 2 }
    anchor.current = { x: (box.scrollLeft + x) / zoom, y: (box.scrollTop + y) / zoom, left: x, top: y }
    setNow(next)
  }
  const latest = useRef(zoomTo)
  latest.current = zoomTo
  const current = useRef(zoom)
  current.current = zoom

  useLayoutEffect(() => {
    const box = canvas.current
    if (box === null || anchor.current === undefined) return
    const { x, y, left, top } = anchor.current
    anchor.current = undefined
    box.scrollLeft = x * zoom - left
    box.scrollTop = y * zoom - top
  }, [canvas, zoom])

  // Until a person sets it, the board is drawn as large as it fits.
  useLayoutEffect(() => {
    const box = canvas.current
    if (box === null || touched.current || width === 0) return
    setNow(Math.max(READABLE, fitting(box, width, height)))
  }, [canvas, width, height])

  useEffect(() => {
    const box = canvas.current
    if (box === null) return
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      touched.current = true
      const { left, top } = box.getBoundingClientRect()
      const at = { x: event.clientX - left, y: event.clientY - top }
      latest.current(current.current * Math.exp(-event.deltaY / 300), at)
    }
    box.addEventListener('wheel', onWheel, { passive: false })
    return () => box.removeEventListener('wheel', onWheel)
  }, [canvas])

  return {
    zoom,
    setZoom(next: number) {
      touched.current = true
      zoomTo(next)
    },
    fit() {
      touched.current = false
      if (canvas.current) setNow(Math.max(SMALLEST, fitting(canvas.current, width, height)))
    },
  }
}

const fitting = ({ clientWidth, clientHeight }: HTMLElement, width: number, height: number): number =>
  Math.min(1, clientWidth / width, (clientHeight - HEAD) / height)

const STEP = 240

/** The part of the board that can be seen, and a margin around it; undefined when all of it is drawn. */
export function useWindow(canvas: Canvas, zoom: number, wanted: boolean): DOMRectReadOnly | undefined {
  const [shown, setShown] = useState<DOMRectReadOnly>()
  useEffect(() => {
    const box = canvas.current
    if (box === null || !wanted) return setShown(undefined)
    let asked = 0
    const look = () => {
      asked = 0
      const down = (length: number) => Math.floor(length / zoom / STEP) * STEP - STEP
      const size = (length: number) => Math.ceil(length / zoom / STEP) * STEP + 3 * STEP
      const [x, y] = [down(box.scrollLeft), down(box.scrollTop)]
      const next = new DOMRectReadOnly(x, y, size(box.clientWidth), size(box.clientHeight))
      setShown((now) => (now && isSame(now, next) ? now : next))
    }
    const onScroll = () => {
      asked ||= requestAnimationFrame(look)
    }
    look()
    box.addEventListener('scroll', onScroll, { passive: true })
    const sized = new ResizeObserver(onScroll)
    sized.observe(box)
    return () => {
      cancelAnimationFrame(asked)
      box.removeEventListener('scroll', onScroll)
      sized.disconnect()
    }
  }, [canvas, zoom, wanted])
  return shown
}

const isSame = (a: DOMRectReadOnly, b: DOMRectReadOnly): boolean =>
  a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height

/** The mouse drags the board where there is no node; fingers scroll it as they do every page. */
export function usePan(canvas: Canvas): void {
  useEffect(() => {
    const box = canvas.current
    if (box === null) return
    const onDown = (event: PointerEvent) => {
      if (event.pointerType !== 'mouse' || event.button !== 0) return
      if (event.target instanceof Element && event.target.closest('button, a')) return
      const from = { x: event.clientX + box.scrollLeft, y: event.clientY + box.scrollTop }
      const onMove = (moved: PointerEvent) => {
        box.scrollLeft = from.x - moved.clientX
        box.scrollTop = from.y - moved.clientY
      }
      const onUp = () => {
        box.removeEventListener('pointermove', onMove)
        delete box.dataset.panning
      }
      box.setPointerCapture(event.pointerId)
      box.dataset.panning = ''
      box.addEventListener('pointermove', onMove)
      box.addEventListener('lostpointercapture', onUp, { once: true })
    }
    box.addEventListener('pointerdown', onDown)
    return () => box.removeEventListener('pointerdown', onDown)
  }, [canvas])
}
