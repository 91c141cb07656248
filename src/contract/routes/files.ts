import { z } from 'zod'
import { FileView, FolderView, UPLOAD_BYTES, Upload, Uploaded } from '../files.ts'
import type { RouteTable } from './route.ts'
import { InProject, projectQuery, Ref } from './shapes.ts'

const place = {
  ...projectQuery,
  session: z.string().max(100).optional().describe("An id or handle: of its workspace instead of the project's folder"),
}

/** The files of a project, or of a session's workspace, as a person looks at them. */
export const fileRoutes = {
  'GET /api/files': {
    summary: 'What is in a folder; links are named and not followed',
    who: 'person',
    query: z.object({ ...place, path: z.string().max(4096).default('.') }),
    answer: FolderView,
  },
  'GET /api/file': {
    summary: 'One file: a text with secrets masked, an image, or of others the size',
    who: 'person',
    query: z.object({ ...place, path: z.string().min(1).max(4096) }),
    answer: FileView,
  },
  'POST /api/sessions/{ref}/uploads': {
    summary: 'Put a file into the folder "uploads" of the workspace, for the agent to read; nothing is overwritten',
    who: 'person',
    params: Ref,
    query: InProject,
    body: Upload,
    bodyBytes: UPLOAD_BYTES * 1.5,
    answer: Uploaded,
  },
} as const satisfies RouteTable
