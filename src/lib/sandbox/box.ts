import type { Caps } from '../process/caps.ts'

/** What a command may reach. */
export interface Box {
  readonly mode: 'off' | 'workspace' | 'strict'
  /** A real path. A folder that is reached only through a link, its own or a parent's, is refused. */
  readonly workspace: string
  /** The data folder, which is empty inside. */
  readonly home: string
  readonly userHome: string | undefined
  /** The most it may use. */
  readonly caps: Caps
  /** Files and folders beyond the workspace, or protected in it, that this command may write. */
  readonly writable: readonly string[]
  /** Files and folders beyond the workspace that this command may read, also where most are not visible. */
  readonly readable: readonly string[]
  /** A folder that lies where nothing is visible, and is shown at `innerFolder` to read. */
  readonly shown?: string
  /** Real paths that are not visible, whatever else is. */
  readonly hidden: readonly string[]
  /** Paths inside what is hidden that the command sees nonetheless, to read or to write. */
  readonly seen?: { readonly readable: readonly string[]; readonly writable: readonly string[] }
  /** Where the command begins; the workspace, unless given. */
  readonly folder?: string
  /** Real paths that cannot be written, whatever else can. */
  readonly readOnly: readonly string[]
  /** What git may change. */
  readonly git: GitWork
  /** Whether a rule lets commands write this protected path. */
  permits(path: string): boolean
  /** The command goes on behind its call, while others change the same files. */
  readonly lasting: boolean
  /** For whom the command runs; kept with what is put aside. */
  readonly owner: string
  /** The hosts that `strict` lets through, see `isListed`. */
  readonly hosts: readonly string[]
  /** The address of the server, which nothing reaches through the proxy. */
  readonly server: string
  /** The server's Unix socket. */
  readonly socket: string | undefined
  /** The folder that remembers which commands run, and how protected files were before (see watch.ts). */
  readonly watched: string
  /** The folder for what was put aside (see aside.ts). */
  readonly aside: string
}

/** What a call may do to repositories. */
export interface GitWork {
  /** The folders in which git works, as real paths; none when it changes nothing. */
  readonly folders: readonly string[]
  /** `remotes`: what says where branches and remotes are, and nothing that runs programs. */
  readonly config: 'closed' | 'remotes' | 'open'
  /** It may make new repositories, worktrees and submodules. */
  readonly makes: boolean
  /** A person approved the call, so what it checks out may be protected. */
  readonly approved: boolean
}

export const noGit: GitWork = { folders: [], config: 'closed', makes: false, approved: false }
