import fc from 'fast-check'
import { inject } from 'vitest'

/**
 * The same random texts every time, so that the same code gives the same result; a run that is to find something new
 * takes others: `CLADA_SEED=random npm test`, or a number to have one again.
 */
const asked = process.env['CLADA_SEED']
if (asked !== 'random') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(asked ?? 1) })

// Before each file anew: the process is shared, and a test may have left its own.
process.env['XDG_STATE_HOME'] = inject('state')
