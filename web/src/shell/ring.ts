import { layoutNow, putLayout } from './layout.ts'

/** Whether something that needs an answer is also heard. Off until the person wants it. */
export const rings = (): boolean => layoutNow().sound === true

export function setRings(sound: boolean): void {
  putLayout({ sound })
  if (sound) ring()
}

const TONES = [660, 880]
const TONE_S = 0.12
const QUIET = 0.05

/** Two short tones. A browser that was not touched yet makes no sound, and says nothing of it. */
export function ring(): void {
  if (!rings()) return
  const context = new AudioContext()
  const volume = new GainNode(context, { gain: QUIET })
  volume.connect(context.destination)
  for (const [at, frequency] of TONES.entries()) {
    const tone = new OscillatorNode(context, { frequency })
    tone.connect(volume)
    tone.start(context.currentTime + at * TONE_S)
    tone.stop(context.currentTime + (at + 1) * TONE_S)
    if (at === TONES.length - 1) tone.onended = () => void context.close()
  }
}
