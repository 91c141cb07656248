import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { InboxItem } from '../../src/contract/inbox.ts'
import type { Why } from '../../src/contract/why.ts'
import { cast } from './cast.ts'
import type { StoreKind } from './database.ts'
import type { Reply } from './vendor/reply.ts'
import { createWorld, type World } from './world.ts'

/** One agent that may spend a dollar a day, and a cent for each thousand tokens of output it asks for. */
export async function miser(store: StoreKind, limits: Record<string, number> = { dailyCostUsd: 1 }): Promise<World> {
  const world = await createWorld({ store, files: cast({ miser: { maxOutputTokens: 40_000, limits } }) })
  priced(world, 'miser')
  return world
}

/** Each member of the cast has a model of its name; a million tokens of input cost a dollar, of output ten. */
export const priced = (world: World, ...names: string[]): void =>
  changeSettings(world, (settings) => {
    settings.providers.lab.prices = Object.fromEntries(names.map((name) => [name, { input: 1, output: 10 }]))
  })

export function changeSettings(world: World, change: (settings: ReturnType<typeof JSON.parse>) => void): void {
  const file = join(world.home, 'settings.json')
  const settings = JSON.parse(readFileSync(file, 'utf8'))
  change(settings)
  writeFileSync(file, JSON.stringify(settings))
}

/** An answer that costs so many dollars by its output alone. */
export const costing = (usd: number, more: Reply = {}): Reply => ({
  text: 'Done.',
  usage: { input: 0, output: usd * 100_000 },
  ...more,
})

export const budgets = (world: World) => world.server.core.store.read.selectFrom('budgets').selectAll().execute()

export const answer = (world: World, { id }: InboxItem, words: string) =>
  world.request('POST', `/api/inbox/${id}/answer`, { answer: words })

export const why = async (world: World, ref: string) => (await world.ok<Why>('GET', `/api/why/${ref}`)).text
