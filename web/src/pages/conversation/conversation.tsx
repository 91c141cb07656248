import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Conversation(): ReactNode {
  return <Page title="Conversation">This view is being built.</Page>
}
