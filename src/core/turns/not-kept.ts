/** Secrets are not stored, so a call that holds one runs in the activation that made it, or not at all. */
export const NOT_KEPT =
  'Not run: its input held a secret, which is not kept over a wait or a restart. If the call is still needed, make it again and read the secret from a variable or a file instead.'

export const NOT_ASKED =
  'Not run: a person would have to approve it, and its input holds a secret, which is neither shown nor kept. Read the secret from a variable or a file instead.'
