/** One place where two texts differ: lines of the old and of the new one, from 0, the ends excluded. */
export interface ChangedPlace {
  readonly oldStart: number
  readonly oldEnd: number
  readonly newStart: number
  readonly newEnd: number
}

/**
 * The places where two lists of lines differ. A correct diff, found without the code for the shortest one, which every
 * run with an edit would have to load: after a difference both sides go on where they first agree again.
 */
export function changedPlaces(old: readonly string[], now: readonly string[]): ChangedPlace[] {
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && old[head] === now[head]) head++
  let tail = 0
  while (tail < shorter - head && old[old.length - 1 - tail] === now[now.length - 1 - tail]) tail++
  const [oldEnd, newEnd] = [old.length - tail, now.length - tail]
  const places: ChangedPlace[] = []
  let steps = maxSteps
  /** How far both sides have to go until they agree again. */
  const agreement = (oldAt: number, newAt: number): readonly [number, number] | undefined => {
    const farthest = oldEnd - oldAt + newEnd - newAt
    for (let distance = 1; distance < farthest && distance <= maxDistance; distance++) {
      for (
        let onOld = Math.max(0, distance - (newEnd - newAt));
        onOld <= distance && onOld <= oldEnd - oldAt;
        onOld++
      ) {
        if (--steps < 0) return undefined
        if (agree(oldAt + onOld, newAt + distance - onOld)) return [onOld, distance - onOld]
      }
    }
    return undefined
  }
  /** A line without content agrees with any other one, which says nothing. */
  const agree = (oldAt: number, newAt: number): boolean =>
    oldAt < oldEnd && newAt < newEnd && old[oldAt] === now[newAt] && old[oldAt]?.trim() !== ''

  for (let [oldAt, newAt] = [head, head]; oldAt < oldEnd || newAt < newEnd;) {
    if (oldAt < oldEnd && newAt < newEnd && old[oldAt] === now[newAt]) {
      oldAt++
      newAt++
      continue
    }
    const [onOld, onNew] = agreement(oldAt, newAt) ?? [oldEnd - oldAt, newEnd - newAt]
    // Empty lines before the agreement may be the same on both sides.
    let same = 0
    while (same < Math.min(onOld, onNew) && old[oldAt + onOld - 1 - same] === now[newAt + onNew - 1 - same]) same++
    places.push({ oldStart: oldAt, oldEnd: oldAt + onOld - same, newStart: newAt, newEnd: newAt + onNew - same })
    oldAt += onOld
    newAt += onNew
  }
  return places
}

/** Bounds on the search; beyond them the rest counts as one place. */
const maxDistance = 400
const maxSteps = 2_000_000
