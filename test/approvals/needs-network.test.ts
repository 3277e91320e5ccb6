import { expect, it } from 'vitest'
import { wantsNetwork } from '../../packages/clada/src/approvals/needs-network.ts'

it.each(['npm install', 'npx vite build', 'mvn test', 'cargo fetch', './gradlew test', 'pip install x'])(
  '%s is asked about the network',
  (line) => expect(wantsNetwork(line.split(' '))).toBe(true),
)

it.each([
  'npm test',
  'mvn -o test',
  'mvn --offline -q test',
  './gradlew --offline test',
  'npx --no-install vite build',
  'npm ci --offline',
  'pip install --no-index x',
])('%s is not', (line) => expect(wantsNetwork(line.split(' '))).toBe(false))
