import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Settings(): ReactNode {
  return <Page title="Settings">This view is being built.</Page>
}
