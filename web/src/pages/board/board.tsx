import '../../styles/board.css'
import { useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type KeysShown, KeysStrip } from '../../parts/keys-strip.tsx'
import { Failed, Skeleton } from '../../parts/small.tsx'
import { useAddress } from '../../shell/address.ts'
import { useKeys } from '../../shell/keys.ts'
import { Page } from '../../shell/page.tsx'
import { useBoard } from '../../state/runs.ts'
import { BoardTabs } from './board-tabs.tsx'
import { BoardView } from './board-view.tsx'
import { Crumbs, RunActs, RunFacts, RunTitle } from './header.tsx'
import { RunFeed } from './run-feed.tsx'
import { RunFiles } from './run-files.tsx'
import { RunMessages } from './run-messages.tsx'
import { WhyStrip } from './why-strip.tsx'
import { WriteToRun } from './write-to-run.tsx'

const keysShown: Readonly<Record<string, KeysShown>> = {
  graph: [
    [['←', '→', '↑', '↓'], 'along the edges'],
    [['m'], 'write to the run'],
    [['l'], 'live'],
    [['Esc'], 'close'],
  ],
  list: [
    [['j', 'k'], 'move'],
    [['m'], 'write to the run'],
    [['l'], 'live'],
    [['Esc'], 'close'],
  ],
  files: [
    [['j', 'k'], 'move'],
    [['m'], 'write to the run'],
  ],
}

/** A run: its board, its files, what was written in it, and all that happened. */
export function BoardPage(): ReactNode {
  const { run: id = '', tab = 'board' } = useParams({ strict: false }) as { run?: string; tab?: string }
  const { value: board, failure, refresh } = useBoard(id)
  const [{ to, view = 'graph' }] = useAddress()
  const keys = keysShown[tab === 'board' ? view : tab]
  const [writing, setWriting] = useState(to !== undefined)
  useKeys({ m: () => setWriting(true) })
  if (board === undefined)
    return (
      <Page title="Run" className="pad">
        {failure ? <Failed failure={failure} retry={refresh} /> : <Skeleton rows={6} />}
      </Page>
    )
  const { run } = board
  return (
    <Page
      crumbs={<Crumbs run={run} />}
      title={<RunTitle board={board} />}
      aside={<RunActs run={run} write={() => setWriting(true)} />}
      tabs={
        <>
          <BoardTabs board={board} tab={tab} />
          <RunFacts board={board} tab={tab} />
        </>
      }
      className="run-page"
      foot={keys && <KeysStrip keys={keys} />}
    >
      <WhyStrip run={run} />
      {writing && <WriteToRun board={board} close={() => setWriting(false)} />}
      {tab === 'board' && <BoardView key={id} board={board} />}
      {tab === 'files' && <RunFiles run={run} />}
      {tab === 'messages' && <RunMessages board={board} />}
      {tab === 'feed' && <RunFeed board={board} />}
    </Page>
  )
}
