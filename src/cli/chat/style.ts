import { styleText } from 'node:util'

type Style = Parameters<typeof styleText>[0]

/** Colours a text, unless the person set NO_COLOR or the terminal has no colours. */
export const style = (how: Style, text: string): string => styleText(how, text, { stream: process.stdout })

export const dim = (text: string): string => style('dim', text)
export const bold = (text: string): string => style('bold', text)
/** The one accent colour marks what the person types or may press. */
export const accent = (text: string): string => style('cyan', text)
