import type { Plugin } from 'esbuild'

export const external: string[]
export const adapted: Plugin
export function licencesIn(inputs: object, where: string): string
