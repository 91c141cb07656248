import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function WorkerPage(): ReactNode {
  return <Page title="WorkerPage">This view is being built.</Page>
}
