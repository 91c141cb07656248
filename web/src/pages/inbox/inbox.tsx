import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Inbox(): ReactNode {
  return <Page title="Inbox">This view is being built.</Page>
}
