const weekdays: Readonly<Record<string, string>> = { '*': 'every day', '1-5': 'Mon to Fri', 'MON-FRI': 'Mon to Fri' }

/** The ones that say a time of days; any other stands as it was written. */
export function cronInWords(cron: string): string {
  const [minute = '', hour = '', day, month, weekday = ''] = cron.trim().split(/\s+/)
  const days = weekdays[weekday.toUpperCase()]
  if (!/^\d+$/.test(minute) || !/^\d+$/.test(hour) || day !== '*' || month !== '*' || days === undefined) return cron
  return `${hour.padStart(2, '0')}:${minute.padStart(2, '0')} ${days}`
}
