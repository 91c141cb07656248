/** What a command may reach. */
export interface Box {
  readonly mode: 'off' | 'workspace' | 'strict'
  readonly workspace: string
  /** The data folder: nothing of it is there inside. */
  readonly home: string
  readonly userHome: string | undefined
  /** Stands for /tmp inside; made when missing. */
  readonly temp: string
  /** Files and folders beyond the workspace, or protected in it, that this command may write. */
  readonly writable: readonly string[]
  /** May git change the repository? */
  readonly repository: boolean
  /** In `strict`: names of hosts, `*.name` for all below one. */
  readonly hosts: readonly string[]
  /** The server's Unix socket. */
  readonly socket: string | undefined
  /** Where placeholders are written down until they are gone. */
  readonly record: string
}
