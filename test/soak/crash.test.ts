import { expect, test } from 'vitest'
import { story } from '../faults/compaction-play.ts'
import { agents, conversation, crashAt, type Play, recordPoints } from '../faults/crash.ts'
import { running } from '../faults/run-play.ts'
import { firing } from '../faults/trigger-play.ts'
import { tasks } from '../faults/work.ts'
import { stores } from '../kit/database.ts'
import { minutes, repeats } from './bounds.ts'

test.for(stores)(
  'a crash at every boundary of a conversation on %s, over and over, loses nothing and does nothing twice',
  (store) => again(conversation, store),
)

test.for(stores)(
  'a crash at every boundary on %s while agents talk, over and over, loses nothing and does nothing twice',
  (store) => again(agents, store),
)

test.for(stores)(
  'a crash at every boundary on %s while triggers fire, over and over, leaves each occurrence one outcome and one effect',
  (store) => again(firing, store),
)

test.for(stores)(
  'a crash at every boundary on %s while tasks are given, over and over, loses nothing and does nothing twice',
  (store) => again(tasks, store),
)

test.for(stores)(
  'a crash at every boundary on %s of a run with three workers, over and over, leaves it to end as if nothing had happened',
  (store) => again(running, store),
)

test.for(stores)(
  'a crash at every boundary on %s while a history is summed up, over and over, loses nothing and does nothing twice',
  (store) => again(story, store),
)

async function again<T>(play: Play<T>, store: (typeof stores)[number]): Promise<void> {
  const end = performance.now() + minutes * 60_000
  const points = await recordPoints(play, store)
  for (let repeat = 0; repeat < repeats && performance.now() < end; repeat += 1) {
    expect(await crashAt(play, store, points)).toEqual([])
  }
}
