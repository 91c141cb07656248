import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Coloured unless the person set NO_COLOR or the terminal has none. */
export const style = (how: Style, text: string): string => styleText(how, text, { stream: process.stdout })

export const dim = (text: string): string => style('dim', text)
export const bold = (text: string): string => style('bold', text)
/** The one accent: what the person does or may press. */
export const accent = (text: string): string => style('cyan', text)
