/** An ISO time as a person at this machine reads it: `2026-03-09 14:05:11`. */
export function localTime(time: string): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return time
  const two = (value: number): string => String(value).padStart(2, '0')
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}
