import type { Core } from '../base/index.ts'
import { presenceNow } from '../inbox/index.ts'
import type { Offer } from '../tools/index.ts'
import type { Section } from './prompt.ts'

/** Agents that can ask the person are told that nobody is there, before a model call that is made anyway. */
export async function presenceToTell(core: Core, offer: Offer): Promise<Section[]> {
  if (![...offer.loaded, ...offer.listed].some(({ tool }) => tool.capabilities.includes('human'))) return []
  const { status, until } = await presenceNow(core)
  const text =
    status === 'available'
      ? ''
      : `<presence>\nThe person is away${until ? ` until ${until}` : ''}: answers may take long or not come. Ask only what you cannot do without.\n</presence>`
  return [{ tag: 'presence', text }]
}
