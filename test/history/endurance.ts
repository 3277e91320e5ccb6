import fs from 'node:fs'

/** `npm run endurance` does everything many times over; the suite does it a few times. */
export const many = process.env['CLADA_ENDURANCE'] !== undefined

/** A number for the page about reliability. */
export function figure(name: string, values: Record<string, number>): void {
  const file = process.env['CLADA_ENDURANCE']
  if (file !== undefined) fs.appendFileSync(file, `${JSON.stringify({ name, ...values })}\n`)
}
