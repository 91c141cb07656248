import type { ReactNode } from 'react'
import { Page } from '../../shell/page.tsx'

export function Home(): ReactNode {
  return <Page title="Home">This view is being built.</Page>
}
