import assert from 'node:assert'
import test from 'node:test'
import { Cart } from '../src/cart.ts'

test('an empty cart costs nothing', () => {
  assert.equal(new Cart().total(), 0)
})
