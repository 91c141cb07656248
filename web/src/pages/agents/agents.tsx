import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Agents(): ReactNode {
  return <Page title="Agents">This view is being built.</Page>
}
