import type { ReactNode } from 'react'
import { Button, Empty } from '../parts/small.tsx'
import { Page } from './page.tsx'

/** A file of the page that the server no longer has: the page was open while Troupe was updated. */
const OLD = /dynamically imported module|module script failed|preload CSS/i

/** A view that could not be shown; the frame around it stays. */
export function Broken({ error }: { error: unknown }): ReactNode {
  const message = error instanceof Error ? error.message : String(error)
  const isOld = OLD.test(message)
  return (
    <Page title={isOld ? 'Out of date' : 'Not shown'} className="pad">
      <Empty
        title={isOld ? 'This page is from before Troupe was updated.' : 'This view could not be shown.'}
        action={<Button onClick={() => location.reload()}>Load it again</Button>}
      >
        {isOld ? 'Nothing is lost: what you were writing is kept.' : message.slice(0, 500)}
      </Empty>
    </Page>
  )
}
