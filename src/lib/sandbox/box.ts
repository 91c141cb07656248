/** What a command may reach. */
export interface Box {
  readonly mode: 'off' | 'workspace' | 'strict'
  /** A real path. A folder that is reached only through a link, its own or a parent's, is refused. */
  readonly workspace: string
  /** The data folder, which is empty inside. */
  readonly home: string
  readonly userHome: string | undefined
  /** The folder that is /tmp inside; made when missing. */
  readonly temp: string
  /** Files and folders beyond the workspace, or protected in it, that this command may write. */
  readonly writable: readonly string[]
  /** Real paths that are not visible, whatever else is. */
  readonly hidden: readonly string[]
  /** Real paths that cannot be written, whatever else can. */
  readonly readOnly: readonly string[]
  /** May git change the repository? */
  readonly repository: boolean
  /** The hosts that `strict` lets through, see `isListed`. */
  readonly hosts: readonly string[]
  /** The server's Unix socket. */
  readonly socket: string | undefined
  /** The file that lists placeholders (see places.ts) until they are removed. */
  readonly record: string
}
