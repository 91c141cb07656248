import { type ClipboardEvent, type DragEvent, useRef } from 'react'
import { attempt } from '../../parts/small.tsx'
import { uploadFile } from '../../state/session-acts.ts'

/** Files that are dropped or chosen go into the workspace, and their paths into the text. */
export function useUploads(session: string, put: (path: string) => void) {
  const input = useRef<HTMLInputElement>(null)
  const upload = async (files: FileList | null | undefined) => {
    for (const file of files ?? []) await attempt(async () => put(await uploadFile(session, file)))
  }
  const drop = {
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      void upload(event.dataTransfer.files)
    },
    onPaste: (event: ClipboardEvent) => {
      if (event.clipboardData.files.length > 0) void upload(event.clipboardData.files)
    },
  }
  const picker = (
    <input
      ref={input}
      type="file"
      multiple
      hidden
      aria-label="Files to attach"
      onChange={({ target }) => {
        void upload(target.files)
        target.value = ''
      }}
    />
  )
  return { drop, attach: () => input.current?.click(), picker }
}
