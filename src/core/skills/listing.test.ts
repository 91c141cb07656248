import { describe, expect, test } from 'vitest'
import type { Skill } from './find.ts'
import { skillsSection } from './listing.ts'

const skill = (name: string, more: Partial<Skill> = {}): Skill =>
  ({
    name,
    description: `How to ${name}`,
    context: 'main',
    humanOnly: false,
    folder: `/s/${name}`,
    body: name,
    ...more,
  }) as Skill

const section = (skills: readonly Skill[], choice: Parameters<typeof skillsSection>[0]['choice'] = undefined) =>
  skillsSection({ skills, choice, canLoad: true })

describe('what a prompt says of skills', () => {
  test('names each with its description, then with less of it, then by name alone, and never more than 4,000 characters', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => skill(`skill-${at}`, { description: 'd'.repeat(250) }))
    expect(section(many(10))).toContain(`- skill-9: ${'d'.repeat(250)}`)
    const shorter = section(many(30))
    expect(shorter).toMatch(/- skill-29: d{50,89}…/)
    expect(section(many(100))).toMatch(/skill-98, skill-99\. With words instead of a name/)
    const most = section(many(500))
    expect(most).toMatch(/ and \d+ more\. With words/)
    for (const text of [shorter, most]) expect(text.length).toBeLessThan(4400)
  })

  test('loads 32 KB of those that are wanted whole, and says which had no room', () => {
    const wanted = ['one', 'two', 'three'].map((name) => skill(name, { body: name[0]!.repeat(15 * 1024) }))
    const text = section(wanted, { autoLoad: ['*'] } as never)
    expect(text).toContain('o'.repeat(15 * 1024))
    expect(text).toContain('t'.repeat(15 * 1024))
    expect(text).toContain('[Too long to be loaded here: three.]')
    expect(text).toContain('- three: How to three')
    expect(text.length).toBeLessThan(33 * 1024)
  })

  test('neither loads nor names one that only a person may start, and loads none that works in a helper', () => {
    const text = section([skill('own', { humanOnly: true }), skill('fork', { context: 'fork', body: 'FORKED' })], {
      autoLoad: ['own', 'fork'],
    } as never)
    expect(text).not.toContain('own')
    expect(text).not.toContain('FORKED')
    expect(text).toContain('- fork: How to fork')
  })
})
