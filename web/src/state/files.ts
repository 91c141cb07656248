import type { FileView, FolderView } from '../../../src/contract/files.ts'
import { type Live, type Resource, useLive } from '../live/resource.ts'
import { server } from '../live/server.ts'

/** Where files are looked at: a project's folder, or the workspace of a session. */
export interface FilePlace {
  readonly project?: string | undefined
  readonly session?: string | undefined
}

const folderOf = (place: FilePlace, path: string): Resource<FolderView> => ({
  key: `folder ${place.project ?? ''} ${place.session ?? ''} ${path}`,
  read: () => server.snapshot('GET /api/files', { query: { ...place, path } }),
})

export const useFolder = (place: FilePlace, path: string): Live<FolderView> => useLive(folderOf(place, path))

const fileOf = (place: FilePlace, path: string): Resource<FileView> => ({
  key: `file ${place.project ?? ''} ${place.session ?? ''} ${path}`,
  read: () => server.snapshot('GET /api/file', { query: { ...place, path } }),
})

export const useFile = (place: FilePlace, path: string): Live<FileView> => useLive(fileOf(place, path))
