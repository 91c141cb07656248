import './styles/tokens.css'
import './styles/parts.css'
import './styles/shell.css'
import './styles/markdown.css'
import './styles/views.css'
import { RouterProvider } from '@tanstack/react-router'
import { createRoot } from 'react-dom/client'
import { failureOf } from './live/resource.ts'
import { codeOfLink, signIn } from './live/server.ts'
import { router } from './routes.tsx'
import { SignIn } from './shell/sign-in.tsx'
import { applyTheme } from './shell/theme.ts'

applyTheme()
const root = createRoot(document.getElementById('root')!)
const code = codeOfLink()
if (code === undefined) root.render(<RouterProvider router={router} />)
else signIn(code).catch((thrown) => root.render(<SignIn refused={failureOf(thrown)} />))
