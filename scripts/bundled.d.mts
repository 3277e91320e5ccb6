import type { Plugin } from 'esbuild'

export const external: string[]
export const withoutUnused: Plugin
export function licencesIn(inputs: object, where: string): string
