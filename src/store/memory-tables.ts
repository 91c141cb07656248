/** A write that was meant: with it a call that is made again can tell from the file whether it was done. */
export interface MemoryWriteRow {
  /** The call, or an id of its own for what a person writes. */
  id: string
  /** Whose folder: the project, or the person's data folder. */
  root: string
  path: string
  /** Digests are empty where there is no file. */
  before_digest: string
  before_bytes: number
  after_digest: string
  after_bytes: number
  /** The file was seen to have the text, and the record says so. */
  done: number
  at: number
}

/** A memory file as a host last knew it. */
export interface MemoryFileRow {
  root: string
  host: string
  path: string
  digest: string
  /** Null where it is too large or was not kept yet. */
  text: string | null
}
