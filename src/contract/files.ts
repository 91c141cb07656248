import { z } from 'zod'
import { Time } from './ids.ts'

/** What a person may hand to a session in one file. */
export const UPLOAD_BYTES = 8 * 1024 * 1024

const FileEntry = z
  .strictObject({
    name: z.string(),
    /** From the project's folder, or the session's workspace. */
    path: z.string(),
    kind: z.enum(['folder', 'file', 'link', 'other']),
    size: z.int(),
    changedAt: Time,
    /** It is named here and not opened: it may hold keys, or says what agents may do. */
    protected: z.literal(true).optional(),
  })
  .meta({ id: 'FileEntry' })

export const FolderView = z.strictObject({
  path: z.string(),
  items: z.array(FileEntry),
  /** There are more than are listed. */
  more: z.boolean(),
})
export type FolderView = z.infer<typeof FolderView>

/** A file as far as a page can show it: a text, an image, or nothing but its size. */
export const FileView = z
  .strictObject({
    path: z.string(),
    size: z.int(),
    mediaType: z.string(),
    /** With what is secret masked. */
    text: z.string().optional(),
    /** The bytes of an image, in base64. */
    data: z.string().optional(),
  })
  .meta({ id: 'File' })
export type FileView = z.infer<typeof FileView>

export const Upload = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(120)
    .regex(/^[^/\\\p{Cc}]+$/u, 'must be the name of a file, without a folder')
    .refine((name) => !/^[. ]/.test(name), 'must not begin with a dot or a space'),
  /** base64 */
  data: z.base64().max(Math.ceil(UPLOAD_BYTES / 3) * 4, `must be ${UPLOAD_BYTES / 1024 / 1024} MB at most`),
})
export type Upload = z.infer<typeof Upload>

/** Where the file lies now, as the agent can name it. */
export const Uploaded = z.strictObject({ path: z.string(), size: z.int() })
export type Uploaded = z.infer<typeof Uploaded>
